import { type AttemptResult, finalFailures } from '../delivery.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** The waits between attempts. All ten attempts together take a little more than three days. */
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

// Spreads retries, so that they do not coincide.
const jitter = 0.1;

// Ends the retries of an event that kills every process that sends it.
export const maxInterruptions = 20;

export type NextStep = { kind: 'delivered' } | { kind: 'retry'; delayMs: number } | { kind: 'failed' };

export interface EarlierAttempts {
  ended: number;
  interrupted: number;
}

export const noEarlierAttempts: EarlierAttempts = { ended: 0, interrupted: 0 };

export function decideNext(
  earlier: EarlierAttempts,
  { failure, retryAfterMs }: Pick<AttemptResult, 'failure' | 'retryAfterMs'>,
  random: () => number = Math.random,
): NextStep {
  if (failure === null) return { kind: 'delivered' };
  // An interrupted attempt is repeated immediately, outside the schedule: the receiver may be waiting for the event.
  if (failure === 'interrupted') {
    const isLast = earlier.interrupted + 1 >= maxInterruptions;
    return isLast ? { kind: 'failed' } : { kind: 'retry', delayMs: 0 };
  }
  const waitMs = waitsMs[earlier.ended];
  if (waitMs === undefined || finalFailures.includes(failure)) return { kind: 'failed' };
  const scheduledMs = Math.round(waitMs * (1 + jitter * (2 * random() - 1)));
  // A receiver can delay the next attempt, but not bring it forward.
  return { kind: 'retry', delayMs: Math.max(scheduledMs, retryAfterMs ?? 0) };
}
