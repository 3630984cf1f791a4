import { type RawBuilder, sql } from 'kysely';

// Job states as SQL conditions. A change here needs the same change in the partial indexes of early/001-initial.ts,
// early/005-hot-paths.ts, 042-done-jobs.ts and 044-batch-jobs-under-way.ts.

/** Jobs that can be claimed, now or later. The partial index `jobs_claimable` is used only with this exact text. */
export const isWaiting = sql<boolean>`jobs.worker is null and jobs.status in ('queued', 'processing')`;

/** Jobs under a lease. The condition on the time is always true, but lets the databases use the index on leases. */
export const isLeased = sql<boolean>`jobs.worker is not null and jobs.claimable_at >= 0`;

/** Cancelled batches with unfinished jobs. The text must equal that of the partial index `batches_cancelling`. */
export const isCancelling = sql<boolean>`batches.cancelled_at is not null and batches.finished_at is null`;

/** Jobs whose next attempt may begin. Excludes jobs that wait to be ended because their batch was cancelled. */
export const isWanted = sql<boolean>`(jobs.batch_id is null or jobs.batch_id not in (select batches.id from batches where ${isCancelling}))`;

/** An account's jobs, to find its few open ones. `is true` keeps SQLite from reading all jobs of the account. */
export function isOfAccount(accountId: string): RawBuilder<boolean> {
  return sql<boolean>`(jobs.account_id = ${accountId}) is true`;
}

export const isQueued = sql<boolean>`jobs.status = 'queued'`;

export const hasBegun = sql<boolean>`jobs.status = 'processing'`;

/** Jobs that have not ended. Their price is reserved. */
export const isUnderWay = sql<boolean>`jobs.status in ('queued', 'processing')`;

/** Unfinished jobs of batches. The text must equal that of the partial index `jobs_of_batch_under_way`. */
export const isOfBatchUnderWay = sql<boolean>`jobs.batch_id is not null and ${isUnderWay}`;

export const isOver = sql<boolean>`jobs.status in ('done', 'failed')`;

/** Jobs that ended without an image. The text must equal that of the partial index `jobs_failed`. */
export const isFailed = sql<boolean>`jobs.status = 'failed'`;

/** Jobs with an image. The text must equal that of the partial index `jobs_done`. */
export const isDone = sql<boolean>`jobs.status = 'done'`;
