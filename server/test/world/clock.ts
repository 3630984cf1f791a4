import type { Clock } from '../../src/base/std/clock.ts';

/** A clock that runs with the real one, shifted by what a test says. */
export class HeldClock implements Clock {
  offsetMs = 0;
  #passedMs = 0;

  nowMs(): number {
    return Date.now() + this.offsetMs;
  }

  monotonicMs(): number {
    return performance.now() + this.#passedMs;
  }

  /** Lets time pass. */
  advance(ms: number): void {
    this.offsetMs += ms;
    this.#passedMs += ms;
  }

  /** Sets the clock forward, or back, as an operator would: no time passes. */
  jump(ms: number): void {
    this.offsetMs += ms;
  }
}
