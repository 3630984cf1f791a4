import { type Database, DatabaseRefused } from '../database.ts';
import { type Dialect, postgresDialect, sqliteDialect } from '../migrations/dialect.ts';
import type { Queries } from '../schema.ts';
import { checkFingerprints, isReadable, newerSchema, readColumns } from './check-migrated.ts';
import { migrations, schemaVersion } from './migrate.ts';

export interface SchemaState {
  /** The number of applied migrations; 0 for an empty database. */
  version: number;
  /** False if a newer program has changed something that this program reads. */
  isReadable: boolean;
  /** True when the database records the fingerprints of its migrations. */
  isMarked: boolean;
}

export function readAllColumns({ kind, read }: Database): Promise<ReadonlySet<string>> {
  return readColumns(read, dialectOf(kind));
}

export async function readSchema(queries: Queries, kind: Database['kind']): Promise<SchemaState> {
  const columns = await readColumns(queries, dialectOf(kind), 'migrations');
  const version = columns.has('migrations.version') ? await schemaVersion(queries) : 0;
  const isMarked = columns.has('migrations.fingerprint');
  if (version <= migrations.length) return { version, isReadable: true, isMarked };
  const says = columns.has('migrations.is_expansion');
  return { version, isReadable: says && (await isReadable(queries, migrations.length)), isMarked };
}

/** Returns the schema's version, 0 for an empty database. @throws DatabaseRefused if this program cannot migrate it */
export async function readOwnSchema({ kind, read }: Database): Promise<number> {
  const { version, isReadable, isMarked } = await readSchema(read, kind);
  if (!isReadable) throw newerSchema(version, migrations.length);
  if (isMarked) await checkFingerprints(read, migrations, dialectOf(kind));
  return version;
}

/** Checks the schema for commands that run beside a server. Writes nothing. @throws DatabaseRefused */
export async function assertMigrated(database: Database): Promise<void> {
  const version = await readOwnSchema(database);
  const needed = migrations.length;
  if (version === 0) throw noDatabase(database.kind === 'postgres' ? 'at DATABASE_URL' : 'in its file');
  if (version < needed)
    throw new DatabaseRefused(
      `The database has schema version ${version}, and this command needs ${needed}: use the command of the version that is running, or make a backup (darkroom backup, pg_dump) and then run \`darkroom migrate\`. Nothing was changed.`,
    );
}

/** @param where such as "in ./data" */
export function noDatabase(where: string): DatabaseRefused {
  return new DatabaseRefused(
    `There is no database ${where} yet: give the right place, or create a database by starting the server or with \`darkroom migrate\`.`,
  );
}

function dialectOf(kind: Database['kind']): Dialect {
  return kind === 'sqlite' ? sqliteDialect : postgresDialect;
}
