import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, readConfig } from '../config/config.ts';
import { migrate } from '../db/migrating/migrate.ts';
import { type MigrationPlan, planMigration } from '../db/migrating/plan-migration.ts';
import { openDatabase } from './open-database.ts';

/** Before a new version starts: what its first start would do to the database. @throws SettingError, DatabaseUnavailable */
export async function planOfDatabase(env: Environment): Promise<MigrationPlan> {
  const config = readConfig(env);
  const kind = config.databaseUrl ? 'postgres' : 'sqlite';
  // Connecting would make the file.
  if (kind === 'sqlite' && !existsSync(join(config.dataDir, 'darkroom.db'))) return planMigration(kind, null);
  await using database = await openDatabase(config);
  return await planMigration(kind, database);
}

/** As the first start of a new version does. @throws SettingError, DatabaseRefused, DatabaseUnavailable */
export async function migrateDatabase(env: Environment): Promise<{ from: number; to: number }> {
  await using database = await openDatabase(readConfig(env));
  return await migrate(database);
}
