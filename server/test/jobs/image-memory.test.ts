import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { test } from 'node:test';
import sharp from 'sharp';
import { createGuard } from '../../src/base/guard/guard.ts';
import { createByteBudget } from '../../src/base/std/memory/byte-budget.ts';
import { limitTime } from '../../src/jobs/queue/limit-time.ts';
import { createOpenAi } from '../../src/upstream/providers/openai/openai.ts';
import { openWorld, testRoutes } from '../world/world.ts';

// More than a connection buffers: once this much has been sent, the reader has begun.
const padding = ' '.repeat(16_000_000);
/** The memory for one answer, which counts as twice its size. */
const oneImage = 40_000_000;

/** An upstream that accepts all requests at once, and completes its first answer only on command. */
async function startUpstream() {
  const create = { width: 1024, height: 1024, channels: 3, background: '#888' } as const;
  const png = await sharp({ create }).png().toBuffer();
  const answer = `${JSON.stringify({ data: [{ b64_json: png.toString('base64') }] })}${padding}`;
  const begun = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  let [requests, first]: [number, ServerResponse | undefined] = [0, undefined];
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      requests += 1;
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length });
      if (first) response.end(answer);
      else {
        first = response;
        response.write(answer.slice(0, -1), () => begun.resolve());
      }
      if (requests === 3) asked.resolve();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    begun: begun.promise,
    /** Resolves when three requests have arrived. */
    asked: asked.promise,
    endFirst: () => first?.end(answer.slice(-1)),
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

for (const [imageBytes, outcome] of [
  [oneImage, 'waits until the one before it is stored'],
  [2 * oneImage, 'does not wait where there is memory for two'],
] as const)
  test(`every job sends its request at once, and the image of the next one ${outcome}`, async () => {
    using upstream = await startUpstream();
    const provider = createOpenAi(
      { model: 'local', baseUrl: upstream.url, sizes: 'exact' },
      {},
      createGuard({ allowNetworks: [] }),
    );
    await using world = await openWorld({
      replacements: { routes: testRoutes(provider) },
      config: { worker: { ...workerPolicy, imageBytes } },
    });
    const first = await world.create();
    await upstream.begun;
    const others = [await world.create(), await world.create()];
    await upstream.asked;
    const of = async (id: string) => (await world.send('GET', `/jobs/${id}`, { headers: wait })).body.status;
    if (imageBytes > oneImage) for (const id of others) await world.finished(id);
    else assert.deepEqual(await Promise.all(others.map(of)), ['processing', 'processing']);
    assert.equal(await of(first), 'processing');
    upstream.endFirst();
    for (const id of [first, ...others]) assert.equal((await world.finished(id)).status, 'done');
  });

const wait = { prefer: 'wait=1' };
const workerPolicy = {
  concurrency: 64,
  leaseMs: 20_000,
  heartbeatMs: 5_000,
  pollMs: 250,
  jobTimeoutMs: 60_000,
  drainMs: 1_000,
};

test('memory is given in the order of waiting, at most all of it, and not to those that gave up', async () => {
  const { signal } = new AbortController();
  const budget = createByteBudget(10, () => undefined);
  const first = await budget.take(6, signal);
  const took: string[] = [];
  const note = (name: string) => (memory: Disposable) => {
    took.push(name);
    return memory;
  };
  const large = budget.take(100, signal).then(note('large'));
  const gaveUp = new AbortController();
  const impatient = budget.take(1, gaveUp.signal);
  const small = budget.take(4, signal).then(note('small'));
  gaveUp.abort('enough');
  await assert.rejects(impatient, (reason) => reason === 'enough');
  await assert.rejects(budget.take(1, gaveUp.signal), (reason) => reason === 'enough');
  assert.deepEqual(took, [], 'four are free, but the large one came first');
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  (await large)[Symbol.dispose]();
  await small;
  assert.deepEqual(took, ['large', 'small']);
});

test('memory that was given back is reclaimed before it would exceed the budget by more than a quarter', async () => {
  const { signal } = new AbortController();
  let reclaimed = 0;
  const budget = createByteBudget(8, () => (reclaimed += 1));
  const use = async (bytes: number) => (await budget.take(bytes, signal))[Symbol.dispose]();
  await use(8);
  assert.equal(reclaimed, 0, 'nothing was given back before');
  const held = await budget.take(2, signal);
  assert.equal(reclaimed, 0, 'ten of eight may be in use');
  await use(1);
  assert.equal(reclaimed, 1);
  const rest = [await budget.take(2, signal), await budget.take(4, signal)];
  for (const nth of [1, 2, 3, 4, 5, 6, 7]) {
    const next = budget.take(4, signal);
    rest.pop()?.[Symbol.dispose]();
    rest.push(await next);
    assert.equal(reclaimed, 1 + nth, 'each time four of eight are given back while all are wanted');
  }
  for (const one of [held, ...rest]) one[Symbol.dispose]();
});

test('small images are reclaimed many at a time, even while others wait', async () => {
  const { signal } = new AbortController();
  let reclaimed = 0;
  const budget = createByteBudget(128, () => (reclaimed += 1));
  const attempts = Array.from({ length: 320 }, async () => (await budget.take(4, signal))[Symbol.dispose]());
  await Promise.all(attempts);
  assert.ok(reclaimed >= 30 && reclaimed <= 40, `${reclaimed} times`);
});

test('while an attempt waits for memory, its own time is stopped, but its job’s is not', async ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const { signal } = new AbortController();
  const memory = createByteBudget(1, () => undefined);
  for (const [leftMs, endsInWaiting] of [
    [10_000, false],
    [2_500, true],
  ] as const) {
    let ended = false;
    const held = await memory.take(1, signal);
    const limit = limitTime({ timeoutMs: 1_000, leftMs: () => leftMs, memory }, () => (ended = true));
    mock.timers.tick(999);
    const waiting = limit.memory.take(1, signal);
    mock.timers.tick(3_000);
    assert.equal(ended, endsInWaiting);
    held[Symbol.dispose]();
    (await waiting)[Symbol.dispose]();
    mock.timers.tick(1_000);
    assert.equal(ended, true, 'once it has its memory, time goes on');
    limit[Symbol.dispose]();
  }
});
