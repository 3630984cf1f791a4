import { quantileOf } from '../../../../base/std/duration-classes.ts';
import type { Pause } from '../../../../jobs/admission/pause-store.ts';

/** The states, from best to worst. */
export const publicStates = ['up', 'slow', 'paused', 'down'] as const;
export type PublicState = (typeof publicStates)[number];

export interface Outcomes {
  done: number;
  /** The number of failures of the service itself, without those that a request caused. */
  failed: number;
  /** True if several accounts had failures, so that one account's requests cannot be the cause. */
  isShared: boolean;
  durations: readonly { durationClass: number; count: number }[];
}

/** The number of jobs below which nothing is known about a model. */
const fewestJobs = 5;
/** The share of jobs that must have succeeded. With less, the model counts as slow, because retries take time. */
const usualPart = 0.98;
const leastPart = 0.5;
/** A model counts as slow if its jobs take longer than this multiple of their usual time. */
const slowFactor = 2;

export function decidePublicState({
  pause,
  open,
  closed,
  recent,
  usual,
}: {
  pause: Pause | undefined;
  /** The number of routes that get no jobs. */
  open: number;
  closed: number;
  /** The outcomes of the last two hours. */
  recent: Outcomes;
  /** The outcomes of the days before. */
  usual: Outcomes;
}): PublicState {
  if (pause) return 'paused';
  if (closed === 0) return 'down';
  const byJobs = stateOf({ ...recent, isShared: recent.isShared || open > 0 });
  if (byJobs === 'down') return 'down';
  if (open > 0 || byJobs === 'slow' || takesLonger(recent, usual)) return 'slow';
  return 'up';
}

/** Judges a day by its outcomes; null if there are too few. No single account can make the service look down. */
export function stateOf({
  done,
  failed,
  isShared,
}: Omit<Outcomes, 'durations'>): 'up' | 'slow' | 'down' | null {
  const ended = done + failed;
  if (ended < fewestJobs) return null;
  if (isShared && done < ended * leastPart) return 'down';
  return done < ended * usualPart ? 'slow' : 'up';
}

/** The percentage of jobs that succeeded, rounded down so that 100 means no failure; null for too few jobs. */
export function availabilityOf({ done, failed }: Pick<Outcomes, 'done' | 'failed'>): number | null {
  const ended = done + failed;
  return ended < fewestJobs ? null : Math.floor((done / ended) * 10_000) / 100;
}

function takesLonger(recent: Outcomes, usual: Outcomes): boolean {
  if (recent.done < fewestJobs || usual.done < fewestJobs) return false;
  const [now, before] = [quantileOf(recent.durations, 0.5), quantileOf(usual.durations, 0.5)];
  return now !== null && before !== null && now > before * slowFactor;
}
