import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import { readId } from '../../base/std/ids.ts';
import { AppError } from '../../errors.ts';
import { standInLineForJobs } from '../../money/ledger/ledger-store.ts';
import { unknownJob } from '../get-job.ts';
import type { Job } from '../job.ts';
import { findJob, lockJob } from '../job-store.ts';
import { type CancelledDeps, endCancelled, tellCancelled } from './end-cancelled.ts';

export type CancelDeps = CancelledDeps;

/** Cancels a job and releases its money. @throws AppError `not_found`; `job_not_cancellable` once the job has ended */
export async function cancelJob(
  deps: CancelDeps,
  { accountId, jobId }: { accountId: string; jobId: string },
  by?: Actor,
): Promise<Job> {
  const id = readId(jobId);
  if (id === undefined) throw unknownJob();
  const { before, cancelled, job } = await deps.database.transaction(async (tx) => {
    const [, held] = await Promise.all([standInLineForJobs(tx, [id]), lockJob(tx, id)]);
    if (held?.job.accountId !== accountId) throw unknownJob();
    const { job: before } = held;
    const cancelled = await endCancelled(tx, [held], deps);
    const entry = { action: 'job.cancelled' as const, accountId, subject: before.id, detail: {} };
    if (by && cancelled.length > 0) await insertAuditEntry(tx, by, entry);
    return { before, cancelled, job: cancelled.length > 0 ? await findJob(tx, before.id) : undefined };
  });
  if (!job) {
    throw new AppError(
      'job_not_cancellable',
      `Only a job that has not ended can be cancelled; this one is ${before.status}.`,
    );
  }
  tellCancelled(deps, cancelled);
  return job;
}
