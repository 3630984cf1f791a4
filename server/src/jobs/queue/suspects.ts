import type { AttemptFailure } from '../job.ts';

// The number of losses that make a job a suspect. One is not enough, because most dead workers are killed from outside,
// for example by a deploy.
const freeLosses = 2;
// A suspect's worker uses a quarter of its slots, so that few jobs share the blame for its death.
const fewShare = 4;

/** The maximum number of jobs in a worker with this job: few after two lost workers, only this job after three. */
export function companyOf(failures: readonly AttemptFailure[], slots: number): number {
  const losses = lossesOf(failures);
  if (losses < freeLosses) return Number.POSITIVE_INFINITY;
  return losses === freeLosses ? Math.max(1, Math.floor(slots / fewShare)) : 1;
}

/** The number of workers lost by the job, without those that have reported again. */
export function lossesOf(failures: readonly AttemptFailure[]): number {
  return failures.filter(({ kind, livedOn }) => kind === 'lost' && !livedOn).length;
}

/** Whether an attempt after these failures runs alone in its worker, regardless of the worker's slots. */
export function runsAlone(failures: readonly AttemptFailure[]): boolean {
  return companyOf(failures, Number.POSITIVE_INFINITY) === 1;
}

/** Whether a job or worker limits how many jobs run together. */
export function isSuspect({ company }: { company: number }): boolean {
  return company < Number.POSITIVE_INFINITY;
}
