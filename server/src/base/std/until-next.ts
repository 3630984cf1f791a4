/**
 * The milliseconds until the process has run for the next whole multiple of `everyMs`. Timers that are set this way
 * expire together, so an idle process wakes once for all of them.
 */
export function untilNext(everyMs: number, now = performance.now()): number {
  return everyMs - (now % everyMs);
}
