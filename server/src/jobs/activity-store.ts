import { sql } from 'kysely';
import type { Queries } from '../db/schema.ts';
import { firstIdAt } from '../std/ids.ts';
import type { JobStatus } from './job.ts';

export interface Bucket {
  /** The day or hour, counted since the epoch. */
  slot: number;
  /** What it is split by: a model, a key, or nothing. */
  series: string;
  status: JobStatus;
  jobs: number;
  priceMicros: bigint;
}

const series = { model: sql<string>`model`, key: sql<string>`key_id`, none: sql<string>`''` };

/** Jobs of an account by time of creation, counted and summed. */
export async function countJobs(
  queries: Queries,
  {
    accountId,
    fromMs,
    toMs,
    slotMs,
    by,
  }: { accountId: string; fromMs: number; toMs: number; slotMs: number; by: keyof typeof series },
): Promise<Bucket[]> {
  // A job gets its id before its inputs are fetched, which takes up to a minute; the second condition is the exact one.
  const slackMs = 120_000;
  const { rows } = await sql<{
    slot: number;
    series: string;
    status: JobStatus;
    jobs: number;
    price_micros: bigint;
  }>`
    select created_at / ${sql.lit(slotMs)} as slot, ${series[by]} as series, status, count(*) as jobs, sum(price_micros) as price_micros
    from jobs
    where account_id = ${accountId} and id >= ${firstIdAt(fromMs - slackMs)} and id < ${firstIdAt(toMs)}
      and created_at >= ${fromMs} and created_at < ${toMs}
    group by 1, 2, 3`.execute(queries);
  return rows.map(({ price_micros, ...row }) => ({ ...row, priceMicros: BigInt(price_micros) }));
}

/** How long the newest jobs took that were created since then and are done, shortest first. */
export async function listDurations(
  queries: Queries,
  { accountId, fromMs, limit }: { accountId: string; fromMs: number; limit: number },
): Promise<number[]> {
  const rows = await queries
    .selectFrom('jobs')
    .select(sql<number>`finished_at - created_at`.as('ms'))
    .where('account_id', '=', accountId)
    .where('id', '>=', firstIdAt(fromMs))
    .where('status', '=', 'done')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ ms }) => ms).sort((one, other) => one - other);
}

/** What the keys of an account made since then, by key. */
export async function sumByKey(
  queries: Queries,
  accountId: string,
  fromMs: number,
): Promise<Map<string, { jobs: number; spentMicros: bigint }>> {
  const { rows } = await sql<{ key_id: string; jobs: number; spent_micros: bigint }>`
    select key_id, count(*) as jobs, sum(case status when 'done' then price_micros else 0 end) as spent_micros
    from jobs where account_id = ${accountId} and id >= ${firstIdAt(fromMs)} group by key_id`.execute(
    queries,
  );
  return new Map(rows.map((row) => [row.key_id, { jobs: row.jobs, spentMicros: BigInt(row.spent_micros) }]));
}
