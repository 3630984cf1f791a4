import type { AttemptFailure } from '../job.ts';

// Most dead workers were killed from outside: by a deploy, by the system, or with their machine. A job's first two
// losses only cause retries.
const freeLosses = 2;
// A suspect's worker uses a quarter of its slots: suspects still finish soon, and few share the blame for the next
// death.
const fewShare = 4;

/**
 * The maximum number of jobs that a worker may run while it runs this one, including it. After two lost workers a job
 * is a suspect. It then runs with a few other suspects, and after another loss alone, so that its worker's death shows
 * which job was to blame.
 */
export function companyOf(failures: readonly AttemptFailure[], slots: number): number {
  const losses = lossesOf(failures);
  if (losses < freeLosses) return Number.POSITIVE_INFINITY;
  return losses === freeLosses ? Math.max(1, Math.floor(slots / fewShare)) : 1;
}

/** The number of workers that the job has lost, without those that have reported again since. */
export function lossesOf(failures: readonly AttemptFailure[]): number {
  return failures.filter(({ kind, livedOn }) => kind === 'lost' && !livedOn).length;
}

/** Whether an attempt after these failures runs alone in its worker, however many slots the worker has. */
export function runsAlone(failures: readonly AttemptFailure[]): boolean {
  return companyOf(failures, Number.POSITIVE_INFINITY) === 1;
}

/** Whether a job, or a worker, limits how many jobs run together. */
export function isSuspect({ company }: { company: number }): boolean {
  return company < Number.POSITIVE_INFINITY;
}
