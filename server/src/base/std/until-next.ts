/** A timer can expire a few milliseconds early by the clock of `performance`; both bounds leave room. */
const earlyShare = 0.1;
const mostEarlyMs = 50;

/**
 * The milliseconds until the process has run for the next whole multiple of `everyMs`. Timers set this way expire
 * together, so an idle process wakes once for all. After a timer that expired early, its multiple counts as reached.
 */
export function untilNext(everyMs: number, now = performance.now()): number {
  const leftMs = everyMs - (now % everyMs);
  return leftMs < Math.min(everyMs * earlyShare, mostEarlyMs) ? leftMs + everyMs : leftMs;
}
