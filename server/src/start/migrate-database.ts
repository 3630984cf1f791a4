import { migrate } from '../base/db/migrating/migrate.ts';
import { type MigrationPlan, planMigration } from '../base/db/migrating/plan-migration.ts';
import { type Environment, readConfig } from '../config/config.ts';
import { ensureModels } from '../upstream/catalog/apply-file.ts';
import { isDatabaseThere, openDatabase, openExistingDatabase } from './open-database.ts';

/** @throws SettingError, DatabaseUnavailable */
export async function planOfDatabase(env: Environment): Promise<MigrationPlan> {
  const config = readConfig(env);
  const kind = config.databaseUrl ? 'postgres' : 'sqlite';
  if (!isDatabaseThere(config)) return planMigration(kind, null);
  await using database = await openDatabase(config);
  return await planMigration(kind, database);
}

/** Migrates as the first start of a new version does. @throws SettingError, DatabaseRefused, DatabaseUnavailable */
export async function migrateDatabase(env: Environment): Promise<{ from: number; to: number }> {
  await using database = await openDatabase(readConfig(env));
  const migrated = await migrate(database);
  await ensureModels(database);
  return migrated;
}

/** Copies a database of any version while it is in use. @throws SettingError, DatabaseRefused, DatabaseUnavailable */
export async function backUpDatabase(
  env: Environment,
  file: string,
): Promise<{ file: string; bytes: number }> {
  await using database = await openExistingDatabase(readConfig(env));
  return { file, bytes: await database.backup(file) };
}
