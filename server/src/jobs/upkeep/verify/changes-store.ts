import { sql } from 'kysely';
import { nowMs } from '../../../base/db/rows.ts';
import type { Queries } from '../../../base/db/schema.ts';

/** After this time, no transaction can commit a smaller entry number, because none may wait for more than 15 s. */
const settledAfterMs = 60_000;

export interface Changed {
  id: number;
  accountId: string;
  jobId: string | null;
}

/**
 * Lists the next entries. Stops before the first that is so new that an entry with a smaller number may still appear.
 */
export async function listChanged(
  queries: Queries,
  { after, limit }: { after: number; limit: number },
): Promise<Changed[]> {
  const { rows } = await sql<Changed & { settled: number }>`
    select id, account_id as "accountId", job_id as "jobId",
      case when created_at < ${nowMs} - ${sql.lit(settledAfterMs)} then 1 else 0 end as settled
    from entries where id > ${after} order by id limit ${limit}`.execute(queries);
  const end = rows.findIndex(({ settled }) => settled === 0);
  return end === -1 ? rows : rows.slice(0, end);
}

export async function findLastEntry(queries: Queries): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select id from entries where id > 0 order by id desc limit 1`.execute(queries);
  return rows[0]?.id ?? 0;
}
