import { type RawBuilder, sql } from 'kysely';
import { isLeased, isWaiting } from '../../base/db/job-predicates.ts';
import { isAnyOf, isPostgres, nowMs, rowsOf } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import type { AttemptFailure, Job, Lease } from '../job.ts';
import { parseFailures, toJob } from '../job-store.ts';

/** Returns the jobs whose lease is still ours. */
export async function extendLeases(tx: Tx, leases: readonly Lease[], leaseMs: number): Promise<string[]> {
  const held = leaseRows(tx, leases);
  const { rows } = await sql<{ id: string }>`update jobs set claimable_at = ${nowMs} + ${sql.lit(leaseMs)}
    from ${held} as held where jobs.id = held.id and jobs.attempt = held.attempt and jobs.worker = held.worker
    returning jobs.id`.execute(tx);
  return rows.map((row) => row.id);
}

export interface Retry {
  lease: Lease;
  failures: AttemptFailure[];
  delayMs: number;
  remoteId: string | null;
}

/** Returns the ids of the jobs whose lease was ours. */
export async function retryIfLeased(tx: Tx, retries: readonly Retry[]): Promise<string[]> {
  if (retries.length === 0) return [];
  const incoming = rowsOf(
    tx,
    { id: 'uuid', attempt: 'integer', worker: 'text', failures: 'text', delay: 'integer', remote_id: 'text' },
    retries.map(({ lease, failures, delayMs, remoteId }) => ({
      id: lease.jobId,
      attempt: lease.attempt,
      worker: lease.worker,
      failures: JSON.stringify(failures),
      delay: delayMs,
      remote_id: remoteId,
    })),
  );
  const { rows } = await sql<{ id: string }>`update jobs set worker = null, failures = rest.failures,
      remote_id = rest.remote_id, claimable_at = ${nowMs} + rest.delay
    from ${incoming} as rest where jobs.id = rest.id and jobs.attempt = rest.attempt and jobs.worker = rest.worker
    returning jobs.id`.execute(tx);
  return rows.map((row) => row.id);
}

/** Returns false if the lease is lost. */
export async function noteRemoteIdIfLeased(tx: Tx, lease: Lease, remoteId: string): Promise<boolean> {
  const result = await tx
    .updateTable('jobs')
    .set({ remote_id: remoteId })
    .where('id', '=', lease.jobId)
    .where('attempt', '=', lease.attempt)
    .where('worker', '=', lease.worker)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function findWorkers(queries: Queries): Promise<string[]> {
  const rows = await queries.selectFrom('jobs').select('worker').distinct().where(isLeased).execute();
  return rows.flatMap(({ worker }) => worker ?? []);
}

export async function endLeasesOf(tx: Tx, workers: readonly string[]): Promise<number> {
  const result = await tx
    .updateTable('jobs')
    .set({ claimable_at: nowMs })
    .where(isAnyOf(tx, 'worker', workers, 'text'))
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** `now` is a parameter, because the clock may jump between two reads. */
export async function findExpiredLeases(queries: Queries, now: number, limit: number): Promise<string[]> {
  const rows = await expired(queries, now).select('id').orderBy('claimable_at').limit(limit).execute();
  return rows.map(({ id }) => id);
}

/** Whether a lease has expired, or a waiting job is past its deadline. */
export function isAnyLate(now: number): RawBuilder<boolean> {
  return sql`(exists (select 1 from jobs where ${hasExpired(now)}) or exists (select 1 from jobs where ${isPastDeadline}))`;
}

export const isAnyLeased = sql<boolean>`exists (select 1 from jobs where ${isLeased})`;

/** Locks the jobs whose lease is still expired. Skips locked rows, whose leases are just being extended. */
export async function lockExpiredLeases(tx: Tx, now: number, jobIds: readonly string[]): Promise<LostJob[]> {
  if (jobIds.length === 0) return [];
  const rows = await expired(tx, now)
    .selectAll()
    .where(isAnyOf(tx, 'id', jobIds, 'uuid'))
    .$if(isPostgres(tx), (query) => query.forUpdate().skipLocked())
    .execute();
  return rows.map((row) => ({ job: toJob(row), worker: row.worker ?? '', leaseEndedAt: row.claimable_at }));
}

export interface LostJob {
  job: Job;
  worker: string;
  leaseEndedAt: number;
}

function expired(queries: Queries, now: number) {
  return queries.selectFrom('jobs').where(hasExpired(now));
}

function hasExpired(now: number): RawBuilder<boolean> {
  return sql`${isLeased} and jobs.claimable_at <= ${now}`;
}

const isPastDeadline = sql<boolean>`${isWaiting} and jobs.deadline_at <= ${nowMs}`;

/** A job without a worker, which ends without another attempt. */
export type Unclaimed = Pick<Job, 'id' | 'attempt' | 'route' | 'remoteId' | 'startedAt' | 'failures'>;

export async function findOverdue(tx: Tx, limit: number): Promise<Unclaimed[]> {
  const rows = await unclaimed(tx).where(isPastDeadline).orderBy('deadline_at').limit(limit).execute();
  return rows.map(toUnclaimed);
}

/**
 * Finds jobs that have waited too long, for their first attempt or, beyond their time limit, for another one. No worker
 * takes jobs of a model whose last route was removed.
 */
export async function findStale(
  tx: Tx,
  { maxQueuedMs, jobTimeoutMs }: { maxQueuedMs: number; jobTimeoutMs: number },
  limit: number,
): Promise<Unclaimed[]> {
  const rows = await unclaimed(tx)
    .where(isWaiting)
    .where(
      sql<number>`coalesce(started_at + ${sql.lit(jobTimeoutMs)}, created_at)`,
      '<=',
      sql<number>`${nowMs} - ${sql.lit(maxQueuedMs)}`,
    )
    .where(sql<boolean>`coalesce(deadline_at > ${nowMs}, true)`)
    .limit(limit)
    .execute();
  return rows.map(toUnclaimed);
}

function unclaimed(tx: Tx) {
  return tx.selectFrom('jobs').select(['id', 'attempt', 'route', 'remote_id', 'started_at', 'failures']);
}

function toUnclaimed(row: Awaited<ReturnType<ReturnType<typeof unclaimed>['execute']>>[number]): Unclaimed {
  const { id, attempt, route } = row;
  return {
    id,
    attempt,
    route,
    remoteId: row.remote_id,
    startedAt: row.started_at,
    failures: parseFailures(row.failures),
  };
}

function leaseRows(tx: Tx, leases: readonly Lease[]) {
  return rowsOf(
    tx,
    { id: 'uuid', attempt: 'integer', worker: 'text' },
    leases.map(({ jobId, attempt, worker }) => ({ id: jobId, attempt, worker })),
  );
}
