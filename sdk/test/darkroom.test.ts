import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Darkroom, DarkroomError, type Job, JobFailed, NetworkError, WaitTimedOut } from '../src/index.ts';
import { FakeApi } from './fake-api.ts';

function clientOf(api: FakeApi, options: Partial<ConstructorParameters<typeof Darkroom>[0]> = {}): Darkroom {
  return new Darkroom({ baseUrl: api.url, apiKey: FakeApi.key, ...options });
}

test('generate returns the finished job, and its image can be downloaded', async () => {
  await using api = await FakeApi.start();
  const darkroom = clientOf(api);
  const job = await darkroom.generate('nb2', { prompt: 'a red fox', aspect_ratio: '16:9', resolution: '2K' });
  assert.equal(job.status, 'done');
  const image = await darkroom.downloadImage(job);
  assert.equal(image.type, 'image/png');
  assert.deepEqual(Buffer.from(await image.arrayBuffer()), FakeApi.png);
});

test('each model and mode goes to its own path, with the body unchanged', async () => {
  await using api = await FakeApi.start();
  const darkroom = clientOf(api);
  const text = { prompt: 'a', aspect_ratio: '1:1' } as const;
  const url = { ...text, input_images_urls: ['https://example.com/a.png'] };
  await darkroom.createJob('nb', text);
  await darkroom.createJob('nb2', url);
  await darkroom.createJob('pro', text);
  await darkroom.createJob('pro', url);
  assert.deepEqual(
    api.received.map((request) => [request.method, request.path, request.body]),
    [
      ['POST', '/api/v1/nb/text-generations', text],
      ['POST', '/api/v1/nb2/url-generations', url],
      ['POST', '/api/v1/text-generations', text],
      ['POST', '/api/v1/url-generations', url],
    ],
  );
});

test('a lost answer to a create is retried with the same idempotency key and makes one job', async () => {
  await using api = await FakeApi.start();
  api.troubles.push('lost', 'lost');
  const retries: string[] = [];
  const darkroom = clientOf(api, { onRetry: ({ error }) => retries.push(error.name) });
  const created = await darkroom.createJob('nb', { prompt: 'a', aspect_ratio: '1:1' });
  assert.equal(api.jobs.length, 1);
  assert.equal(created.job_id, api.jobs[0]?.job_id);
  assert.equal(new Set(api.received.map((request) => request.headers['idempotency-key'])).size, 1);
  assert.deepEqual(retries, ['NetworkError', 'NetworkError']);
});

test('two calls use two idempotency keys; a given key is sent unchanged', async () => {
  await using api = await FakeApi.start();
  const darkroom = clientOf(api);
  await darkroom.createJob('nb', { prompt: 'a', aspect_ratio: '1:1' });
  await darkroom.createJob('nb', { prompt: 'a', aspect_ratio: '1:1' });
  await darkroom.createJob('nb', { prompt: 'a', aspect_ratio: '1:1' }, { idempotencyKey: 'mine' });
  const [first, second, third] = api.received.map((request) => request.headers['idempotency-key']);
  assert.notEqual(first, second);
  assert.equal(third, 'mine');
});

for (const status of [429, 502, 503, 504, 409]) {
  test(`${status} with Retry-After is retried after that time`, async () => {
    await using api = await FakeApi.start();
    api.troubles.push({ status, headers: { 'retry-after': '0' } });
    const delays: number[] = [];
    const balance = await clientOf(api, { onRetry: ({ delayMs }) => delays.push(delayMs) }).balance();
    assert.equal(balance.available, '9.94');
    assert.deepEqual(delays, [0]);
  });
}

test('500 is retried if that does nothing twice: for a create and a read, not for a cancel', async () => {
  await using api = await FakeApi.start();
  const darkroom = clientOf(api);
  api.troubles.push({ status: 500, headers: { 'retry-after': '0' } });
  const { job_id } = await darkroom.createJob('nb', { prompt: 'a', aspect_ratio: '1:1' });
  assert.equal(api.jobs.length, 1);
  api.troubles.push({ status: 500, headers: { 'retry-after': '0' } });
  assert.equal((await darkroom.balance()).available, '9.94');
  api.troubles.push({ status: 500, headers: { 'retry-after': '0' } });
  await assert.rejects(darkroom.cancelJob(job_id), { status: 500 });
});

test('address and key come from the environment unless they are given', async (context) => {
  await using api = await FakeApi.start();
  const { DARKROOM_URL, DARKROOM_API_KEY } = process.env;
  context.after(() => {
    for (const [name, text] of Object.entries({ DARKROOM_URL, DARKROOM_API_KEY }))
      if (text === undefined) delete process.env[name];
      else process.env[name] = text;
  });
  delete process.env.DARKROOM_URL;
  assert.throws(() => new Darkroom(), /baseUrl is missing: give it, or set DARKROOM_URL/);
  process.env.DARKROOM_URL = api.url;
  process.env.DARKROOM_API_KEY = FakeApi.key;
  await new Darkroom().balance();
  await assert.rejects(new Darkroom({ apiKey: 'dkc_token' }).balance(), { status: 401 });
  assert.deepEqual(
    api.received.map(({ headers }) => headers.authorization),
    [`Bearer ${FakeApi.key}`, 'Bearer dkc_token'],
  );
});

test('pauses between retries grow when the server names no time', async () => {
  await using api = await FakeApi.start();
  api.troubles.push({ status: 502 }, { status: 502 }, { status: 502 });
  const delays: number[] = [];
  const darkroom = clientOf(api, { maxRetries: 2, onRetry: ({ delayMs }) => delays.push(delayMs) });
  await assert.rejects(darkroom.balance(), { name: 'DarkroomError', status: 502, code: null });
  assert.equal(api.received.length, 3);
  assert.ok(delays[0] !== undefined && delays[0] >= 200 && delays[0] <= 300, String(delays));
  assert.ok(delays[1] !== undefined && delays[1] >= 400 && delays[1] <= 600, String(delays));
});

test('a final refusal is not retried, and the error contains everything in the answer', async () => {
  await using api = await FakeApi.start();
  const errors = [{ pointer: '/aspect_ratio', detail: 'Must be one of 1:1, 16:9.' }];
  api.troubles.push({
    status: 422,
    problem: { code: 'invalid_request', detail: 'The request is not valid.', errors },
  });
  const error = await clientOf(api)
    .createJob('nb2', { prompt: 'a', aspect_ratio: '1:1' })
    .catch((caught) => caught);
  assert.ok(error instanceof DarkroomError);
  assert.equal(api.received.length, 1);
  assert.equal(error.status, 422);
  assert.equal(error.code, 'invalid_request');
  assert.equal(error.message, 'The request is not valid.');
  assert.deepEqual(error.errors, errors);
  assert.equal(error.requestId, 'req_fake');
});

test('a Retry-After beyond the budget is left to the caller at once', async () => {
  await using api = await FakeApi.start();
  const problem = { code: 'model_paused', detail: 'nb is paused.' } as const;
  api.troubles.push({ status: 503, headers: { 'retry-after': '120' }, problem });
  await assert.rejects(clientOf(api).createJob('nb', { prompt: 'a', aspect_ratio: '1:1' }), (error) => {
    assert.ok(error instanceof DarkroomError);
    assert.equal(error.code, 'model_paused');
    assert.equal(error.retryAfterMs, 120_000);
    return true;
  });
  assert.equal(api.received.length, 1);
});

test('a server that cannot be reached is a NetworkError that says where and why', async () => {
  const api = await FakeApi.start();
  const { url } = api;
  await api[Symbol.asyncDispose]();
  const darkroom = new Darkroom({ baseUrl: url, apiKey: FakeApi.key, maxRetries: 0 });
  await assert.rejects(darkroom.balance(), (error) => {
    assert.ok(error instanceof NetworkError);
    assert.equal(error.message, `No answer from ${url}: the connection was refused`);
    return true;
  });
});

test('a server that stays silent is a NetworkError after the time-out', async () => {
  await using silent = await serve(() => {});
  const darkroom = new Darkroom({
    baseUrl: silent.url,
    apiKey: FakeApi.key,
    requestTimeoutMs: 50,
    maxRetries: 0,
  });
  await assert.rejects(darkroom.balance(), { name: 'NetworkError', message: /timed out$/ });
});

test('a page of another program at that address is reported as such and not retried', async () => {
  await using page = await serve((_request, response) => response.end('<html>hello</html>'));
  const darkroom = new Darkroom({
    baseUrl: page.url,
    apiKey: FakeApi.key,
    onRetry: () => assert.fail('retried'),
  });
  await assert.rejects(darkroom.balance(), {
    name: 'DarkroomError',
    message: /is not JSON. Is this the address/,
  });
});

test('aborting ends a pause between retries at once, with the reason given', async () => {
  await using api = await FakeApi.start();
  api.troubles.push({ status: 503, headers: { 'retry-after': '60' } });
  const stop = new AbortController();
  const darkroom = clientOf(api, { onRetry: () => stop.abort(new Error('enough')) });
  await assert.rejects(darkroom.balance({ signal: stop.signal }), { message: 'enough' });
});

test('waiting reports each change of status once and ends with the job', async () => {
  await using api = await FakeApi.start();
  const darkroom = clientOf(api);
  const { job_id } = await darkroom.createJob('nb', { prompt: 'a', aspect_ratio: '1:1' });
  const seen: Job['status'][] = [];
  const job = await darkroom.waitForJob(job_id, { onChange: (changed) => seen.push(changed.status) });
  assert.deepEqual(seen, ['processing', 'done']);
  assert.equal(job.status, 'done');
});

test('waiting asks the server to delay its answer and returns the moment the job ends', async () => {
  await using api = await FakeApi.start();
  api.held = true;
  const darkroom = clientOf(api);
  const { job_id } = await darkroom.createJob('nb', { prompt: 'a', aspect_ratio: '1:1' });
  await darkroom.getJob(job_id);
  const waiting = darkroom.waitForJob(job_id);
  const held = await api.arrival('GET', `/api/v1/jobs/${job_id}`);
  assert.equal(held.headers.prefer, undefined);
  while (api.received.at(-1)?.headers.prefer === undefined)
    await new Promise((resolve) => setImmediate(resolve));
  assert.equal(api.received.at(-1)?.headers.prefer, 'wait=30');
  api.release();
  assert.equal((await waiting).status, 'done');
});

test('a server that ignores Prefer is polled with growing pauses, not in a tight loop', async () => {
  await using api = await FakeApi.start();
  api.held = true;
  api.ignoresPrefer = true;
  const darkroom = clientOf(api);
  const { job_id } = await darkroom.createJob('nb', { prompt: 'a', aspect_ratio: '1:1' });
  await assert.rejects(darkroom.waitForJob(job_id, { timeoutMs: 1400 }), (error) => {
    assert.ok(error instanceof WaitTimedOut);
    assert.equal(error.job.status, 'processing');
    return true;
  });
  assert.ok(api.received.length <= 5, `${api.received.length} requests in 1.4 s`);
});

test('a wait can be aborted; the job continues', async () => {
  await using api = await FakeApi.start();
  api.held = true;
  const darkroom = clientOf(api);
  const { job_id } = await darkroom.createJob('nb', { prompt: 'a', aspect_ratio: '1:1' });
  const stop = new AbortController();
  const waiting = darkroom.waitForJob(job_id, {
    signal: stop.signal,
    onChange: () => stop.abort(new Error('enough')),
  });
  await assert.rejects(waiting, { message: 'enough' });
  assert.equal(api.jobs[0]?.status, 'processing');
});

test('a failed job throws JobFailed with the job and its reason', async () => {
  await using api = await FakeApi.start();
  api.outcome = { status: 'failed', error: 'The prompt was refused.', error_code: 'safety_blocked' };
  await assert.rejects(clientOf(api).generate('pro', { prompt: 'a', aspect_ratio: 'auto' }), (error) => {
    assert.ok(error instanceof JobFailed);
    assert.equal(error.message, 'The prompt was refused.');
    assert.equal(error.job.error_code, 'safety_blocked');
    return true;
  });
});

test('an expired link is replaced by a fresh one', async () => {
  await using api = await FakeApi.start();
  const darkroom = clientOf(api);
  const job = await darkroom.generate('nb', { prompt: 'a', aspect_ratio: '1:1' });
  api.expiredLinks.add(job.result.image_url);
  assert.equal((await darkroom.downloadImage(job)).size, FakeApi.png.length);
});

test('the API key is never sent to the host of the images', async () => {
  await using api = await FakeApi.start();
  const darkroom = clientOf(api);
  await darkroom.downloadImage(await darkroom.generate('nb', { prompt: 'a', aspect_ratio: '1:1' }));
  const fetched = await api.arrival('GET', '/images/');
  assert.equal(fetched.headers.authorization, undefined);
});

test('cancelling succeeds even if the first answer was lost', async () => {
  await using api = await FakeApi.start();
  const darkroom = clientOf(api);
  const { job_id } = await darkroom.createJob('nb', { prompt: 'a', aspect_ratio: '1:1' });
  api.troubles.push('lost');
  assert.equal((await darkroom.cancelJob(job_id)).error_code, 'cancelled');
});

test('a create that waits requests the job with the answer', async () => {
  await using api = await FakeApi.start();
  await clientOf(api).createJob('nb', { prompt: 'a', aspect_ratio: '1:1' }, { waitSeconds: 20 });
  assert.equal(api.received[0]?.headers.prefer, 'wait=20');
});

test('a job that has ended cannot be cancelled', async () => {
  await using api = await FakeApi.start();
  const darkroom = clientOf(api);
  const { job_id } = await darkroom.createJob('nb', { prompt: 'a', aspect_ratio: '1:1' });
  await darkroom.waitForJob(job_id);
  await assert.rejects(darkroom.cancelJob(job_id), {
    name: 'DarkroomError',
    status: 409,
    code: 'job_not_cancellable',
  });
});

test('lists pass their filters on and leave out what is not given', async () => {
  await using api = await FakeApi.start();
  await clientOf(api).listJobs({ limit: 5, status: 'done', metadata: { 'order no': '7&8' } });
  await clientOf(api).listJobs();
  await clientOf(api).listJobs({ q: 'fox dusk', tag: 'a&b', starred: true });
  assert.deepEqual(
    api.received.map((request) => request.path),
    [
      '/api/v1/jobs?limit=5&status=done&metadata%5Border+no%5D=7%268',
      '/api/v1/jobs',
      '/api/v1/jobs?q=fox+dusk&tag=a%26b&starred=true',
    ],
  );
});

test('models and balance are returned as the server sends them', async () => {
  await using api = await FakeApi.start();
  const darkroom = clientOf(api);
  assert.deepEqual(
    (await darkroom.models()).data.map((model) => [model.id, model.paused]),
    [
      ['nb', false],
      ['nb2', true],
    ],
  );
  assert.deepEqual(await darkroom.balance(), { balance: '10.00', reserved: '0.06', available: '9.94' });
});

test('an id cannot lead to another path', async () => {
  await using api = await FakeApi.start();
  await assert.rejects(clientOf(api).getJob('../balance'), { status: 404 });
  assert.equal(api.received[0]?.path, '/api/v1/jobs/..%2Fbalance');
});

test('the address may be given with or without the path of the API', async () => {
  await using api = await FakeApi.start();
  for (const baseUrl of [api.url, `${api.url}/`, `${api.url}/api/v1`, `${api.url}/api/v1/`]) {
    await new Darkroom({ baseUrl, apiKey: FakeApi.key }).balance();
  }
  assert.deepEqual(new Set(api.received.map((request) => request.path)), new Set(['/api/v1/balance']));
});

test('wrong options are refused at once, and an unusable key is not repeated in the error', () => {
  assert.throws(
    () => new Darkroom({ baseUrl: 'localhost:3000', apiKey: FakeApi.key }),
    /baseUrl must be an http/,
  );
  assert.throws(
    () => new Darkroom({ baseUrl: 'http://localhost:3000', apiKey: 'dk_secret\n' }),
    (error) => error instanceof TypeError && !error.message.includes('secret'),
  );
});

async function serve(listener: RequestListener): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // a listening TCP server has an address
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
