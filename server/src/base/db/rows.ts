import { PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { Queries, Tx } from './schema.ts';
import { Spread, storable } from './storable.ts';

type ColumnType = 'text' | 'integer' | 'uuid';
type ValueOf<Type extends ColumnType> = Type extends 'integer' ? number | bigint | null : string | null;

/** The database's own clock in milliseconds, on both databases. The subquery is evaluated once per statement. */
export const nowMs = sql<number>`(select now_ms())`;

export async function readNow(queries: Queries): Promise<number> {
  const row = await queries.selectNoFrom(nowMs.as('now')).executeTakeFirstOrThrow();
  return row.now;
}

export async function holdsAny(
  queries: Queries,
  conditions: readonly RawBuilder<boolean>[],
): Promise<boolean> {
  const { rows } = await sql`select 1 where ${sql.join(conditions, sql` or `)}`.execute(queries);
  return rows.length > 0;
}

export function isPostgres(queries: Queries): boolean {
  return queries.getExecutor().adapter instanceof PostgresAdapter;
}

/** Fails the transaction with `Outdated` unless the condition is true. Call it right after taking the lock. */
export async function assertHolds(tx: Tx, condition: RawBuilder<boolean>): Promise<void> {
  if (isPostgres(tx)) await sql`select ${orOutdated(condition)}`.execute(tx);
}

// The text by which PostgreSQL's error is recognized: its other words are in the server's language.
const outdated = 'outdated decision';
const invalidText = '22P02';

/** Fails unless the condition is true. No other PostgreSQL expression can fail with a text of ours. */
export function orOutdated(condition: RawBuilder<boolean>): RawBuilder<unknown> {
  return sql`cast(case when ${condition} then '1' else ${sql.lit(outdated)} end as int) as holds`;
}

export function isOutdated(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return error.code === invalidText && error.message.includes(outdated);
}

/** Selects from rows given as parameters, whose first column must not be null. Pads them, to need few statements. */
export function rowsOf<Columns extends Record<string, ColumnType>>(
  queries: Queries,
  columns: Columns,
  values: { [Name in keyof Columns]: ValueOf<Columns[Name]> }[],
): RawBuilder<{ [Name in keyof Columns]: Columns[Name] extends 'integer' ? number : string }> {
  const names = Object.keys(columns);
  if (isPostgres(queries)) {
    const json = JSON.stringify(values.map((row) => jsonRow(names, row)));
    const list = names.map((name) => `"${name}" ${postgresTypes[columns[name] ?? 'text']}`).join(', ');
    return sql`(select * from json_to_recordset(${json}::json) as r(${sql.raw(list)}))`;
  }
  const height = 2 ** Math.ceil(Math.log2(Math.max(1, values.length)));
  const flat: unknown[] = [];
  for (const row of values) for (const name of names) flat.push(toBound(row[name]));
  while (flat.length < height * names.length) flat.push(null);
  const list = names.map((name, index) => `column${index + 1} as "${name}"`).join(', ');
  const row = `(${names.map(() => '?').join(', ')})`;
  // All placeholders but the last, which Kysely adds for the parameter.
  const placeholders = Array(height).fill(row).join(', ').slice(0, -'?)'.length);
  return sql`(select ${sql.raw(list)} from (values ${sql.raw(placeholders)}${new Spread(flat)})) where column1 is not null)`;
}

/** `column in (…)` with one parameter for any number of values. */
export function isAnyOf(
  queries: Queries,
  column: string,
  values: readonly string[],
  type: 'text' | 'uuid',
): RawBuilder<boolean> {
  if (isPostgres(queries)) {
    return sql`${sql.ref(column)} = any(${values}::${sql.raw(type)}[])`;
  }
  return sql`${sql.ref(column)} in (select value from json_each(${JSON.stringify(values)}))`;
}

/** Makes PostgreSQL join `rowsOf` by the index. A plan made for a small table would read the whole table. */
export function lookedUpBy(
  queries: Queries,
  column: string,
  values: readonly string[],
  type: 'text' | 'uuid',
): RawBuilder<boolean> {
  return isPostgres(queries) ? isAnyOf(queries, column, values, type) : sql`true`;
}

/** `in (…)` with a subquery, as an array on PostgreSQL, which before 17 would run the subquery for every row. */
export function isFoundBy(queries: Queries, query: RawBuilder<unknown>): RawBuilder<boolean> {
  return isPostgres(queries) ? sql`= any(array(${query}))` : sql`in (${query})`;
}

/** Leaves out nulls: most rows have many, and a missing name is read as null. */
function jsonRow(names: readonly string[], row: Record<string, string | number | bigint | null>) {
  const json: Record<string, string | number> = {};
  for (const name of names) {
    const value = toJson(row[name]);
    if (value !== null && value !== undefined) json[name] = value;
  }
  return json;
}

function toJson(value: string | number | bigint | null | undefined): string | number | null | undefined {
  return typeof value === 'bigint' ? Number(value) : storable(value);
}

/** Binds integers as `bigint`, because SQLite's driver binds a number as a float, which shows in texts and sums. */
function toBound(value: string | number | bigint | null | undefined): string | bigint | null | undefined {
  return typeof value === 'number' ? BigInt(value) : storable(value);
}

const postgresTypes: Record<ColumnType, string> = { text: 'text', integer: 'bigint', uuid: 'uuid' };
