import { type Actor, insertAuditEntry } from '../accounts/audit-store.ts';
import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { isUuid } from '../std/ids.ts';
import { type Cancellable, cancelUpstream } from './cancel-upstream.ts';
import { unknownJob } from './get-job.ts';
import type { Job } from './job.ts';
import { findJob, lockJob } from './job-store.ts';
import { settleIfUnchanged } from './settle-jobs.ts';

export interface CancelDeps {
  database: Database;
  /** With their providers; empty in a process without workers. */
  routes: { list(): readonly Cancellable[] };
  onSettled(jobIds: string[]): void;
  /** A running attempt lost its lease, in this process or another. */
  onTakenAway(): void;
}

/**
 * Cancels a job that has not ended, and releases its money. A running attempt loses its lease: its result is
 * dropped, and its worker aborts it once told. If the job was waiting for a retry, its request upstream is
 * cancelled from here.
 *
 * @throws AppError `not_found`; `job_not_cancellable` once it has ended
 */
export async function cancelJob(
  { database, routes, onSettled, onTakenAway }: CancelDeps,
  { accountId, jobId }: { accountId: string; jobId: string },
  by?: Actor,
): Promise<Job> {
  if (!isUuid(jobId)) throw unknownJob();
  const { before, worker, job } = await database.transaction(async (tx) => {
    const held = await lockJob(tx, jobId.toLowerCase());
    if (held?.job.accountId !== accountId) throw unknownJob();
    const { job: before, worker } = held;
    const settlement = { jobId: before.id, attempt: before.attempt, worker, outcome: outcomeFor(before) };
    const settled = before.finishedAt === null ? await settleIfUnchanged(tx, [settlement]) : [];
    const entry = { action: 'job.cancelled', accountId, subject: before.id, detail: {} };
    if (by && settled.length > 0) await insertAuditEntry(tx, by, entry);
    return { before, worker, job: settled.length > 0 ? await findJob(tx, before.id) : undefined };
  });
  if (!job) {
    throw new AppError(
      'job_not_cancellable',
      `Only a job that has not ended can be cancelled; this one is ${before.status}.`,
    );
  }
  onSettled([job.id]);
  if (worker !== null) onTakenAway();
  else cancelUpstream(job, { database, routes });
  return job;
}

function outcomeFor({ status }: Job) {
  const when = status === 'queued' ? 'before it began' : 'while it was being made';
  return { status: 'failed', error: `The job was cancelled ${when}.`, errorCode: 'cancelled' } as const;
}
