import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

const slices = 10;
// The longest real wait, as a multiple of `ms`. By then, the caller's client has gone.
const mostFactor = 3;

/** Waits for `ms` in which this process could run: an answer that came in time counts even if it is read late. */
export async function patiently<T>(work: Promise<T>, ms: number): Promise<T | 'not in time' | 'own delay'> {
  const giveUpAt = performance.now() + ms * mostFactor;
  const pending = Symbol('pending');
  for (let slice = 0; slice < slices; slice += 1) {
    const waited = new AbortController();
    const timer = sleep(ms / slices, pending, { signal: waited.signal, ref: false }).catch(() => pending);
    const seen = await Promise.race([work, timer]);
    waited.abort();
    if (seen !== pending) return seen as T; // the only other
    await nextTurn();
    if (performance.now() > giveUpAt) return Promise.race([work, 'own delay' as const]);
  }
  return Promise.race([work, nextTurn('not in time' as const)]);
}
