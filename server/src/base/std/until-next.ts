/** A multiple this near, as a share of `everyMs`, is skipped, because timers can expire a few milliseconds early. */
const earlyShare = 0.1;
const mostEarlyMs = 50;

/** The milliseconds until the next multiple of `everyMs`. Timers that expire together wake an idle process once. */
export function untilNext(everyMs: number, now = performance.now()): number {
  const leftMs = everyMs - (now % everyMs);
  return leftMs < Math.min(everyMs * earlyShare, mostEarlyMs) ? leftMs + everyMs : leftMs;
}
