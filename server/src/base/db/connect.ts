import { join } from 'node:path';
import { createMeter, type Meter } from '../metrics/meter.ts';
import type { Clock } from '../std/clock.ts';
import { makeFolder } from '../std/make-folder.ts';
import type { Database } from './database.ts';

/** The default number of connections per process to PostgreSQL, which docs/operations explains. */
export const usualConnections = 4;

export interface DatabaseOptions {
  /** `postgres://…`; undefined for the embedded SQLite file in the data folder. */
  url: string | undefined;
  /** The address of the PostgreSQL server itself, if `url` leads to a pooler that pools by transaction. */
  directUrl?: string | undefined;
  /** The address of a replica for lists and figures. */
  readUrl?: string | undefined;
  /** Called with the reason if the replica becomes unavailable, and with undefined once it is back. */
  onReplica?: (reason: string | undefined) => void;
  /** The maximum number of connections to PostgreSQL, one of which listens for notifications. */
  connections?: number;
  dataDir: string;
  clock: Clock;
  meter?: Meter;
}

/** Opens the configured database; the other database's driver is never loaded. */
export async function connect({
  url,
  directUrl,
  readUrl,
  onReplica = () => {},
  connections = usualConnections,
  dataDir,
  clock,
  meter = createMeter(),
}: DatabaseOptions): Promise<Database> {
  if (url) {
    const { openPostgres } = await import('./postgres.ts');
    return openPostgres(url, { directUrl, readUrl, onReplica, connections, meter });
  }
  await makeFolder(dataDir);
  return (await import('./sqlite.ts')).openSqlite(join(dataDir, 'darkroom.db'), clock, meter);
}
