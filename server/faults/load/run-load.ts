import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './client.ts';
import { drawKind } from './kinds.ts';

// Enough concurrent requests for the server to write many jobs together. More would only measure the client.
const maxUnderWay = 48;
const lookAgainMs = 100;

export async function runLoad(
  client: Client,
  {
    requests,
    minutes,
    mayBegin,
  }: {
    requests: number;
    minutes: number;
    /** Whether the load may continue after this share of it, from 0 to 1. */
    mayBegin: (part: number) => boolean;
  },
): Promise<void> {
  const { log, random, signal } = client;
  const underWay = new Set<Promise<void>>();
  const beganAt = performance.now();
  for (let number = 0; number < requests && !signal.aborted; number++) {
    await sleep(Math.max(0, beganAt + (number / requests) * minutes * 60_000 - performance.now()));
    while (underWay.size >= maxUnderWay) await Promise.race(underWay);
    while (!mayBegin(number / requests) && !signal.aborted) await sleep(lookAgainMs);
    const kind = drawKind(random);
    log.kinds.set(kind.name, (log.kinds.get(kind.name) ?? 0) + 1);
    const sent = kind.run(client, number).finally(() => underWay.delete(sent));
    underWay.add(sent);
  }
  await Promise.all(underWay);
}
