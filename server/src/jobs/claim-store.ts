import { sql } from 'kysely';
import type { ModelId } from '../catalog/models.ts';
import { listPauses, pauseOf } from '../catalog/pause-store.ts';
import { isPostgres, nowMs, rowsOf } from '../db/rows.ts';
import type { JobsTable, Queries, Tx } from '../db/schema.ts';
import type { Candidate, Claim, FreeSlots } from './decide-claims.ts';
import type { Job } from './job.ts';
import { toJob } from './job-store.ts';
import type { Route } from './route.ts';

// Claims are decided one after the other over all processes, so that the limits of routes are exact. Any fixed number.
const claimLock = 4_736_252;

/** Whoever claims waits for the one before; SQLite has one writer in any case. */
export async function lockClaims(tx: Tx): Promise<void> {
  if (isPostgres(tx)) await sql`select pg_advisory_xact_lock(${sql.lit(claimLock)})`.execute(tx);
}

/** A look without a lock, so that an idle worker costs next to nothing. */
export async function isAnyClaimable(queries: Queries): Promise<boolean> {
  const row = await queries
    .selectFrom('jobs')
    .select('id')
    .where('worker', 'is', null)
    .where('status', 'in', ['queued', 'processing'])
    .where('claimable_at', '<=', nowMs)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** How many jobs each account has running, and what is free on the routes of models that are not paused. */
export async function readSlots(tx: Tx, routes: readonly Route[]) {
  const pauses = await listPauses(tx);
  const rows = await tx
    .selectFrom('jobs')
    .select(({ fn }) => ['account_id', 'route', fn.countAll<number>().as('count')])
    .where('worker', 'is not', null)
    .groupBy(['account_id', 'route'])
    .execute();
  const running = new Map<string, number>();
  const used = new Map<string | null, number>();
  for (const { account_id, route, count } of rows) {
    running.set(account_id, (running.get(account_id) ?? 0) + count);
    used.set(route, (used.get(route) ?? 0) + count);
  }
  const slots: FreeSlots[] = routes
    .filter(({ model }) => !pauseOf(pauses, model))
    .map(({ id, model, slots }) => ({ routeId: id, model, free: slots - (used.get(id) ?? 0) }))
    .filter(({ free }) => free > 0);
  return { running, slots };
}

/** The oldest `each` jobs of every account that waits for this model, hopping over the index from account to account. */
export async function findCandidates(tx: Tx, model: ModelId, each: number): Promise<Candidate[]> {
  const waits = sql`worker is null and status in ('queued', 'processing') and model = ${model}`;
  const { rows } = await sql<{ id: string; account_id: string }>`
    with recursive waiting (account_id) as (
      select * from (select account_id from jobs where ${waits} order by account_id limit 1) as first
      union all
      select (select account_id from jobs where ${waits} and account_id > waiting.account_id
        order by account_id limit 1)
      from waiting where waiting.account_id is not null)
    select jobs.id, jobs.account_id from waiting join jobs on jobs.id in (
      select id from jobs where ${waits} and account_id = waiting.account_id and claimable_at <= ${nowMs}
      order by id limit ${sql.lit(each)})`.execute(tx);
  return rows.map((row) => ({ id: row.id, accountId: row.account_id, model }));
}

/** Puts jobs under a lease, as processing in their next attempt. */
export async function leaseJobs(
  tx: Tx,
  claims: readonly Claim[],
  { worker, leaseMs }: { worker: string; leaseMs: number },
): Promise<Job[]> {
  if (claims.length === 0) return [];
  const claimed = rowsOf(
    tx,
    { id: 'uuid', route: 'text' },
    claims.map(({ jobId, routeId }) => ({ id: jobId, route: routeId })),
  );
  // A cancel may have come between; then the row no longer matches and stays as it is.
  const { rows } =
    await sql<JobsTable>`update jobs set worker = ${worker}, attempt = attempt + 1, status = 'processing',
      started_at = coalesce(started_at, ${nowMs}), claimable_at = ${nowMs} + ${sql.lit(leaseMs)}, route = claimed.route
    from ${claimed} as claimed
    where jobs.id = claimed.id and jobs.worker is null and jobs.status in ('queued', 'processing')
    returning *`.execute(tx);
  return rows.map((row) => toJob(row));
}
