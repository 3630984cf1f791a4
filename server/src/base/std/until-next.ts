/**
 * A multiple that is nearer than this share of `everyMs` is skipped: its timer has just expired, a few milliseconds
 * early.
 */
const earlyShare = 0.1;
const mostEarlyMs = 50;

/**
 * The milliseconds until the next multiple of `everyMs`. Such timers expire together, and so wake an idle process only
 * once.
 */
export function untilNext(everyMs: number, now = performance.now()): number {
  const leftMs = everyMs - (now % everyMs);
  return leftMs < Math.min(everyMs * earlyShare, mostEarlyMs) ? leftMs + everyMs : leftMs;
}
