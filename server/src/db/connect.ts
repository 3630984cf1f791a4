import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../std/clock.ts';
import type { Database } from './database.ts';

export interface DatabaseOptions {
  /** `postgres://…`, or undefined for the embedded SQLite file in the data folder. */
  url: string | undefined;
  dataDir: string;
  clock: Clock;
}

/** Opens the configured database; the driver of the other one is never loaded. */
export async function connect({ url, dataDir, clock }: DatabaseOptions): Promise<Database> {
  if (url) return (await import('./postgres.ts')).openPostgres(url);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  return (await import('./sqlite.ts')).openSqlite(join(dataDir, 'darkroom.db'), clock);
}
