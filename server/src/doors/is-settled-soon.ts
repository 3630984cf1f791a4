import { setTimeout as sleep } from 'node:timers/promises';

// Common proxies drop a connection that is silent for 30 to 60 s.
const keepAliveMs = 15_000;

/** Whether the work ends before the client has to hear that it goes on. */
export async function isSettledSoon(work: Promise<unknown>): Promise<boolean> {
  const settled = new AbortController();
  const soon = sleep(keepAliveMs, false, { signal: settled.signal }).catch(() => true);
  void work.then(
    () => settled.abort(),
    () => settled.abort(),
  );
  return soon;
}
