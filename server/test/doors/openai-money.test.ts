import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { after, beforeEach, test } from 'node:test';
import OpenAI from 'openai';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { pauseJobs, resumeJobs } from '../../src/jobs/admission/pause-jobs.ts';
import { failure } from '../../src/upstream/providers/failure.ts';
import type { FailureKind } from '../../src/upstream/providers/provider.ts';
import { TestProvider } from '../world/provider.ts';
import { openWorld } from '../world/world.ts';

// A stop does not wait for these tests' images.
const worker = {
  concurrency: 64,
  leaseMs: 20_000,
  heartbeatMs: 5_000,
  pollMs: 50,
  jobTimeoutMs: 900_000,
  imageBytes: 1e9,
  drainMs: 50,
};
const world = await openWorld({ config: { worker } });
after(() => world[Symbol.asyncDispose]());
const { provider } = world;
const plain = new TestProvider();
beforeEach(() => {
  provider.handler = async (request) => plain.answer(request);
});

/** Counts the client's requests, because the test is about its retries. */
let sent = 0;
const client = openClient(world.key);
const model = 'nb2';

test('a failed image is not charged, and the client neither gets one nor retries', async () => {
  const cases: [kind: FailureKind, status: number, code: string, type: string][] = [
    ['safety_blocked', 400, 'moderation_blocked', 'image_generation_user_error'],
    ['no_image', 502, 'no_image', 'server_error'],
    ['invalid_input', 400, 'invalid_input', 'invalid_request_error'],
  ];
  for (const [kind, status, code, type] of cases) {
    provider.handler = () => Promise.reject(failure(kind));
    for (const stream of [false, true]) {
      const { error, requests } = await failing(async () => {
        const reply = await client.images.generate({ model, prompt: 'a fox', stream });
        if (stream) await Array.fromAsync(reply as unknown as AsyncIterable<unknown>);
      });
      assert.deepEqual([error.code, error.type, requests], [code, type, 1], `${kind}, stream: ${stream}`);
      assert.equal(error.status, stream ? undefined : status);
      const [id = ''] = idsOf(error.headers);
      assert.equal((await world.finished(id)).status, 'failed');
    }
  }
  assert.deepEqual(await world.balance(), { balance: '100.00', reserved: '0.00', available: '100.00' });
});

test('of several images, those that succeed are returned and paid for', async () => {
  let calls = 0;
  provider.handler = async (request) => {
    calls += 1;
    if (calls === 2) throw failure('safety_blocked');
    return plain.answer(request);
  };
  const before = await world.balance();
  const reply = await client.images.generate({ model, prompt: 'a fox', n: 3 });
  assert.equal(reply.data?.length, 2);
  assert.equal((reply.usage as { price?: string }).price, '0.08');
  assert.equal(cents(before.balance) - cents((await world.balance()).balance), 8);
});

test('several images are all accepted or none, and without money the client does not retry', async () => {
  const { key } = await world.account('poor', { creditMicros: 100_000n });
  const poor = openClient(key);
  const { error, requests } = await failing(() => poor.images.generate({ model, prompt: 'a fox', n: 3 }));
  assert.deepEqual([error.status, error.code, requests], [402, 'insufficient_quota', 1]);
  assert.match(error.message, /These 3 jobs cost 0.12 and 0.10 is available/);
  assert.equal(idsOf(error.headers).length, 0);
  assert.equal((await poor.images.generate({ model, prompt: 'a fox', n: 2 })).data?.length, 2);
});

test('with a key, the same request gives the same images, paid for once, and another request is refused', async () => {
  const before = await world.balance();
  const ask = (headers: Record<string, string>, n = 2) =>
    client.images.generate({ model, prompt: 'an owl', n }, { headers }).withResponse();
  const headers = { 'idempotency-key': randomUUID() };
  const [first, second] = await Promise.all([ask(headers), ask(headers)]);
  assert.deepEqual(idsOf(second.response.headers), idsOf(first.response.headers));
  assert.deepEqual(second.data.data, first.data.data);
  const again = await ask(headers);
  assert.equal(again.response.headers.get('idempotent-replayed'), 'true');
  const { error } = await failing(() => ask(headers, 3));
  assert.deepEqual([error.status, error.code], [400, 'idempotency_key_reused']);
  assert.equal(cents(before.balance) - cents((await world.balance()).balance), 8);
});

test('a pause is temporary, so the client retries and gets its image', async () => {
  await pauseJobs(world.app, { scope: model, reason: null, until: null }, commandLine);
  const patient = openClient(world.key, () => resumeJobs(world.app, { scope: model }, commandLine));
  const counted = sent;
  assert.equal((await patient.images.generate({ model, prompt: 'a fox' })).data?.length, 1);
  assert.equal(sent - counted, 2);
});

test('a client that hangs up does not stop its job, which is done, paid for and readable', async () => {
  const made = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  provider.handler = async (request) => {
    begun.resolve();
    await made.promise;
    return plain.answer(request);
  };
  const before = await world.balance();
  const leaving = new AbortController();
  const asked = client.images.generate(
    { model, prompt: 'a fox that nobody waits for' },
    { signal: leaving.signal },
  );
  await begun.promise;
  leaving.abort();
  await assert.rejects(asked);
  made.resolve();
  const { body } = await world.send('GET', '/jobs?limit=1');
  const [job] = body.data as { job_id: string; prompt: string }[];
  assert.equal(job?.prompt, 'a fox that nobody waits for');
  assert.equal((await world.finished(job?.job_id ?? '')).status, 'done');
  assert.equal(cents(before.balance) - cents((await world.balance()).balance), 4);
});

test('a stopping server says that the image will still be made, and the client retries, with a key and without', async () => {
  const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let calls = 0;
  provider.handler = async (_request, { signal }) => {
    begun[calls]?.resolve();
    calls += 1;
    await once(signal, 'abort');
    throw signal.reason;
  };
  const before = await world.balance();
  const headers = { 'idempotency-key': randomUUID() };
  const asked = Promise.all(
    [{}, headers].map((more) =>
      failing(() => client.images.generate({ model, prompt: 'a fox' }, { headers: more, maxRetries: 0 })),
    ),
  );
  await Promise.all(begun.map(({ promise }) => promise));
  const restarted = world.restart();
  const errors = (await asked).map(({ error }) => error);
  provider.handler = async (request) => plain.answer(request);
  await restarted;
  for (const { status, code } of errors) assert.deepEqual([status, code], [504, 'still_under_way']);
  assert.deepEqual(
    errors.map((error) => error.headers?.get('x-should-retry')),
    ['true', 'true'],
  );
  const ids = errors.flatMap((error) => idsOf(error.headers));
  for (const id of ids) assert.equal((await world.finished(id)).status, 'done');
  const again = await openClient(world.key)
    .images.generate({ model, prompt: 'a fox' }, { headers })
    .withResponse();
  assert.deepEqual(idsOf(again.response.headers), ids.slice(1));
  assert.equal(cents(before.balance) - cents((await world.balance()).balance), 8);
});

/** `beforeRetry` runs in place of the wait that the server requests. */
function openClient(apiKey: string, beforeRetry?: () => Promise<void>): OpenAI {
  return new OpenAI({
    baseURL: `${world.url}/v1`,
    apiKey,
    async fetch(url, init) {
      sent += 1;
      const response = await fetch(url, init);
      if (!beforeRetry || !response.headers.has('retry-after')) return response;
      await beforeRetry();
      const headers = new Headers(response.headers);
      headers.set('retry-after-ms', '1');
      return new Response(response.body, { status: response.status, headers });
    },
  });
}

async function failing(ask: () => Promise<unknown>) {
  const before = sent;
  const error = await ask().then(
    () => assert.fail('it did not fail'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof OpenAI.APIError, String(error));
  return { error, requests: sent - before };
}

function idsOf(headers: Headers | undefined): string[] {
  return headers?.get('darkroom-job-id')?.split(', ') ?? [];
}

const cents = (amount: string) => Math.round(Number(amount) * 100);
