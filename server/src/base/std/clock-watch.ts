import type { Clock } from './clock.ts';

/** Detects forward jumps of another clock by comparison with this process's monotonic clock. */
export interface ClockWatch {
  /** Call this before you read the clock, and the returned function with the time that the clock showed. */
  ask(): (shownMs: number) => void;
  /** Adds the clock's later jumps to a time that it showed. */
  restate(shownMs: number): number;
  wasSetForwardWithin(ms: number): boolean;
}

interface Reading {
  shownMs: number;
  /** `fromMs` and `toMs` are the monotonic times before and after the clock was read. */
  fromMs: number;
  toMs: number;
}

interface Step {
  /** The earliest time that the clock can show after the jump. Any time before it was shown before the jump. */
  fromMs: number;
  byMs: number;
  noticedMs: number;
}

// The smallest jump that counts. Clock synchronisation makes smaller ones, and a few seconds do no harm.
const leastStepMs = 5_000;
// The maximum number of jumps kept. Times older than the dropped jumps are no longer used.
const maxSteps = 100;

export function createClockWatch(clock: Pick<Clock, 'monotonicMs'>): ClockWatch {
  const steps: Step[] = [];
  let last: Reading | undefined;

  function see(reading: Reading): void {
    if (last) {
      const shown = reading.shownMs - last.shownMs;
      const forward = shown - (reading.toMs - last.fromMs);
      const back = reading.fromMs - last.toMs - shown;
      if (forward > leastStepMs)
        steps.push({ fromMs: last.shownMs + forward, byMs: forward, noticedMs: reading.toMs });
      if (back > leastStepMs) takeBack(back);
      if (steps.length > maxSteps) steps.shift();
    }
    last = reading;
  }

  /** Cancels a jump forward if the clock was set back to correct it. */
  function takeBack(backMs: number): void {
    for (let left = backMs; left > 0; ) {
      const step = steps.at(-1);
      if (!step) return;
      const takenMs = Math.min(left, step.byMs);
      step.byMs -= takenMs;
      left -= takenMs;
      if (step.byMs < leastStepMs) steps.pop();
    }
  }

  return {
    ask() {
      const fromMs = clock.monotonicMs();
      return (shownMs) => see({ shownMs, fromMs, toMs: clock.monotonicMs() });
    },
    restate: (shownMs) =>
      steps.reduce((sum, { fromMs, byMs }) => (shownMs < fromMs ? sum + byMs : sum), shownMs),
    wasSetForwardWithin(ms) {
      const step = steps.at(-1);
      return step !== undefined && clock.monotonicMs() - step.noticedMs < ms;
    },
  };
}
