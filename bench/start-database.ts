import { type Cluster, startCluster } from '../server/test/world/postgres.ts';

/** Makes the programs that this process starts use a new PostgreSQL, which runs until it is disposed, or SQLite. */
export async function startDatabase(name: string): Promise<Cluster | undefined> {
  const cluster = name === 'postgres' ? await startCluster({ durable: true }) : undefined;
  if (cluster) process.env.TEST_DATABASE_URL = cluster.url;
  else delete process.env.TEST_DATABASE_URL;
  return cluster;
}
