import { sql } from 'kysely';
import { type Migration, readColumns } from './check-migrated.ts';
import type { Database } from './database.ts';
import { migrations, schemaVersion } from './migrate.ts';
import { type Dialect, postgresDialect, sqliteDialect } from './migrations/dialect.ts';
import type { Tx } from './schema.ts';

/** Who waits until the whole migration is over: all of it is one transaction. */
export type Lock = 'nobody' | 'writers' | 'everybody';

export interface Step {
  table: string;
  change:
    | 'create table'
    | 'alter table'
    | 'check rows'
    | 'build index'
    | 'write rows'
    | 'change trigger'
    | 'drop';
  /** Who waits for this table, on PostgreSQL. On SQLite every writer waits, and readers never do. */
  waits: Lock;
  /** Rows that are read or written; those of tables that the migration makes are none. */
  rows: number;
  seconds: number;
}

export interface MigrationPlan {
  database: Database['kind'];
  from: number;
  to: number;
  pending: { version: number; name: string; steps: Step[] }[];
  /** How long locks last, about: a machine that is busy or has slow disks takes a multiple. */
  seconds: number;
}

/** On the slow side of two ordinary cores with an SSD. */
const rowsPerSecond: Partial<Record<Step['change'], number>> = {
  'check rows': 1_000_000,
  'build index': 300_000,
  'write rows': 50_000,
};
/** What each statement takes by itself. */
const statementSeconds = 0.005;

/** What `migrate` would do to this database; null for one that does not exist yet. Changes nothing. */
export async function planMigration(
  kind: Database['kind'],
  database: Database | null,
): Promise<MigrationPlan> {
  const dialect = kind === 'sqlite' ? sqliteDialect : postgresDialect;
  if (!database) return plan(dialect, 0, async () => 0);
  return database.transaction(async (tx) => {
    const columns = await readColumns(tx, dialect);
    const tables = new Set([...columns].map((column) => column.split('.')[0]));
    const from = tables.has('migrations') ? await schemaVersion(tx) : 0;
    return plan(dialect, from, async (table) => (tables.has(table) ? countRows(tx, dialect, table) : 0));
  });
}

async function plan(
  dialect: Dialect,
  from: number,
  count: (table: string) => Promise<number>,
): Promise<MigrationPlan> {
  const made = new Set<string>();
  const pending: MigrationPlan['pending'] = [];
  for (const [index, migration] of migrations.entries()) {
    if (index < from) continue;
    const steps = await stepsOf(migration, dialect, made, count);
    pending.push({ version: index + 1, name: migration.name, steps });
  }
  const seconds = pending.flatMap(({ steps }) => steps).reduce((sum, step) => sum + step.seconds, 0);
  return { database: dialect.kind, from, to: migrations.length, pending, seconds: round(seconds) };
}

async function stepsOf(
  { statements }: Migration,
  dialect: Dialect,
  made: Set<string>,
  count: (table: string) => Promise<number>,
): Promise<Step[]> {
  const steps: Step[] = [];
  for (const statement of statements(dialect)) {
    const { table, change, waits } = readStatement(statement);
    if (change === 'create table') made.add(table);
    const renamed = /rename to (\w+)/.exec(statement)?.[1];
    if (renamed !== undefined && made.has(table)) made.add(renamed);
    const isNew = made.has(table);
    const pace = rowsPerSecond[change];
    const rows =
      pace === undefined || (isNew && change !== 'write rows') ? 0 : await count(sourceOf(statement, table));
    steps.push({
      table,
      change,
      waits: isNew ? 'nobody' : waits,
      rows,
      seconds: round(statementSeconds + rows / (pace ?? Number.POSITIVE_INFINITY)),
    });
  }
  return steps;
}

/** Each kind of statement that migrations are made of, with the lock that PostgreSQL takes for it. */
const kinds: [pattern: RegExp, change: Step['change'], waits: Lock][] = [
  [/^create (?:virtual |unlogged )?table (\w+)/, 'create table', 'nobody'],
  [/^create (?:unique )?index \w+ on (\w+)/, 'build index', 'writers'],
  [/^create trigger .*? on (\w+)/, 'change trigger', 'writers'],
  [/^drop trigger "(\w+):/, 'change trigger', 'everybody'],
  [/^alter table (\w+) add (?:column|constraint).*\bcheck\b/, 'check rows', 'everybody'],
  // Done on SQLite alone, which writes every row without the column.
  [/^alter table (\w+) drop column/, 'write rows', 'everybody'],
  [/^alter table (\w+)/, 'alter table', 'everybody'],
  [/^drop \w+ (\w+)/, 'drop', 'everybody'],
  [/^(?:update|insert into|delete from) (\w+)/, 'write rows', 'writers'],
];

/** @throws Error for a statement of a kind that no migration had before */
export function readStatement(statement: string): Pick<Step, 'table' | 'change' | 'waits'> {
  const text = statement.replaceAll(/\s+/g, ' ').trim();
  for (const [pattern, change, waits] of kinds) {
    const table = pattern.exec(text)?.[1];
    if (table !== undefined) return { table, change, waits };
  }
  throw new Error(`plan-migration.ts does not know this kind of statement: ${text.slice(0, 80)}`);
}

/** The table whose rows are copied, or the table itself. */
function sourceOf(statement: string, table: string): string {
  return /^insert into[^;]*?\bfrom (\w+)/s.exec(statement.trim())?.[1] ?? table;
}

/** On PostgreSQL as many as it last counted: counting a large table takes as long as some migrations. */
async function countRows(tx: Tx, { kind }: Dialect, table: string): Promise<number> {
  if (kind === 'postgres') {
    const { rows } = await sql<{ rows: number }>`
      select reltuples::bigint as rows from pg_class where oid = ${sql.lit(table)}::regclass`.execute(tx);
    const known = Number(rows[0]?.rows ?? -1);
    if (known >= 0) return known;
  }
  const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(table)}`.execute(tx);
  return Number(rows[0]?.rows ?? 0);
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
