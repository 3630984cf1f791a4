import { type RawBuilder, sql } from 'kysely';
import type { Queries } from '../../../base/db/schema.ts';

/** The ordering columns' values in the last row before a page; null before the first page. */
export type After = readonly string[] | null;

/** A page: the rows after `after` up to `upTo` or, if that is null, up to the end of the table. */
export interface TablePage {
  after: After;
  upTo: After;
  rows: number;
}

const orders = {
  accounts: ['id'],
  jobs: ['id'],
  batches: ['id'],
  idempotency_keys: ['account_id', 'key'],
} as const;
export type Paged = keyof typeof orders;

// The smallest id. With this bound, query plans say "search", so that a test can tell them from scans.
const zero = '00000000-0000-0000-0000-000000000000';
const lowest: Record<Paged, readonly string[]> = {
  accounts: [zero],
  jobs: [zero],
  batches: [zero],
  idempotency_keys: [zero, ''],
};

/** Finds the next page. The last page has no end, because rows may be added meanwhile. */
export async function findPage(
  queries: Queries,
  table: Paged,
  after: After,
  rows: number,
): Promise<TablePage> {
  const columns = sql.join(orders[table].map((column) => sql.ref(column)));
  const ends = await sql<Record<string, string>>`select ${columns} from ${sql.table(table)}
    where ${isInPage(table, { after, upTo: null })} order by ${columns} limit 1 offset ${rows - 1}`.execute(
    queries,
  );
  const end = ends.rows[0];
  if (end) return { after, upTo: orders[table].map((column) => String(end[column])), rows };
  const left = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}
    where ${isInPage(table, { after, upTo: null })}`.execute(queries);
  return { after, upTo: null, rows: left.rows[0]?.count ?? 0 };
}

/** Selects the page's rows in the table itself, or in another table by a column that references it. */
export function isInPage(
  table: Paged,
  { after, upTo }: Pick<TablePage, 'after' | 'upTo'>,
  columns: readonly string[] = orders[table],
): RawBuilder<boolean> {
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const isAfter = sql<boolean>`(${names}) > (${sql.join(after ?? lowest[table])})`;
  return upTo === null ? isAfter : sql`${isAfter} and (${names}) <= (${sql.join(upTo)})`;
}
