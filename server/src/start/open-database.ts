import type { Config } from '../config/config.ts';
import { connect } from '../db/connect.ts';
import type { Database } from '../db/database.ts';
import type { Meter } from '../metrics/meter.ts';
import { type Clock, systemClock } from '../std/clock.ts';

/** The database that is configured, as it is. @throws SettingError, DatabaseUnavailable */
export function openDatabase(
  { databaseUrl: url, databaseDirectUrl: directUrl, databaseConnections: connections, dataDir }: Config,
  { clock = systemClock, meter }: { clock?: Clock; meter?: Meter } = {},
): Promise<Database> {
  return connect({ url, directUrl, connections, dataDir, clock, ...(meter && { meter }) });
}
