import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Darkroom, type Job, WaitTimedOut } from '../src/index.ts';
import { FakeApi } from './fake-api.ts';

const requestTimeoutMs = 5_000;
const retryForMs = 90_000;

async function serve(...answers: ((response: ServerResponse) => void)[]) {
  const accepted: string[] = [];
  const server = createServer((request, response) => {
    accepted.push(request.headers.accept ?? '');
    answers.shift()?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a listening TCP server has an address
  return {
    accepted,
    darkroom: (maxRetries = 5) =>
      new Darkroom({
        baseUrl: `http://127.0.0.1:${port}`,
        apiKey: FakeApi.key,
        requestTimeoutMs,
        retryForMs,
        maxRetries,
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const eventOf = (status: Job['status']) =>
  `event: job\r\nid: ${status}\r\ndata: ${JSON.stringify({ job_id: 'a', status, prompt: 'ein Füchschen' })}\r\n\r\n`;

function stream(response: ServerResponse, ...statuses: Job['status'][]): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.write(`retry: 1000\n\n${statuses.map(eventOf).join(': no change\n\n')}`);
  return response;
}

test('a stream that breaks or ends early is opened again, and no change is reported twice', async () => {
  await using api = await serve(
    (response) => void setImmediate(() => stream(response, 'queued', 'processing').destroy()),
    (response) => void stream(response, 'processing').end(),
    (response) => {
      // Sent in pieces that split lines and characters.
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const byte of Buffer.from(eventOf('done'))) response.write(Buffer.from([byte]));
    },
  );
  const seen: string[] = [];
  const job = await api.darkroom().waitForJob('a', { onChange: ({ status }) => seen.push(status) });
  assert.deepEqual([job.status, job.prompt], ['done', 'ein Füchschen']);
  assert.deepEqual(seen.slice(-2), ['processing', 'done']);
  assert.equal(seen.filter((status) => status === 'processing').length, 1);
  assert.equal(api.accepted.length, 3);
});

test('a stream that breaks after more time than retries may take is opened again', async (t) => {
  const begun = Promise.withResolvers<ServerResponse>();
  await using api = await serve(
    (response) => begun.resolve(stream(response, 'processing')),
    (response) => void stream(response, 'done').end(),
  );
  const heard = Promise.withResolvers<void>();
  const waiting = api.darkroom().waitForJob('a', { onChange: () => heard.resolve() });
  await heard.promise;
  const now = performance.now.bind(performance);
  t.mock.method(performance, 'now', () => now() + retryForMs);
  const first = await begun.promise;
  first.write(eventOf('processing'), () => first.destroy());
  assert.equal((await waiting).status, 'done');
  assert.equal(api.accepted.length, 2);
});

test('behind a proxy that holds streams back, jobs are polled', async (t) => {
  const held = Promise.withResolvers<void>();
  await using api = await serve(
    () => held.resolve(),
    (response) => void response.end(JSON.stringify({ job_id: 'a', status: 'done' })),
    (response) => void response.end(JSON.stringify({ job_id: 'a', status: 'done' })),
  );
  const darkroom = api.darkroom(0);
  // Only the held request times out, however slow the machine is.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const first = darkroom.waitForJob('a');
  await held.promise;
  t.mock.timers.tick(requestTimeoutMs);
  assert.equal((await first).status, 'done');
  assert.equal((await darkroom.waitForJob('a')).status, 'done');
  assert.deepEqual(api.accepted, [
    'text/event-stream, application/json;q=0.5',
    'application/json',
    'application/json',
  ]);
});

test('a wait whose time is over closes the stream', async () => {
  // On a busy machine the wait may end before the stream arrives; then the client polls once more.
  const plain = (response: ServerResponse) =>
    void response.end(JSON.stringify({ job_id: 'a', status: 'processing' }));
  await using api = await serve((response) => void stream(response, 'processing'), plain, plain);
  await assert.rejects(api.darkroom().waitForJob('a', { timeoutMs: 1_100 }), (error) => {
    assert.ok(error instanceof WaitTimedOut);
    assert.equal(error.job.status, 'processing');
    return true;
  });
});
