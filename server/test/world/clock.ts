import type { Clock } from '../../src/base/std/clock.ts';

/** A clock that runs like the real one, shifted by a test. */
export class HeldClock implements Clock {
  offsetMs = 0;
  /** The real clock's time when this one was stopped; undefined while it runs. */
  stoppedAtMs: number | undefined;
  #passedMs = 0;

  nowMs(): number {
    return (this.stoppedAtMs ?? Date.now()) + this.offsetMs;
  }

  monotonicMs(): number {
    return performance.now() + this.#passedMs;
  }

  advance(ms: number): void {
    this.offsetMs += ms;
    this.#passedMs += ms;
  }

  /** Sets the clock forward or back, as an operator would, without time passing. */
  jump(ms: number): void {
    this.offsetMs += ms;
  }
}
