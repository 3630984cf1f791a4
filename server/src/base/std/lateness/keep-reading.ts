import { setTimeout as sleep } from 'node:timers/promises';

/** The wait for a first reading: milliseconds are worth it, seconds are not. */
const firstMs = 200;

/**
 * Gives what was read last, at once, and reads again behind it once that is older than `freshMs`. Only the first caller waits, shortly,
 * and goes on with `none`. A reading that fails changes nothing and is tried again when it would have been too old. One that takes longer
 * than that is waited for, and no other begins beside it: readings have to end.
 */
export function keepReading<Read>({
  read,
  none,
  freshMs,
  nowMs,
  onError,
}: {
  read: () => Promise<Read>;
  none: Read;
  freshMs: number;
  nowMs: () => number;
  onError: (error: unknown) => void;
}): () => Promise<Read> {
  let known: Read | Promise<Read> = none;
  let askedAtMs: number | undefined;
  let isReading = false;
  return async () => {
    const isFirst = askedAtMs === undefined;
    if (isReading || (askedAtMs !== undefined && nowMs() - askedAtMs < freshMs)) return known;
    askedAtMs = nowMs();
    isReading = true;
    const late = read().then(
      (got) => {
        isReading = false;
        known = got;
        return got;
      },
      (error: unknown) => {
        isReading = false;
        onError(error);
        return none;
      },
    );
    if (isFirst) known = Promise.race([late, sleep(firstMs, none, { ref: false })]);
    return known;
  };
}
