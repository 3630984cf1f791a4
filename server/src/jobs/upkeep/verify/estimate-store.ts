import { sql } from 'kysely';
import { isPostgres } from '../../../base/db/rows.ts';
import type { Queries } from '../../../base/db/schema.ts';

const tables = ['accounts', 'entries', 'idempotency_keys', 'jobs'] as const;

/** Estimates the number of rows to verify. PostgreSQL's numbers are from its last `analyze`. */
export async function estimateRows(queries: Queries): Promise<{ rows: number; jobs: number }> {
  const counts = isPostgres(queries)
    ? sql`select relname as name, greatest(reltuples, 0)::bigint as count from pg_class
        where oid in (${sql.join(tables.map((table) => sql`${table}::regclass`))})`
    : sql.join(
        tables.map((table) => sql`select ${table} as name, count(*) as count from ${sql.table(table)}`),
        sql` union all `,
      );
  const { rows } = await sql<{ name: string; count: number }>`${counts}`.execute(queries);
  return {
    rows: rows.reduce((sum, { count }) => sum + count, 0),
    jobs: rows.find(({ name }) => name === 'jobs')?.count ?? 0,
  };
}
