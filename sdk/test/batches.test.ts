import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openWorld, type World } from '../../server/test/world/world.ts';
import { type BatchRequest, BatchWaitTimedOut, Darkroom, NetworkError } from '../src/index.ts';

let world: World;
before(async () => {
  world = await openWorld({ worker: false });
});
after(() => world[Symbol.asyncDispose]());

function client(options: Partial<ConstructorParameters<typeof Darkroom>[0]> = {}): Darkroom {
  return new Darkroom({ baseUrl: world.url, apiKey: world.key, ...options });
}

function requests(count: number): BatchRequest[] {
  return Array.from({ length: count }, (_, index) => ({
    model: 'nb2',
    mode: 'text',
    body: { prompt: `Füchschen ${index}`, aspect_ratio: '1:1' },
  }));
}

test('a batch is created once, even if the first answer is lost', async () => {
  let tries = 0;
  const loseFirst: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    tries += 1;
    if (tries > 1) return response;
    await response.body?.cancel();
    throw new TypeError('lost');
  };
  const { batches } = client({ fetch: loseFirst });
  const created = await batches.create(requests(3));
  assert.deepEqual([tries, created.jobs, created.status], [2, 3, 'processing']);
  const { data } = await batches.list({ limit: 2 });
  assert.deepEqual(
    data.map(({ batch_id }) => batch_id),
    [created.batch_id],
  );
  assert.deepEqual(await batches.retrieve(created.batch_id), data[0]);
  assert.deepEqual(
    await batches.create(requests(3), { idempotencyKey: 'mine' }),
    await batches.create(requests(3), { idempotencyKey: 'mine' }),
  );
});

test('a quote of a batch creates nothing', async () => {
  const { batches } = client();
  const before = await batches.list();
  assert.deepEqual(await batches.quote(requests(2)), {
    jobs: 2,
    price: '0.08',
    prices: ['0.04', '0.04'],
    accepted: true,
    reasons: [],
    detail: null,
  });
  assert.deepEqual(await batches.list(), before);
});

function cutting(...lengths: number[]): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const most = String(input).endsWith('/results') ? lengths.shift() : undefined;
    if (most === undefined || !response.body) return response;
    let sent = 0;
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const rest = chunk.subarray(0, most - sent);
        sent += rest.length;
        controller.enqueue(rest);
        if (sent >= most) controller.error(new TypeError('cut'));
      },
    });
    return new Response(response.body.pipeThrough(cut), response);
  };
}

test('results continue where the connection broke, each once and in order', async () => {
  const { batch_id } = await client().batches.create(requests(250));
  const { batches } = client({ fetch: cutting(5_000, 60_000) });
  const seen = [];
  for await (const { index, job } of batches.results(batch_id)) seen.push([index, job.prompt]);
  assert.deepEqual(
    seen,
    requests(250).map(({ body }, index) => [index, body.prompt]),
  );
  const stuck = client({ fetch: cutting(10, 10) }).batches.results(batch_id);
  await assert.rejects(Array.fromAsync(stuck), NetworkError);
});

test('a wait reports the batch’s progress and ends with it; a timed-out wait leaves the batch alone', async () => {
  const { batches } = client();
  const { batch_id } = await batches.create(requests(4));
  await assert.rejects(batches.wait(batch_id, { timeoutMs: 0 }), (error) => {
    assert.ok(error instanceof BatchWaitTimedOut);
    assert.equal(error.batch.counts.queued, 4);
    return true;
  });
  const told: number[] = [];
  const ended = batches.wait(batch_id, { onChange: ({ counts }) => told.push(counts.failed) });
  assert.equal((await batches.cancel(batch_id)).status, 'cancelled');
  assert.equal((await ended).status, 'cancelled');
  assert.equal(told.at(-1), 4);
});

test('a batch’s images come as one archive', async () => {
  await using working = await openWorld();
  const { batches } = client({ baseUrl: working.url, apiKey: working.key });
  const { batch_id } = await batches.create(requests(11));
  const batch = await batches.wait(batch_id);
  assert.deepEqual([batch.status, batch.charged], ['done', batch.price]);
  const archive = Buffer.concat(await Array.fromAsync(batches.images(batch_id)));
  const entries = archive
    .toString('latin1')
    .split(`PK${String.fromCharCode(1, 2)}`)
    .slice(1);
  const names = entries.map((entry) => entry.slice(42).split(' ')[0]);
  assert.deepEqual(names, ['00', '01', '02', '03', '04', '05', '06', '07', '08', '09', '10']);
});
