import { setTimeout as sleep } from 'node:timers/promises';

/** Whether the work ends within `ms`, after which the client needs a sign of life. */
export async function isSettledSoon(work: Promise<unknown>, ms: number): Promise<boolean> {
  const settled = new AbortController();
  const soon = sleep(ms, false, { signal: settled.signal }).catch(() => true);
  void work.then(
    () => settled.abort(),
    () => settled.abort(),
  );
  return soon;
}
