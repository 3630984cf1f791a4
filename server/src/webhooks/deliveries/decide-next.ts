import type { AttemptResult } from './delivery.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** The wait after the first, second, … attempt: ten attempts over a little more than three days. */
export const waitsMs = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
] as const;
export const maxAttempts = waitsMs.length + 1;

// What failed together must not come back together.
const jitter = 0.1;

// Each is a process that died or stopped in the middle. An event that takes the process with it must end some day.
export const maxInterruptions = 20;

export type NextStep = { kind: 'delivered' } | { kind: 'retry'; delayMs: number } | { kind: 'failed' };

/** What was recorded of a delivery before the attempt that is decided on. */
export interface EarlierAttempts {
  /** Those that came to an end. */
  ended: number;
  interrupted: number;
}

export const noEarlierAttempts: EarlierAttempts = { ended: 0, interrupted: 0 };

/** What becomes of a delivery after one more attempt. Pure. */
export function decideNext(
  earlier: EarlierAttempts,
  { failure, retryAfterMs }: Pick<AttemptResult, 'failure' | 'retryAfterMs'>,
  random: () => number = Math.random,
): NextStep {
  if (failure === null) return { kind: 'delivered' };
  // It says nothing about the receiver, which may be waiting: it takes no place in the schedule.
  if (failure === 'interrupted') {
    const isLast = earlier.interrupted + 1 >= maxInterruptions;
    return isLast ? { kind: 'failed' } : { kind: 'retry', delayMs: 0 };
  }
  const waitMs = waitsMs[earlier.ended];
  if (waitMs === undefined || failure === 'gone') return { kind: 'failed' };
  const scheduledMs = Math.round(waitMs * (1 + jitter * (2 * random() - 1)));
  // A receiver can ask for more time, never for the attempts to be used up sooner.
  return { kind: 'retry', delayMs: Math.max(scheduledMs, retryAfterMs ?? 0) };
}
