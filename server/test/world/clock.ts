import type { Clock } from '../../src/std/clock.ts';

/** A clock that runs with the real one, shifted by what a test says. */
export class HeldClock implements Clock {
  offsetMs = 0;

  nowMs(): number {
    return Date.now() + this.offsetMs;
  }

  advance(ms: number): void {
    this.offsetMs += ms;
  }
}
