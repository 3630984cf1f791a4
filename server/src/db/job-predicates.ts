import { sql } from 'kysely';

// Which jobs wait, run and are over, said once for all queries over the table of jobs. A change here is a change of the
// partial indexes in migrations/001-initial.ts and 005-hot-paths.ts.

/**
 * Jobs that may be claimed, now or once their next attempt is due, in the very words of the partial index
 * `jobs_claimable`: with others, or with parameters in their place, neither database uses it.
 */
export const isWaiting = sql<boolean>`jobs.worker is null and jobs.status in ('queued', 'processing')`;

/** Jobs under a lease. The time, which is always true, leads the databases to the index of leases. */
export const isLeased = sql<boolean>`jobs.worker is not null and jobs.claimable_at > 0`;

/** Jobs that no attempt has begun. */
export const isQueued = sql<boolean>`jobs.status = 'queued'`;

/** Jobs that an attempt has begun and none has ended. */
export const hasBegun = sql<boolean>`jobs.status = 'processing'`;

/** Jobs that have not ended: their price is reserved. */
export const isUnderWay = sql<boolean>`jobs.status in ('queued', 'processing')`;

/** Jobs that have ended, and never change again. */
export const isOver = sql<boolean>`jobs.status in ('done', 'failed')`;

/** Jobs with an image. */
export const isDone = sql<boolean>`jobs.status = 'done'`;
