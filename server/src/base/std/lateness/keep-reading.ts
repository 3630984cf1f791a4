import { setTimeout as sleep } from 'node:timers/promises';

/** The longest wait for a first reading. A reading is worth a wait of milliseconds, but not of seconds. */
const firstMs = 200;

/**
 * Returns the last reading without waiting, and reads again in the background if it is older than `freshMs`. Only the
 * first caller waits briefly, and may get `none`. Readings do not overlap, so `read` must settle.
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
