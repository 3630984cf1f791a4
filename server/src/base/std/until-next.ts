/** Timers can expire a few milliseconds early by the clock of `performance`. Both bounds allow for that. */
const earlyShare = 0.1;
const mostEarlyMs = 50;

/**
 * The milliseconds until the process has run for the next whole multiple of `everyMs`. Such timers expire together, so
 * an idle process wakes once for all. If a timer expires early, its multiple counts as reached.
 */
export function untilNext(everyMs: number, now = performance.now()): number {
  const leftMs = everyMs - (now % everyMs);
  return leftMs < Math.min(everyMs * earlyShare, mostEarlyMs) ? leftMs + everyMs : leftMs;
}
