import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { type Dialect, postgresDialect, sqliteDialect } from '../migrations/dialect.ts';
import type { Tx } from '../schema.ts';
import { readColumns } from './check-migrated.ts';
import { migrations, schemaVersion } from './migrate.ts';
import { onlineStepsOf } from './online-steps.ts';
import { type Change, type Lock, readStatement } from './read-statement.ts';

export interface Step {
  table: string;
  change: Change;
  /** The queries that wait for this table on PostgreSQL. On SQLite, every writer waits, but no reader. */
  waits: Lock;
  /** Rows that are read or written; 0 for tables that the migration creates. */
  rows: number;
  seconds: number;
}

export interface MigrationPlan {
  database: Database['kind'];
  from: number;
  to: number;
  pending: { version: number; name: string; steps: Step[] }[];
  /** The estimated duration. On a busy machine or slow disks, the migration takes several times as long. */
  seconds: number;
  /** The longest time for which other queries are blocked; on SQLite or for a new schema, the whole migration. */
  lockSeconds: number;
}

/** Cautious estimates for two ordinary cores with an SSD. */
const rowsPerSecond: Partial<Record<Step['change'], number>> = {
  'check rows': 1_000_000,
  'build index': 300_000,
  'write rows': 50_000,
};
const statementSeconds = 0.005;

/** Lists what `migrate` would do. `database` is null if it does not exist yet. Changes nothing. */
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

/** Statements that run in one transaction or, if `isInParts`, in several, between which others can write. */
interface Unit {
  statements: readonly string[];
  isInParts?: boolean;
}

async function plan(
  dialect: Dialect,
  from: number,
  count: (table: string) => Promise<number>,
): Promise<MigrationPlan> {
  const isOnline = dialect.kind === 'postgres' && from > 0;
  const made = new Set<string>();
  const result: MigrationPlan['pending'] = [];
  let seconds = 0;
  let lockSeconds = 0;
  for (const [index, migration] of migrations.entries()) {
    if (index < from) continue;
    const units: Unit[] = isOnline
      ? onlineStepsOf(migration).map((step) =>
          step.way === 'at once'
            ? step
            : { statements: [step.statement], isInParts: step.way === 'in parts' },
        )
      : [{ statements: migration.statements(dialect) }];
    const steps: Step[] = [];
    for (const unit of units) {
      const own = await stepsOf(unit, made, count);
      const took = own.reduce((sum, step) => sum + step.seconds, 0);
      seconds += took;
      if (own.some(({ waits }) => waits !== 'nobody')) lockSeconds = Math.max(lockSeconds, took);
      steps.push(...own);
    }
    result.push({ version: index + 1, name: migration.name, steps });
  }
  return {
    database: dialect.kind,
    from,
    to: migrations.length,
    pending: result,
    seconds: round(seconds),
    lockSeconds: round(isOnline ? lockSeconds : seconds),
  };
}

async function stepsOf(
  { statements, isInParts = false }: Unit,
  made: Set<string>,
  count: (table: string) => Promise<number>,
): Promise<Step[]> {
  const steps: Step[] = [];
  for (const statement of statements) {
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
      waits: isNew || isInParts ? 'nobody' : waits,
      rows,
      seconds: round(statementSeconds + rows / (pace ?? Number.POSITIVE_INFINITY)),
    });
  }
  return steps;
}

/** Returns the table from which the statement copies rows, or else its own table. */
function sourceOf(statement: string, table: string): string {
  return /^insert into[^;]*?\bfrom (\w+)/s.exec(statement.trim())?.[1] ?? table;
}

/** Counts rows. Uses the planner's estimate on PostgreSQL, where counting takes as long as some migrations. */
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
