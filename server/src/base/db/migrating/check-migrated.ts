import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { DatabaseRefused } from '../database.ts';
import { type Dialect, sqliteDialect } from '../migrations/dialect.ts';
import type { Queries, Tx } from '../schema.ts';

export interface Migration {
  name: string;
  /** True if the migration only adds to the schema, so older programs can still run. Otherwise they refuse to start. */
  isExpansion?: true;
  statements: (dialect: Dialect) => string[];
}

/** Computed once, because startup needs all fingerprints three times, and computing them takes a millisecond. */
const fingerprints = { sqlite: new WeakMap<Migration, string>(), postgres: new WeakMap<Migration, string>() };

/** Identifies the text of a migration, ignoring line breaks and indentation. */
export function fingerprintOf(migration: Migration, dialect: Dialect): string {
  const known = fingerprints[dialect.kind];
  const fingerprint = known.get(migration) ?? makeFingerprint(migration.statements(dialect));
  known.set(migration, fingerprint);
  return fingerprint;
}

function makeFingerprint(statements: readonly string[]): string {
  const text = statements.join(';').replaceAll(/\s+/g, ' ');
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Checks that these migrations made the database. Adds missing fingerprints. @throws DatabaseRefused */
export async function checkMigrated(
  tx: Tx,
  migrations: readonly Migration[],
  dialect: Dialect,
): Promise<void> {
  const rows = await checkFingerprints(tx, migrations, dialect);
  const unmarked = rows.filter(({ fingerprint }) => fingerprint === null);
  if (unmarked.length === 0) return;
  await checkColumns(tx, migrations.slice(0, rows.length), dialect);
  for (const { version } of unmarked) {
    const migration = migrations[version - 1];
    const fingerprint = migration ? fingerprintOf(migration, dialect) : null;
    await tx.updateTable('migrations').set({ fingerprint }).where('version', '=', version).execute();
  }
}

/** Checks stored fingerprints and returns them. Writes nothing. @throws DatabaseRefused */
export async function checkFingerprints(
  queries: Queries,
  migrations: readonly Migration[],
  dialect: Dialect,
) {
  const rows = await queries.selectFrom('migrations').select(['version', 'fingerprint']).execute();
  const other = rows.find(({ version, fingerprint }) => {
    const migration = migrations[version - 1];
    return fingerprint !== null && migration && fingerprint !== fingerprintOf(migration, dialect);
  });
  if (other) throw refusal(`its migration ${other.version} is not the one of this program`);
  return rows;
}

/** Whether all migrations after the first `known` only add, so that a program that knows only those can still run. */
export async function isReadable(queries: Queries, known: number): Promise<boolean> {
  const rows = await queries
    .selectFrom('migrations')
    .select('is_expansion')
    .where('version', '>', known)
    .execute();
  return rows.every(({ is_expansion }) => is_expansion === 1);
}

export function newerSchema(version: number, known: number): DatabaseRefused {
  return new DatabaseRefused(
    `The database has schema version ${version}, newer than this program's ${known}, with changes that this program cannot read: use the newer program.`,
  );
}

/** Reads all columns, or those of one table, as `table.column`. */
export async function readColumns(
  queries: Queries,
  { columns }: Dialect,
  table?: string,
): Promise<Set<string>> {
  const { rows } = await sql.raw<{ name: string }>(columns(table)).execute(queries);
  return new Set(rows.map(({ name }) => name));
}

async function checkColumns(tx: Tx, migrations: readonly Migration[], dialect: Dialect): Promise<void> {
  const found = await readColumns(tx, dialect);
  const missing = (await expectedColumns(migrations)).filter((name) => !found.has(name));
  if (missing.length > 0) throw refusal(`it has no ${missing.slice(0, 3).join(', ')}`);
}

/** The expected columns, equal in both databases. Creating the tables in an in-memory SQLite takes milliseconds. */
async function expectedColumns(migrations: readonly Migration[]): Promise<string[]> {
  const { DatabaseSync } = await import('node:sqlite');
  using database = new DatabaseSync(':memory:');
  database.function('now_ms', () => Date.now()); // as on every connection
  for (const { statements } of migrations)
    for (const statement of statements(sqliteDialect)) database.exec(statement);
  const rows = database.prepare(sqliteDialect.columns()).all();
  return rows.map(({ name }) => String(name));
}

function refusal(what: string): DatabaseRefused {
  return new DatabaseRefused(
    `The database claims to be migrated, but ${what}: an early version of Darkroom made it, or somebody changed it. Restore a backup of it, start the version that made it, or begin again with an empty database (DATABASE_URL) or another data folder (DARKROOM_DATA_DIR).`,
  );
}
