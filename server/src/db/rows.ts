import { PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { Queries } from './schema.ts';

type ColumnType = 'text' | 'integer' | 'uuid';
type ValueOf<Type extends ColumnType> = Type extends 'integer' ? number | bigint | null : string | null;

/** The database's own clock, in milliseconds, on both databases. As a query of its own it is read once a statement. */
export const nowMs = sql<number>`(select now_ms())`;

export async function readNow(queries: Queries): Promise<number> {
  const row = await queries.selectNoFrom(nowMs.as('now')).executeTakeFirstOrThrow();
  return row.now;
}

export function isPostgres(queries: Queries): boolean {
  return queries.getExecutor().adapter instanceof PostgresAdapter;
}

/**
 * Many rows as parameters of a statement, to be selected from; no first column is ever null. A statement has few texts
 * whatever the number of rows, so it stays prepared, and a batch of 64 creates costs one round trip.
 */
export function rowsOf<Columns extends Record<string, ColumnType>>(
  queries: Queries,
  columns: Columns,
  values: { [Name in keyof Columns]: ValueOf<Columns[Name]> }[],
): RawBuilder<{ [Name in keyof Columns]: Columns[Name] extends 'integer' ? number : string }> {
  const names = Object.keys(columns);
  if (isPostgres(queries)) {
    const json = JSON.stringify(
      values.map((row) => Object.fromEntries(names.map((name) => [name, toJson(row[name])]))),
    );
    const list = names.map((name) => `"${name}" ${postgresTypes[columns[name] ?? 'text']}`).join(', ');
    return sql`(select * from json_to_recordset(${json}::json) as r(${sql.raw(list)}))`;
  }
  const height = 2 ** Math.ceil(Math.log2(Math.max(1, values.length)));
  const flat: unknown[] = [];
  for (const row of values) for (const name of names) flat.push(toBound(row[name]));
  while (flat.length < height * names.length) flat.push(null);
  const list = names.map((name, index) => `column${index + 1} as "${name}"`).join(', ');
  const row = `(${names.map(() => '?').join(', ')})`;
  // All placeholders but the last, which is the one that stands for the parameter.
  const placeholders = Array(height).fill(row).join(', ').slice(0, -'?)'.length);
  return sql`(select ${sql.raw(list)} from (values ${sql.raw(placeholders)}${new Spread(flat)})) where column1 is not null)`;
}

/**
 * Many values as one parameter of Kysely's, whose placeholders stand in the text before the one that Kysely writes. For
 * SQLite, which takes bound values three times as fast as it takes JSON apart.
 */
export class Spread {
  readonly values: readonly unknown[];

  constructor(values: readonly unknown[]) {
    this.values = values;
  }
}

/** `column in (…)` with any number of values as one parameter. */
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

/**
 * Leads PostgreSQL to the index for a join with `rowsOf`: it guesses a hundred rows whatever there are, and a plan from
 * when the table was small would read all of it. SQLite always looks the rows up.
 */
export function lookedUpBy(
  queries: Queries,
  column: string,
  values: readonly string[],
  type: 'text' | 'uuid',
): RawBuilder<boolean> {
  return isPostgres(queries) ? isAnyOf(queries, column, values, type) : sql`true`;
}

/** `in (…)` of a query for each row: PostgreSQL before version 17 asks it for every row of the other table as well. */
export function isFoundBy(queries: Queries, query: RawBuilder<unknown>): RawBuilder<boolean> {
  return isPostgres(queries) ? sql`= any(array(${query}))` : sql`in (${query})`;
}

function toJson(value: string | number | bigint | null | undefined): string | number | null | undefined {
  return typeof value === 'bigint' ? Number(value) : storable(value);
}

/** SQLite is given a number as one with a fraction, which would stay one in text and in sums. */
function toBound(value: string | number | bigint | null | undefined): string | bigint | null | undefined {
  return typeof value === 'number' ? BigInt(value) : storable(value);
}

/** PostgreSQL takes neither NUL nor half a surrogate pair, and one such text would fail the whole batch. */
function storable<Value>(value: Value): Value | string {
  if (typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'))) return value;
  return value.toWellFormed().replaceAll('\0', '\ufffd');
}

const postgresTypes: Record<ColumnType, string> = { text: 'text', integer: 'bigint', uuid: 'uuid' };
