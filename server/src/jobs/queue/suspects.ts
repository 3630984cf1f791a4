import type { AttemptFailure } from '../job.ts';

// Most workers that die were killed from outside: by a deploy, by the system, with their machine. Twice a job is simply retried.
const freeLosses = 2;
// A quarter of its slots: suspects finish soon, and few of those beside a killer become suspects of the next death.
const fewShare = 4;

/**
 * The most jobs that a worker may run beside this one, itself included. After two lost workers a job is a suspect: it
 * runs among few others, all suspects, then alone, so that the death of its worker shows which job was to blame.
 */
export function companyOf(failures: readonly AttemptFailure[], slots: number): number {
  const losses = lossesOf(failures);
  if (losses < freeLosses) return Number.POSITIVE_INFINITY;
  return losses === freeLosses ? Math.max(1, Math.floor(slots / fewShare)) : 1;
}

/** The workers it has lost that did not live on. */
export function lossesOf(failures: readonly AttemptFailure[]): number {
  return failures.filter(({ kind, livedOn }) => kind === 'lost' && !livedOn).length;
}

/** Whether an attempt that begins after these failures runs alone in its worker, however many slots that has. */
export function runsAlone(failures: readonly AttemptFailure[]): boolean {
  return companyOf(failures, Number.POSITIVE_INFINITY) === 1;
}

/** Whether the number of jobs beside it is limited: those of a job, or of a worker. */
export function isSuspect({ company }: { company: number }): boolean {
  return company < Number.POSITIVE_INFINITY;
}
