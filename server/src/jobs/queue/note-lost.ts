import type { AttemptFailure } from '../job.ts';
import { processStopped } from '../routes/retry-rules.ts';
import type { LostJob } from './lease-store.ts';
import { runsAlone } from './suspects.ts';

/** The known workers that this job has lost. */
export function workersOf({ job, worker }: LostJob): string[] {
  return [worker, ...job.failures.flatMap(({ kind, detail }) => (kind === 'lost' && detail ? [detail] : []))];
}

/** Adds a loss. If the worker of an earlier loss has reported since, that loss no longer counts. Pure. */
export function noteLost(
  { job, worker, leaseEndedAt }: LostJob,
  now: number,
  seen: ReadonlyMap<string, number>,
): AttemptFailure[] {
  const failure: AttemptFailure = {
    attempt: job.attempt,
    at: now,
    route: job.route,
    kind: 'lost',
    message: processStopped,
    detail: worker,
    ...(runsAlone(job.failures) && { alone: true }),
  };
  return [
    ...job.failures.map((one) => (one.kind === 'lost' ? judge(one, one.at, seen) : one)),
    judge(failure, leaseEndedAt, seen),
  ];
}

function judge(failure: AttemptFailure, at: number, seen: ReadonlyMap<string, number>): AttemptFailure {
  const livedOn = failure.livedOn || (seen.get(failure.detail ?? '') ?? 0) > at;
  return livedOn ? { ...failure, livedOn, alone: false } : failure;
}
