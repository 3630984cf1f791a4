import { appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { plainPng } from '../test/world/provider.ts';
import { listen } from './listen.ts';
import { directives } from './load/directives.ts';
import { obeyHarness, sayReady } from './messages.ts';
import type { ProviderMood } from './plan.ts';
import { seeded } from './random.ts';

/** An upstream that sometimes fails. Its log shows when, and by which worker, each job was retried. */
const [, , seed = '1', logFile = ''] = process.argv;
const random = seeded(Number(seed));
let mood: ProviderMood | null = null;
let moodEndsAt = 0;

interface Asked {
  jobId: string;
  prompt: string;
  attempt: number;
  width: number;
  height: number;
  pid: number;
}

obeyHarness((order) => {
  if (order.order !== 'provider') return;
  mood = order.mood;
  moodEndsAt = performance.now() + order.ms;
});
sayReady(
  await listen(
    createServer((request, response) => void answer(request, response).catch(() => response.destroy())),
  ),
);

// Usually one answer in two hundred is a failure. While the stub misbehaves, half of its answers fail or never come.
const usualFailures = 0.005;
const moodyFailures = 0.5;
// A silent stub takes longer than the server waits, so that the answer comes after the server has stopped listening.
const silentMs = 9_000;
// A slow answer takes longer than the request's deadline, if it has one, and longer than clients wait before
// cancelling.
const slowMs = 2_500;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = JSON.parse(await text(request)) as Asked; // only our stub provider sends requests
  const path = request.url ?? '';
  const { prompt, ...rest } = asked;
  appendFileSync(logFile, `${JSON.stringify({ path, at: Date.now(), ...rest })}\n`);
  await sleep(random.between(10, 60));
  if (prompt.includes(directives.slow)) await sleep(slowMs);
  const current = performance.now() < moodEndsAt ? mood : null;
  const fails = current === 'silent' || random.chance(current ? moodyFailures : usualFailures);
  if (fails) return misbehave(current ?? 'refusing', asked, response);
  if (prompt.includes(directives.refuse)) return send(response, 400, 'text/plain', Buffer.from('not this'));
  if (path === '/submit')
    return send(
      response,
      200,
      'application/json',
      Buffer.from(JSON.stringify({ id: `task-${asked.jobId}` })),
    );
  send(response, 200, 'image/png', plainPng(asked.width, asked.height));
}

async function misbehave(
  how: ProviderMood,
  { width, height }: Asked,
  response: ServerResponse,
): Promise<void> {
  switch (how) {
    case 'slow':
      await sleep(random.between(1_000, 5_000));
      return send(response, 200, 'image/png', plainPng(width, height));
    case 'silent':
      await sleep(silentMs);
      return send(response, 200, 'image/png', plainPng(width, height));
    case 'closing':
      response.destroy();
      return;
    case 'refusing': {
      const status = random.pick([429, 500, 503]);
      if (status === 429) response.setHeader('retry-after', '1');
      return send(response, status, 'text/plain', Buffer.from('not now'));
    }
    case 'lying': {
      const png = plainPng(width, height);
      const lie = random.pick([
        Buffer.alloc(0),
        Buffer.from('<html>'),
        png.subarray(0, png.length / 2),
        plainPng(64, 64),
      ]);
      return send(response, 200, random.pick(['image/png', 'text/html']), lie);
    }
  }
}

function send(response: ServerResponse, status: number, type: string, body: Uint8Array): void {
  response.writeHead(status, { 'content-type': type, 'content-length': body.byteLength }).end(body);
}
