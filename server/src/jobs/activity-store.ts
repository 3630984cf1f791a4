import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { isDone } from '../db/job-predicates.ts';
import type { Queries } from '../db/schema.ts';
import { classesPerE } from '../std/duration-classes.ts';
import { firstIdAt } from '../std/ids.ts';
import type { JobStatus } from './job.ts';

export interface Bucket {
  /** The day or hour, counted since the epoch. */
  slot: number;
  /** What jobs are split by: a model, a key, …, or the empty string. */
  series: string;
  status: JobStatus;
  /** Of the time from the create to the picture, for `done` jobs where it was asked for. */
  durationClass: number | null;
  jobs: number;
  priceMicros: bigint;
}

const series = {
  model: sql<string>`model`,
  key: sql<string>`key_id`,
  resolution: sql<string>`resolution`,
  status: sql<string>`status`,
  /** The word of a failure; the empty string for others. */
  error: sql<string>`coalesce(error_code, '')`,
  none: sql<string>`''`,
};
export type SeriesName = keyof typeof series;

// A clock that went back must not make a logarithm fail.
const durationClass = sql<number>`case when status = 'done' then cast(round(
  ln(cast(case when finished_at > created_at then finished_at - created_at + 1 else 1 end as real))
  * ${sql.lit(classesPerE)}) as bigint) end`;

/**
 * One page is read in a few milliseconds, and requests are served between pages: a day may have 300,000 jobs.
 */
const pageSize = 5_000;

interface Days {
  fromMs: number;
  toMs: number;
}

interface Period extends Days {
  accountId: string;
}

interface Wanted extends Period {
  slotMs: number;
  by: SeriesName;
  /** Only jobs of this key. */
  keyId?: string | undefined;
  withDurations?: boolean;
}

/** Jobs of an account by time of creation, counted and summed. */
export async function countJobs(
  queries: Queries,
  { slotMs, by, keyId, withDurations = false, ...period }: Wanted,
): Promise<Bucket[]> {
  const { accountId, fromMs, toMs } = period;
  const ofKey = keyId === undefined ? sql`` : sql`and key_id = ${keyId}`;
  const buckets = new Map<string, Bucket>();
  for await (const { first, end } of idPages(queries, period)) {
    const { rows } = await sql<Omit<Bucket, 'priceMicros'> & { price_micros: bigint }>`
      select created_at / ${sql.lit(slotMs)} as slot, ${series[by]} as series, status,
        ${withDurations ? durationClass : sql`null`} as "durationClass", count(*) as jobs,
        sum(price_micros) as price_micros
      from jobs
      where account_id = ${accountId} and id >= ${first} and id < ${end}
        and created_at >= ${fromMs} and created_at < ${toMs} ${ofKey}
      group by 1, 2, 3, 4`.execute(queries);
    for (const { price_micros, ...row } of rows) {
      const name = `${row.slot} ${row.status} ${row.durationClass} ${row.series}`;
      const before = buckets.get(name) ?? { jobs: 0, priceMicros: 0n };
      const priceMicros = before.priceMicros + BigInt(price_micros);
      buckets.set(name, { ...row, jobs: before.jobs + row.jobs, priceMicros });
    }
  }
  return [...buckets.values()];
}

export interface JobCount {
  jobs: number;
  done: number;
  failed: number;
  /** Prices of the `done` jobs; others cost nothing. */
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

/** Splits the ids of the jobs of an account, or of all, into ranges of one page each. */
export async function* idPages(
  queries: Queries,
  { accountId, fromMs, toMs }: Days & { accountId?: string },
): AsyncGenerator<{ first: string; end: string }> {
  // A job gets its id before its inputs are fetched, which takes up to a minute, so ids only narrow the
  // search; `created_at` decides.
  const slackMs = 120_000;
  const last = firstIdAt(toMs);
  for (let first = firstIdAt(fromMs - slackMs); ; await setImmediate()) {
    const next = await queries
      .selectFrom('jobs')
      .select('id')
      .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? ''))
      .where('id', '>=', first)
      .where('id', '<', last)
      .orderBy('id')
      .offset(pageSize)
      .limit(1)
      .executeTakeFirst();
    yield { first, end: next?.id ?? last };
    if (!next) return;
    first = next.id;
  }
}

/** Durations of the newest `done` jobs created since then, shortest first. */
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

/** Jobs and cost of an account in a period, by key. */
export async function sumByKey(queries: Queries, period: Period): Promise<Map<string, JobCount>> {
  const buckets = await countJobs(queries, { ...period, slotMs: period.toMs, by: 'key' });
  const byKey = Map.groupBy(buckets, ({ series }) => series);
  return new Map([...byKey].map(([keyId, own]) => [keyId, sumOf(own)]));
}
