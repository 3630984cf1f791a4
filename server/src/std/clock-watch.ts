import type { Clock } from './clock.ts';

/**
 * Watches another clock by the time that passes here, and so tells waiting from being set forward. A clock that is set
 * back needs no such care here: nothing looks older than it is.
 */
export interface ClockWatch {
  /** Call it before asking for the time, and what it returns with the answer. */
  ask(): (shownMs: number) => void;
  /** A time that the clock showed, as it would show it had it been set then as it is now. */
  restate(shownMs: number): number;
  /** Whether it was set forward less than `ms` ago. */
  wasSetForwardWithin(ms: number): boolean;
}

interface Reading {
  shownMs: number;
  /** It showed that between these two moments of ours. */
  fromMs: number;
  toMs: number;
}

interface Step {
  /** The least that the clock can have shown after it. */
  fromMs: number;
  byMs: number;
  noticedMs: number;
}

// Clocks that are kept right are moved by less, and a few seconds more or less of waiting harm nobody.
const leastStepMs = 5_000;
// Older ones concern times that nobody asks about any more.
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

  /** A clock that was put right again: what it had been set forward by is gone. */
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
