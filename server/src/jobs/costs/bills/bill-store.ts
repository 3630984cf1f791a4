import { sql } from 'kysely';
import type { Queries } from '../../../base/db/schema.ts';
import type { Billed } from '../charge.ts';

export const hourMs = 60 * 60_000;

export interface AskedOf {
  provider: string;
  /** Null if the bill is in the installation's currency. */
  otherCurrency: string | null;
}

/** Whether a vendor counts a request when it starts or when it ends. */
export type Moment = 'begin' | 'end';

/** A half-open interval. */
export interface Times {
  fromMs: number;
  toMs: number;
}

export interface NotedHour {
  /** The hour, counted since the epoch. */
  hour: number;
  upstreamModel: string;
  billed: number;
  /** The sum of the costs that are known in the bill's currency. */
  costMicros: bigint;
  uncosted: number;
  unknown: number;
  possibleMicros: bigint;
  /** The number of `unknown` attempts without a possible cost. */
  unpriced: number;
}

/** Sums attempts by the hour of their end or start. Reads only those that ended in the interval, by an index. */
export async function noteHours(
  queries: Queries,
  { provider, otherCurrency, moment }: AskedOf & { moment: Moment },
  { fromMs, toMs }: Times,
): Promise<NotedHour[]> {
  const isComparable = sql`coalesce(currency, '') = ${otherCurrency ?? ''}`;
  const possible = otherCurrency === null ? sql`possible_micros` : sql`null`;
  const { rows } = await sql<Record<keyof NotedHour, string | number>>`
    select ${timeOf(moment)} / ${sql.lit(hourMs)} as hour, upstream_model as "upstreamModel",
      sum(case when billed = 'billed' then 1 else 0 end) as billed,
      sum(case when billed = 'billed' and ${isComparable} then coalesce(cost_micros, 0) else 0 end) as "costMicros",
      sum(case when billed = 'billed' and (cost_micros is null or not ${isComparable}) then 1 else 0 end) as uncosted,
      sum(case when billed = 'unknown' then 1 else 0 end) as unknown,
      sum(case when billed = 'unknown' then coalesce(${possible}, 0) else 0 end) as "possibleMicros",
      sum(case when billed = 'unknown' and ${possible} is null then 1 else 0 end) as unpriced
    from attempt_costs
    where ended_at >= ${fromMs} and ended_at < ${toMs} and provider = ${provider} and upstream_model is not null
    group by 1, 2`.execute(queries);
  return rows.map((row) => ({
    hour: Number(row.hour),
    upstreamModel: String(row.upstreamModel),
    billed: Number(row.billed),
    costMicros: BigInt(row.costMicros),
    uncosted: Number(row.uncosted),
    unknown: Number(row.unknown),
    possibleMicros: BigInt(row.possibleMicros),
    unpriced: Number(row.unpriced),
  }));
}

function timeOf(moment: Moment) {
  return moment === 'end' ? sql`ended_at` : sql`coalesce(began_at, ended_at)`;
}

const largest = 2n ** 63n - 1n;
/** A duration that no attempt exceeds. */
const longestMs = 24 * hourMs;

export interface Suspect {
  jobId: string;
  attempt: number;
  accountId: string;
  endedAt: number;
  billed: Billed;
  costMicros: bigint | null;
  possibleMicros: bigint | null;
  currency: string | null;
}

/** Lists attempts that may explain a difference. Those whose cost equals the difference come first. */
export async function listSuspects(
  queries: Queries,
  which: Times & {
    moment: Moment;
    provider: string;
    upstreamModel: string;
    offMicros: bigint;
    isMore: boolean;
  },
  limit: number,
): Promise<Suspect[]> {
  const magnitude = which.offMicros < 0n ? -which.offMicros : which.offMicros;
  const off = magnitude < largest ? magnitude : largest;
  const isBilled = sql`case billed when 'unknown' then 1 when 'billed' then ${sql.lit(which.isMore ? 2 : 0)}
    else ${sql.lit(which.isMore ? 0 : 2)} end`;
  const { rows } = await sql<Suspect>`
    select job_id as "jobId", attempt, account_id as "accountId", ended_at as "endedAt", billed,
      cost_micros as "costMicros", possible_micros as "possibleMicros", currency
    from attempt_costs
    where ended_at >= ${which.fromMs} and ended_at < ${which.toMs + longestMs}
      and ${timeOf(which.moment)} >= ${which.fromMs} and ${timeOf(which.moment)} < ${which.toMs}
      and provider = ${which.provider} and upstream_model = ${which.upstreamModel}
    order by case when coalesce(cost_micros, possible_micros) = ${off} then 0 else 1 end, ${isBilled}, ended_at, job_id
    limit ${limit}`.execute(queries);
  return rows.map((row) => ({
    ...row,
    costMicros: row.costMicros === null ? null : BigInt(row.costMicros),
    possibleMicros: row.possibleMicros === null ? null : BigInt(row.possibleMicros),
  }));
}
