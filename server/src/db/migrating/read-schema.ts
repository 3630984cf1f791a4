import { type Database, DatabaseRefused } from '../database.ts';
import { type Dialect, postgresDialect, sqliteDialect } from '../migrations/dialect.ts';
import type { Queries } from '../schema.ts';
import { checkFingerprints, isReadable, newerSchema, readColumns } from './check-migrated.ts';
import { migrations, schemaVersion } from './migrate.ts';

export interface SchemaState {
  /** The number of migrations that were applied; 0 for an empty database. */
  version: number;
  /** No newer program changed what this one reads. */
  isReadable: boolean;
}

export async function readSchema(queries: Queries, kind: Database['kind']): Promise<SchemaState> {
  const columns = await readColumns(queries, dialectOf(kind));
  const version = columns.has('migrations.version') ? await schemaVersion(queries) : 0;
  if (version <= migrations.length) return { version, isReadable: true };
  const says = columns.has('migrations.is_expansion');
  return { version, isReadable: says && (await isReadable(queries, migrations.length)) };
}

/**
 * For commands beside a server, which change no schema: the database has what this program works with. Writes nothing.
 *
 * @throws DatabaseRefused
 */
export async function assertMigrated({ kind, read }: Database): Promise<void> {
  const { version, isReadable } = await readSchema(read, kind);
  const needed = migrations.length;
  if (version === 0) throw noDatabase(kind === 'postgres' ? 'at DATABASE_URL' : 'in its file');
  if (version < needed)
    throw new DatabaseRefused(
      `The database has schema version ${version}, and this command needs ${needed}: use the command of the version that runs, or make a backup (darkroom backup, pg_dump) and then run \`darkroom migrate\`. Nothing was changed.`,
    );
  if (!isReadable) throw newerSchema(version, needed);
  await checkFingerprints(read, migrations, dialectOf(kind));
}

/** @param where such as "in ./data" */
export function noDatabase(where: string): DatabaseRefused {
  return new DatabaseRefused(
    `There is no database ${where} yet: name the place of yours, or make one with the first start of the server or \`darkroom migrate\`.`,
  );
}

function dialectOf(kind: Database['kind']): Dialect {
  return kind === 'sqlite' ? sqliteDialect : postgresDialect;
}
