import { chownSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { startCluster } from '../../world/postgres.ts';
import type { SmallDisk } from './small-disk.ts';

export interface DatabaseOnDisk extends AsyncDisposable {
  dataDir: string;
  env: Record<string, string>;
}

/**
 * A new database whose tables are on this disk. PostgreSQL's log is elsewhere: without space for its log, PostgreSQL
 * ends, which is a different fault.
 */
export async function openDatabaseOn(
  disk: SmallDisk,
  kind: 'sqlite' | 'postgres',
  elsewhere: string,
): Promise<DatabaseOnDisk> {
  if (kind === 'sqlite') return { dataDir: disk.path, env: {}, [Symbol.asyncDispose]: async () => {} };
  const cluster = await startCluster();
  const url = await createDatabase(cluster.url, disk);
  return {
    dataDir: elsewhere,
    env: { DATABASE_URL: url },
    [Symbol.asyncDispose]: cluster[Symbol.asyncDispose],
  };
}

async function createDatabase(clusterUrl: string, disk: SmallDisk): Promise<string> {
  const folder = join(disk.path, 'tables');
  const client = new pg.Client({ connectionString: clusterUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ data_directory: string }>('show data_directory');
    const { uid, gid } = statSync(rows[0]?.data_directory ?? '');
    mkdirSync(folder);
    for (const path of [disk.path, folder]) chownSync(path, uid, gid);
    await client.query(`create tablespace small location '${folder}'`);
    await client.query('create database small tablespace small');
  } finally {
    await client.end();
  }
  const url = new URL(clusterUrl);
  url.pathname = '/small';
  return url.href;
}
