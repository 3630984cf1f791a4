import { type Actor, insertAuditEntry } from '../accounts/audit-store.ts';
import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { isUuid } from '../std/ids.ts';
import { unknownJob } from './get-job.ts';
import type { Job } from './job.ts';
import { findJob } from './job-store.ts';
import { settleIfUnchanged } from './settle-jobs.ts';

/**
 * Cancels a job that nobody has begun, and releases its money.
 *
 * @throws AppError `not_found`; `job_not_cancellable` once it was begun
 */
export async function cancelJob(
  { database, onSettled }: { database: Database; onSettled: (jobIds: string[]) => void },
  { accountId, jobId }: { accountId: string; jobId: string },
  by?: Actor,
): Promise<Job> {
  if (!isUuid(jobId)) throw unknownJob();
  const { job, cancelled } = await database.transaction(async (tx) => {
    const before = await findJob(tx, jobId.toLowerCase());
    if (before?.accountId !== accountId) throw unknownJob();
    const settled = await settleIfUnchanged(tx, [
      { jobId: before.id, attempt: 0, worker: null, outcome: cancelledByClient },
    ]);
    const entry = { action: 'job.cancelled', accountId, subject: before.id, detail: {} };
    if (by && settled.length > 0) await insertAuditEntry(tx, by, entry);
    return { job: (await findJob(tx, before.id)) ?? before, cancelled: settled.length > 0 };
  });
  if (!cancelled) {
    throw new AppError(
      'job_not_cancellable',
      `Only a queued job can be cancelled; this one is ${job.status}.`,
    );
  }
  onSettled([job.id]);
  return job;
}

const cancelledByClient = {
  status: 'failed',
  error: 'The job was cancelled before it began.',
  errorCode: 'cancelled',
} as const;
