import { type RawBuilder, sql } from 'kysely';
import { isDone, isLeased, isOfAccount, isWaiting } from '../base/db/job-predicates.ts';
import type { Queries } from '../base/db/schema.ts';
import { firstIdAt } from '../base/std/ids.ts';
import { countedThrough, durationClass } from './activity/roll-up-store.ts';
import type { JobStatus } from './job.ts';

export interface Bucket {
  /** The day or hour, counted since the epoch. */
  slot: number;
  /** The model, key or other value by which jobs are split; empty if they are not. */
  series: string;
  status: JobStatus;
  /** The class of the time from the job's creation to its image; null if not requested or not `done`. */
  durationClass: number | null;
  jobs: number;
  priceMicros: bigint;
}

const series = {
  model: sql<string>`model`,
  key: sql<string>`key_id`,
  resolution: sql<string>`resolution`,
  status: sql<string>`status`,
  error: sql<string>`coalesce(error_code, '')`,
  none: sql<string>`''`,
};
export type SeriesName = keyof typeof series;

interface Period {
  accountId: string;
  fromMs: number;
  toMs: number;
}

interface Wanted extends Period {
  slotMs: number;
  by: SeriesName;
  keyId?: string | undefined;
  withDurations?: boolean;
}

/** Counts jobs by the hour or day of their creation. Adds jobs that the stored counts lack, in the same snapshot. */
export async function countJobs(
  queries: Queries,
  { accountId, fromMs, toMs, slotMs, by, keyId, withDurations = false }: Wanted,
): Promise<Bucket[]> {
  const [first, end] = [Math.floor(fromMs / slotMs), Math.ceil(toMs / slotMs)];
  const ofKey = keyId === undefined ? sql`` : sql`and key_id = ${keyId}`;
  const live = (which: RawBuilder<unknown>) => sql`
    select created_at / ${sql.lit(slotMs)}, ${series[by]}, status, ${withDurations ? durationClass : sql`null`}, 1, price_micros
    from jobs where ${which} and ${isOfAccount(accountId)} ${ofKey}
      and created_at >= ${first * slotMs} and created_at < ${end * slotMs}`;
  const { rows } = await sql<Omit<Bucket, 'priceMicros'> & { price_micros: bigint }>`
    select slot, series, status, "durationClass", sum(jobs) as jobs, sum(price_micros) as price_micros
    from (
      select slot, ${series[by]} as series, status, ${withDurations ? sql`nullif(duration_class, -1)` : sql`null`} as "durationClass",
        jobs, price_micros
      from activity where account_id = ${accountId} and slot_ms = ${sql.lit(slotMs)}
        and slot >= ${first} and slot < ${end} ${ofKey}
      union all ${live(sql`id in (select job_id from entries where account_id = ${accountId}
        and id > ${countedThrough(sql`${accountId}`)} and kind in ('capture', 'release'))`)}
      union all ${live(isWaiting)}
      union all ${live(isLeased)}) as parts
    group by slot, series, status, "durationClass"`.execute(queries);
  return rows.map(({ price_micros, ...row }) => ({ ...row, priceMicros: BigInt(price_micros) }));
}

export interface JobCount {
  jobs: number;
  done: number;
  failed: number;
  /** The sum of the `done` jobs' prices. Other jobs cost nothing. */
  spentMicros: bigint;
}

export function sumOf(buckets: readonly Bucket[] = []): JobCount {
  const sum = { jobs: 0, done: 0, failed: 0, spentMicros: 0n };
  for (const { status, jobs, priceMicros } of buckets) {
    sum.jobs += jobs;
    if (status === 'failed') sum.failed += jobs;
    if (status !== 'done') continue;
    sum.done += jobs;
    sum.spentMicros += priceMicros;
  }
  return sum;
}

/** The durations of the newest `done` jobs created since `fromMs`, shortest first. */
export async function listDurations(
  queries: Queries,
  { accountId, fromMs, limit }: { accountId: string; fromMs: number; limit: number },
): Promise<number[]> {
  const rows = await queries
    .selectFrom('jobs')
    .select(sql<number>`finished_at - created_at`.as('ms'))
    .where('account_id', '=', accountId)
    .where('id', '>=', firstIdAt(fromMs))
    .where(isDone)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ ms }) => ms).sort((one, other) => one - other);
}

const dayMs = 24 * 60 * 60_000;

export async function sumByKey(queries: Queries, period: Period): Promise<Map<string, JobCount>> {
  const buckets = await countJobs(queries, { ...period, slotMs: dayMs, by: 'key' });
  const byKey = Map.groupBy(buckets, ({ series }) => series);
  return new Map([...byKey].map(([keyId, own]) => [keyId, sumOf(own)]));
}
