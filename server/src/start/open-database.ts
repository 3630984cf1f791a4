import type { Config } from '../config/config.ts';
import { connect } from '../db/connect.ts';
import type { Database } from '../db/database.ts';
import type { Meter } from '../metrics/meter.ts';
import { type Clock, systemClock } from '../std/clock.ts';
import type { Log } from '../std/log.ts';

/** The database that is configured, as it is. @throws SettingError, DatabaseUnavailable */
export function openDatabase(
  config: Config,
  { clock = systemClock, meter, log }: { clock?: Clock; meter?: Meter; log?: Log } = {},
): Promise<Database> {
  return connect({
    url: config.databaseUrl,
    directUrl: config.databaseDirectUrl,
    readUrl: config.databaseReadUrl,
    connections: config.databaseConnections,
    dataDir: config.dataDir,
    clock,
    ...(meter && { meter }),
    onReplica(reason) {
      if (reason === undefined) log?.info('database.replica_back');
      else log?.warn('database.replica_away', { reason });
    },
  });
}
