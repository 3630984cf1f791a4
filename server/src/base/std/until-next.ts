/** A multiple nearer than this share of `everyMs` is skipped: its timer has just expired, some milliseconds early. */
const earlyShare = 0.1;
const mostEarlyMs = 50;

/** The milliseconds until the next multiple of `everyMs`. Timers that expire together wake the process only once. */
export function untilNext(everyMs: number, now = performance.now()): number {
  const leftMs = everyMs - (now % everyMs);
  return leftMs < Math.min(everyMs * earlyShare, mostEarlyMs) ? leftMs + everyMs : leftMs;
}
