import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../listen.ts';
import { obeyHarness, sayReady } from '../messages.ts';
import type { ObjectsMood } from '../plan.ts';

/**
 * An S3 server that loses nothing, behind a proxy that cuts PUTs, loses answers, refuses requests and shows new objects
 * late.
 */
const [, , directory = '', ...buckets] = process.argv;
let mood: ObjectsMood | null = null;
let moodEndsAt = 0;
/** When each object becomes visible, by path. */
const hidden = new Map<string, number>();

obeyHarness((order) => {
  if (order.order !== 'objects') return;
  mood = order.mood;
  moodEndsAt = performance.now() + order.ms;
});

// The package has no types; these cover the parts used here.
const S3rver: new (options: object) => { run(): Promise<AddressInfo> } = createRequire(import.meta.url)(
  '@20minutes/s3rver',
);
const configureBuckets = buckets.map((name) => ({ name }));
const { port } = await new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory,
  configureBuckets,
}).run();
sayReady(
  await listen(createServer((incoming, answer) => void pass(incoming, answer).catch(() => answer.destroy()))),
);

// The share of failed requests while the proxy misbehaves, and the delay of late objects.
const moodyFailures = 0.5;
const hiddenMs = 3_000;
const slowMs = 1_500;

async function pass(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
  const current = performance.now() < moodEndsAt && Math.random() < moodyFailures ? mood : null;
  const path = incoming.url?.split('?')[0] ?? '';
  const isPut = incoming.method === 'PUT';
  // As with Amazon, an incomplete upload leaves no object.
  if (isPut && current === 'cutting') return void incoming.once('data', () => answer.destroy());
  const body = await buffer(incoming);
  if (current === 'busy') {
    answer.writeHead(503).end('<Error><Code>SlowDown</Code></Error>');
    return;
  }
  if (current === 'slow') await sleep(slowMs);
  if (isPut && current === 'late') hidden.set(path, performance.now() + hiddenMs);
  if (!isPut && performance.now() < (hidden.get(path) ?? 0)) {
    answer.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
    return;
  }
  const onward = request({
    port,
    host: '127.0.0.1',
    method: incoming.method,
    path: incoming.url,
    headers: incoming.headers,
  });
  onward.on('error', () => answer.destroy());
  onward.on('response', (from) => {
    if (current === 'forgetful') {
      from.resume();
      answer.destroy();
      return;
    }
    answer.writeHead(from.statusCode ?? 502, from.headers);
    from.pipe(answer);
  });
  onward.end(body);
}
