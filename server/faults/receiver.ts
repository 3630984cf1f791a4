import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { plainPng } from '../test/world/provider.ts';
import { listen } from './listen.ts';
import { obeyHarness, sayReady } from './messages.ts';
import type { ReceiverMood } from './plan.ts';

/** Receives webhooks and logs them. The harness trusts this log instead of the sender's. */
const [, , logFile = ''] = process.argv;
let mood: ReceiverMood | null = null;
let moodEndsAt = 0;

obeyHarness((order) => {
  if (order.order !== 'receiver') return;
  mood = order.mood;
  moodEndsAt = performance.now() + order.ms;
});
sayReady(
  await listen(
    createServer((request, response) => void take(request, response).catch(() => response.destroy())),
  ),
);

const slowMs = 4_000;

/** The image that jobs from a URL download. It is served here, because only the download is under test. */
const image = plainPng(320, 240);

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'image/png' }).end(image);
    return;
  }
  const body = await text(request);
  const current = performance.now() < moodEndsAt ? mood : null;
  if (current === 'down') {
    response.destroy();
    return;
  }
  if (current === 'slow') await sleep(slowMs);
  const accepted = current !== 'refusing';
  const id = request.headers['webhook-id'];
  const hash = createHash('sha256').update(withoutWhatChanges(body)).digest('hex');
  const { data } = JSON.parse(body) as { data?: { job_id?: string; batch_id?: string } }; // the sender's format, checked loosely
  const jobId = data?.job_id ?? data?.batch_id;
  appendFileSync(logFile, `${JSON.stringify({ id, jobId, hash, accepted, at: Date.now() })}\n`);
  response.writeHead(accepted ? 204 : 500).end();
}

/**
 * Removes what may change between deliveries: each delivery signs links again, because they expire after 24 hours, and
 * an image's placeholder may come after its job is done.
 */
function withoutWhatChanges(body: string): string {
  return body
    .replaceAll(/("https?:[^"?]*)\?[^"]*"/g, '$1"')
    .replace(/"thumbhash":"[^"]*"/, '"thumbhash":null');
}
