import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '../base/db/connect.ts';
import type { Database } from '../base/db/database.ts';
import { assertMigrated, noDatabase } from '../base/db/migrating/read-schema.ts';
import type { Meter } from '../base/metrics/meter.ts';
import { type Clock, systemClock } from '../base/std/clock.ts';
import type { Log } from '../base/std/log.ts';
import type { Config } from '../config/config.ts';

/** Connects, and creates a missing SQLite file, but no schema. @throws SettingError, DatabaseUnavailable */
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

/**
 * Whether the database exists. Check this before connecting, which would create the SQLite file. A PostgreSQL database
 * always exists.
 */
export function isDatabaseThere({ databaseUrl, dataDir }: Config): boolean {
  return databaseUrl !== undefined || existsSync(join(dataDir, 'darkroom.db'));
}

/** Like `openDatabase`, but creates no file. @throws SettingError, DatabaseRefused, DatabaseUnavailable */
export async function openExistingDatabase(config: Config): Promise<Database> {
  if (!isDatabaseThere(config)) throw noDatabase(`in ${config.dataDir} (DARKROOM_DATA_DIR)`);
  return openDatabase(config);
}

/** Opens a database that has this program's schema, and writes nothing. @throws as `openExistingDatabase` */
export async function openMigratedDatabase(config: Config): Promise<Database> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await openExistingDatabase(config));
  await assertMigrated(database);
  stack.move();
  return database;
}
