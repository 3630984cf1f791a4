import { type Cluster, startCluster } from '../server/test/world/postgres.ts';

/** Makes the programs started by this process use a new PostgreSQL, which runs until disposed, or SQLite. */
export async function startDatabase(name: string): Promise<Cluster | undefined> {
  const cluster = name === 'postgres' ? await startCluster({ durable: true }) : undefined;
  if (cluster) process.env.TEST_DATABASE_URL = cluster.url;
  else delete process.env.TEST_DATABASE_URL;
  return cluster;
}
