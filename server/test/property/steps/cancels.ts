import assert from 'node:assert/strict';
import { AppError } from '../../../src/errors.ts';
import { cancelBatch } from '../../../src/jobs/batches/cancel-batch.ts';
import { cancelJob } from '../../../src/jobs/cancel/cancel-job.ts';
import { end, isUnderWay } from '../model.ts';
import type { System } from '../system.ts';
import { index, type Kind, step } from './step.ts';

export const cancels: Record<string, Kind> = {
  cancel: { weight: 2, steps: index.map(cancel) },
  'cancel batch': { weight: 2, steps: index.map(cancelAll) },
};

const depsOf = ({ database }: System) => ({
  database,
  routes: { list: () => [] },
  onSettled: () => {},
  onTakenAway: () => {},
});

function cancel(i: number) {
  return step('cancel', i, async (state, system) => {
    const job = state.jobs[i % Math.max(1, state.jobs.length)];
    if (!job) return;
    const attempt = cancelJob(depsOf(system), { accountId: job.account.id, jobId: job.id });
    if (isUnderWay(job)) {
      assert.equal((await attempt).errorCode, 'cancelled');
      end(job, 'cancelled');
    } else
      await assert.rejects(
        attempt,
        (error) => error instanceof AppError && error.code === 'job_not_cancellable',
      );
  });
}

function cancelAll(i: number) {
  return step('cancel batch', i, async (state, system) => {
    const batch = state.batches[i % Math.max(1, state.batches.length)];
    if (!batch) return;
    const rest = batch.jobs.filter(isUnderWay);
    await cancelBatch(depsOf(system), { accountId: batch.account.id, batchId: batch.id });
    for (const job of rest) end(job, 'cancelled');
    if (rest.length > 0) batch.cancelled = true;
  });
}
