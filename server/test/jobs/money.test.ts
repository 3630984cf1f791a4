import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startApp } from '../../src/app.ts';
import { ProviderError } from '../../src/upstream/providers/provider.ts';
import { assertProblem, assertRefused } from '../http/support/refusal.ts';
import { bearer, postText, textBody } from '../http/support/requests.ts';
import { changePrice, noFile } from '../world/change-model.ts';
import { TestProvider } from '../world/provider.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld, testRoutes, type World } from '../world/world.ts';

const refusing = async () => {
  throw new ProviderError('safety_blocked', 'The prompt was refused.');
};

async function balanceOf(world: World, key: string) {
  return (await world.send('GET', '/balance', { headers: bearer(key) })).body;
}

test('overspend race: 500 parallel creates with credit for 50 jobs get exactly 50 × 202 and 450 × 402', async () => {
  await using world = await openWorld({ worker: false });
  const { key, accountId } = await world.account('racer', { creditMicros: 2_000_000n });
  const replies = await Promise.all(Array.from({ length: 500 }, () => postText(world, {}, bearer(key))));
  const count = (wanted: number) => replies.filter(({ status }) => status === wanted).length;
  assert.deepEqual([count(202), count(402)], [50, 450]);
  for (const reply of replies) if (reply.status === 402) assertProblem(reply, 402, 'insufficient_funds');
  assert.deepEqual(await balanceOf(world, key), { balance: '2.00', reserved: '2.00', available: '0.00' });
  const jobs = await world.app.database.read
    .selectFrom('jobs')
    .select('id')
    .where('account_id', '=', accountId)
    .execute();
  assert.equal(jobs.length, 50);
});

test('overspend race over two servers on one database: no job too many', async () => {
  await using world = await openWorld({ worker: false });
  await using second = await startApp(world.config, { clock: world.clock, log: silentLog });
  const { key } = await world.account('racer', { creditMicros: 400_000n });
  const statuses = await Promise.all(
    Array.from({ length: 100 }, async (_, i) => {
      const response = await fetch(`${i % 2 ? second.url : world.url}/api/v1/nb2/text-generations`, {
        method: 'POST',
        headers: { ...bearer(key), 'content-type': 'application/json' },
        body: JSON.stringify(textBody),
      });
      await response.arrayBuffer();
      return response.status;
    }),
  );
  assert.deepEqual(Map.groupBy(statuses, (status) => status).get(202)?.length, 10);
  assert.deepEqual(Map.groupBy(statuses, (status) => status).get(402)?.length, 90);
  assert.deepEqual(await balanceOf(world, key), { balance: '0.40', reserved: '0.40', available: '0.00' });
});

test('creates that race with jobs that release their money lose nothing', async () => {
  await using world = await openWorld();
  const { key } = await world.account('racer', { creditMicros: 400_000n });
  world.provider.handler = refusing;
  const replies = await Promise.all(Array.from({ length: 100 }, () => postText(world, {}, bearer(key))));
  for (const { status } of replies) assert.ok(status === 202 || status === 402, String(status));
  for (const { status, body } of replies) if (status === 202) await world.finished(String(body.job_id), key);
  assert.deepEqual(await balanceOf(world, key), { balance: '0.40', reserved: '0.00', available: '0.40' });
});

test('H13: three jobs of 0.10 from 0.30 leave exactly 0.00, and the fourth is 402', async () => {
  await using world = await openWorld();
  const { key } = await world.account('decimals', { creditMicros: 300_000n });
  const send = () =>
    world.send('POST', '/text-generations', {
      body: { prompt: 'a fox', aspect_ratio: '1:1', resolution: '2K' },
      headers: bearer(key),
    });
  const ids: string[] = [];
  for (let i = 0; i < 3; i += 1) {
    const reply = await send();
    assert.equal(reply.status, 202);
    ids.push(String(reply.body.job_id));
  }
  assert.equal((await balanceOf(world, key)).available, '0.00');
  const refused = await assertRefusedNow(world, send);
  assert.deepEqual([refused.body.available, refused.body.required], ['0.00', '0.10']);
  for (const id of ids) assert.equal((await world.finished(id, key)).status, 'done');
  assert.deepEqual(await balanceOf(world, key), { balance: '0.00', reserved: '0.00', available: '0.00' });
  assertProblem(await send(), 402, 'insufficient_funds');
});

/** Like `assertRefused`, but while jobs run, whose states may change. */
async function assertRefusedNow(world: World, send: () => ReturnType<World['send']>) {
  const reply = await send();
  assertProblem(reply, 402, 'insufficient_funds');
  const entries = await world.app.database.read
    .selectFrom('entries')
    .select('id')
    .where('kind', '=', 'reserve')
    .execute();
  assert.equal(entries.length, 3);
  return reply;
}

test('done captures the whole price, failed releases it', async () => {
  await using world = await openWorld();
  const good = await world.create('/text-generations', { resolution: '4K' });
  assert.equal((await world.finished(good)).status, 'done');
  assert.deepEqual(await world.balance(), { balance: '99.85', reserved: '0.00', available: '99.85' });
  world.provider.handler = refusing;
  const bad = await world.create('/text-generations', { resolution: '4K' });
  const job = await world.finished(bad);
  assert.deepEqual([job.status, job.error_code], ['failed', 'safety_blocked']);
  assert.deepEqual(await world.balance(), { balance: '99.85', reserved: '0.00', available: '99.85' });
});

test('prices have at least two and at most six decimals, and amounts stay exact to the last', async () => {
  await using world = await openWorld({
    worker: false,
    config: { models: { ...noFile, prices: { nb: { '1K': '0.039001' } } } },
  });
  const jobId = await world.create('/nb/text-generations');
  assert.equal((await world.send('GET', `/jobs/${jobId}`)).body.price, '0.039001');
  assert.deepEqual(await world.balance(), {
    balance: '100.00',
    reserved: '0.039001',
    available: '99.960999',
  });
});

test('a price that is larger than any amount stops the start, and does not count as zero', async () => {
  const models = { ...noFile, prices: { nb: { '1K': '9999999999' } } };
  await assert.rejects(openWorld({ worker: false, config: { models } }), /prices\.nb\.1K is not a price/);
});

test('the price of a job is fixed when it is admitted', async () => {
  await using world = await openWorld({ worker: false });
  const jobId = await world.create();
  await changePrice(world, 'nb2', '0.09');
  assert.equal((await world.send('GET', `/jobs/${await world.create()}`)).body.price, '0.09');
  assert.equal((await world.send('GET', `/jobs/${jobId}`)).body.price, '0.04');
  assert.equal((await world.balance()).reserved, '0.13');
});

test('cancelling a queued job releases its money; a job that has ended is 409', async () => {
  const provider = new TestProvider();
  const release = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  provider.handler = async (request) => {
    begun.resolve();
    await release.promise;
    return provider.answer(request);
  };
  await using world = await openWorld({ replacements: { routes: testRoutes(provider, { slots: 1 }) } });
  const running = await world.create();
  await begun.promise;
  const queued = await world.create();
  assert.equal((await world.balance()).reserved, '0.08');

  const { status, body } = await world.send('POST', `/jobs/${queued.toUpperCase()}/cancel`);
  assert.equal(status, 200);
  assert.deepEqual(
    [body.job_id, body.status, body.error_code, body.started_at, body.result],
    [queued, 'failed', 'cancelled', null, null],
  );
  assert.match(String(body.error), /\.$/);
  assert.ok(body.finished_at);
  assert.equal((await world.balance()).reserved, '0.04');

  const cancel = (id: string) => () => world.send('POST', `/jobs/${id}/cancel`);
  await assertRefused(world, cancel(queued), 409, 'job_not_cancellable');
  release.resolve();
  assert.equal((await world.finished(running)).status, 'done');
  await assertRefused(world, cancel(running), 409, 'job_not_cancellable');
  assert.deepEqual(await world.balance(), { balance: '99.96', reserved: '0.00', available: '99.96' });
});

test('a job cancelled and claimed at the same moment has one end', async () => {
  await using world = await openWorld();
  for (let round = 0; round < 20; round += 1) {
    const jobId = await world.create();
    const { status } = await world.send('POST', `/jobs/${jobId}/cancel`);
    const job = await world.finished(jobId);
    assert.equal(job.status, status === 200 ? 'failed' : 'done');
  }
});
