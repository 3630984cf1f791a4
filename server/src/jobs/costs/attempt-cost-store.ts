import { sql } from 'kysely';
import { isAnyOf, nowMs, rowsOf } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import type { Billed, Charge } from './charge.ts';

export interface AttemptCost extends Charge {
  jobId: string;
  attempt: number;
  accountId: string;
  keyId: string;
  model: string;
  route: string | null;
  provider: string | null;
  /** The model's id at the upstream. */
  upstreamModel: string | null;
  /** The attempt's duration; null if only its worker knows it. */
  tookMs: number | null;
}

const columns = {
  job_id: 'uuid',
  attempt: 'integer',
  account_id: 'uuid',
  key_id: 'uuid',
  model: 'text',
  route: 'text',
  provider: 'text',
  upstream_model: 'text',
  billed: 'text',
  cost_micros: 'integer',
  possible_micros: 'integer',
  currency: 'text',
  usage: 'text',
  took_ms: 'integer',
  delivered: 'integer',
  with_capture: 'integer',
} as const;

/** Records costs in the transaction that ends the attempts. `delivered` maps a job to the attempt with its image. */
export async function noteCosts(
  tx: Tx,
  costs: readonly AttemptCost[],
  delivered: ReadonlyMap<string, number> = nothing,
): Promise<void> {
  if (costs.length === 0) return;
  // The costs are sorted, so that two transactions with the same attempts do not deadlock.
  const inOrder = costs.toSorted((one, other) => (one.jobId < other.jobId ? -1 : 1));
  const rows = inOrder.map((cost) => toRow(cost, delivered.get(cost.jobId) === cost.attempt));
  const told = rowsOf(tx, columns, rows);
  await sql`insert into attempt_costs (job_id, attempt, account_id, key_id, model, route, provider, upstream_model, billed,
      cost_micros, possible_micros, currency, usage, ended_at, began_at, delivered, with_capture, counted)
    select job_id, attempt, account_id, key_id, model, route, provider, upstream_model, billed,
      cost_micros, possible_micros, currency, usage, ${nowMs}, ${nowMs} - took_ms,
      delivered, with_capture, coalesce(with_capture, 0)
    from ${told} as told where true
    on conflict (job_id, attempt) do update set billed = excluded.billed, cost_micros = excluded.cost_micros,
      currency = excluded.currency, usage = excluded.usage, began_at = excluded.began_at,
      counted = case attempt_costs.counted when 0 then 0 else 2 end
    where attempt_costs.billed = 'unknown' and excluded.billed <> 'unknown'`.execute(tx);
}

const nothing: ReadonlyMap<string, number> = new Map();

const mayBeBilled = sql`billed = 'unknown', counted = case counted when 2 then 2 else 0 end`;
const isFree = sql`billed = 'not_billed' and delivered = 0`;

/** Marks an attempt as possibly billed if its job failed before another attempt resumed the upstream request. */
export async function noteAbandoned(tx: Tx, jobIds: readonly string[]): Promise<void> {
  if (jobIds.length === 0) return;
  // Uses a subquery for each attempt, because PostgreSQL would turn `exists` into a join with every failed job.
  await sql`update attempt_costs set ${mayBeBilled}
    where ${isAnyOf(tx, 'job_id', jobIds, 'uuid')} and ${isFree}
      and (select jobs.status = 'failed' and jobs.remote_id is not null from jobs
        where jobs.id = attempt_costs.job_id and jobs.attempt = attempt_costs.attempt)`.execute(tx);
}

/** Marks attempts as possibly billed if the next attempt has begun and does not resume their upstream request. */
export async function noteLeftBehind(
  tx: Tx,
  attempts: readonly { jobId: string; attempt: number }[],
): Promise<void> {
  if (attempts.length === 0) return;
  const rows = attempts.map(({ jobId, attempt }) => ({ job_id: jobId, attempt }));
  const last = rowsOf(tx, { job_id: 'uuid', attempt: 'integer' }, rows);
  await sql`update attempt_costs set ${mayBeBilled}
    where (job_id, attempt) in (select last.job_id, last.attempt from ${last} as last
        join jobs on jobs.id = last.job_id and jobs.attempt = last.attempt + 1 and jobs.remote_id is null)
      and ${isFree}`.execute(tx);
}

export interface KnownCost
  extends Pick<AttemptCost, 'attempt' | 'route' | 'provider' | 'upstreamModel' | keyof Charge> {
  endedAt: number;
}

export async function listCosts(queries: Queries, jobId: string): Promise<KnownCost[]> {
  const rows = await queries
    .selectFrom('attempt_costs')
    .selectAll()
    .where('job_id', '=', jobId)
    .orderBy('attempt')
    .execute();
  return rows.map(
    ({ attempt, route, provider, upstream_model, ended_at, billed, currency, usage, ...row }) => ({
      ...{ attempt, route, provider, upstreamModel: upstream_model, endedAt: ended_at },
      ...{ billed: billed as Billed, currency, usage }, // a CHECK constraint guarantees it
      costMicros: row.cost_micros,
      possibleMicros: row.possible_micros,
    }),
  );
}

/** How long costs are kept. Vendors send bills monthly, and may correct them for a while. */
export const keptCostDays = 100;
const keptMs = keptCostDays * 24 * 60 * 60_000;

/** Deletes counted costs that are older than any open bill. */
export async function deleteOldCosts(tx: Tx, limit: number): Promise<number> {
  const old = sql`select job_id, attempt from attempt_costs
    where ended_at < ${nowMs} - ${sql.lit(keptMs)} and counted = 1 order by ended_at limit ${limit}`;
  const result = await sql`delete from attempt_costs where (job_id, attempt) in (${old})`.execute(tx);
  return Number(result.numAffectedRows);
}

function toRow(cost: AttemptCost, isDelivered: boolean) {
  return {
    job_id: cost.jobId,
    attempt: cost.attempt,
    account_id: cost.accountId,
    key_id: cost.keyId,
    model: cost.model,
    route: cost.route,
    provider: cost.provider,
    upstream_model: cost.upstreamModel,
    billed: cost.billed,
    cost_micros: cost.costMicros,
    possible_micros: cost.possibleMicros,
    currency: cost.currency,
    usage: cost.usage,
    took_ms: cost.tookMs,
    delivered: isDelivered ? 1 : 0,
    // A final cost is counted together with its capture.
    with_capture: isDelivered && cost.billed === 'billed' ? 1 : null,
  };
}
