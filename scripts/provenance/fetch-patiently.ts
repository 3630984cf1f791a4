import { setTimeout as sleep } from 'node:timers/promises';

/** Enough tries for a working installation to recover from a burst of the judges' requests. */
const mostTries = 100;

/** Repeats a request after `Retry-After` while the installation is busy: judges and upstream share its processors. */
export async function fetchPatiently(url: string, init: RequestInit = {}): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const answer = await fetch(url, init);
    if (answer.status !== 503 || tries === mostTries) return answer;
    await answer.arrayBuffer();
    await sleep(Number(answer.headers.get('retry-after') ?? 1) * 1000);
  }
}
