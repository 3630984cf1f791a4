import { PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { Queries } from './schema.ts';

type ColumnType = 'text' | 'integer' | 'uuid';
type ValueOf<Type extends ColumnType> = Type extends 'integer' ? number | bigint | null : string | null;

/** The statement `now_ms()` on both databases: the database's own clock, in milliseconds. */
export const nowMs = sql<number>`now_ms()`;

export async function readNow(queries: Queries): Promise<number> {
  const row = await queries.selectNoFrom(nowMs.as('now')).executeTakeFirstOrThrow();
  return row.now;
}

export function isPostgres(queries: Queries): boolean {
  return queries.getExecutor().adapter instanceof PostgresAdapter;
}

/**
 * Many rows as one JSON parameter, to be selected from. One statement text serves any number of rows, so it is
 * prepared once, and a batch of 64 creates costs one round trip.
 */
export function rowsOf<Columns extends Record<string, ColumnType>>(
  queries: Queries,
  columns: Columns,
  values: { [Name in keyof Columns]: ValueOf<Columns[Name]> }[],
): RawBuilder<{ [Name in keyof Columns]: Columns[Name] extends 'integer' ? number : string }> {
  const names = Object.keys(columns);
  if (isPostgres(queries)) {
    const json = JSON.stringify(values, (_name, value) => toJson(value));
    const list = names.map((name) => sql`${sql.id(name)} ${sql.raw(postgresTypes[columns[name] ?? 'text'])}`);
    return sql`(select * from json_to_recordset(${json}::json) as r(${sql.join(list)}))`;
  }
  // Arrays, because SQLite finds a member of an array twice as fast as one of an object.
  const json = JSON.stringify(values.map((row) => names.map((name) => toJson(row[name]))));
  const list = names.map((name, index) => sql`value->>${sql.lit(index)} as ${sql.id(name)}`);
  return sql`(select ${sql.join(list)} from json_each(${json}))`;
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

/** PostgreSQL's JSON takes neither NUL nor half a surrogate pair, and one such text would fail the whole batch. */
function toJson(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value;
}

const postgresTypes: Record<ColumnType, string> = { text: 'text', integer: 'bigint', uuid: 'uuid' };
