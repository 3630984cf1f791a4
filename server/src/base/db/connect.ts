import { join } from 'node:path';
import { createMeter, type Meter } from '../metrics/meter.ts';
import type { Clock } from '../std/clock.ts';
import { makeFolder } from '../std/make-folder.ts';
import type { Database } from './database.ts';

/** The default number of connections of one process to PostgreSQL; docs/operations explains the number. */
export const usualConnections = 4;

export interface DatabaseOptions {
  /** `postgres://…`, or undefined for the embedded SQLite file in the data folder. */
  url: string | undefined;
  /** The address of the PostgreSQL server itself, if `url` leads to a pooler that pools by transaction. */
  directUrl?: string | undefined;
  /** The address of a replica, for lists and figures. */
  readUrl?: string | undefined;
  /** Called with the reason when the replica becomes unavailable, and with undefined when it is back. */
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
