import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayMs } from '../../src/accounts/retention/retention.ts';
import { sweepKeys } from '../../src/jobs/upkeep/keep-retention.ts';
import type { ModelDefinition } from '../../src/upstream/catalog/model-definition.ts';
import { assertProblem, assertRefused } from '../http/support/refusal.ts';
import { changeModel } from '../world/change-model.ts';
import { expire, keep, stepAtOnce } from '../world/expire.ts';
import { TestProvider } from '../world/provider.ts';
import { openWorld, testRoutes } from '../world/world.ts';

test('a key whose first job was removed is free again, although a star keeps its second job', async () => {
  const stars = 2;
  await using world = await openWorld({ config: { retention: { stars } } });
  const ask = async () => {
    const response = await fetch(`${world.url}/v1/images/generations`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.key}`,
        'content-type': 'application/json',
        'idempotency-key': 'monthly',
      },
      body: JSON.stringify({ model: 'nb2', prompt: 'a fox', n: 2 }),
    });
    await response.text();
    return {
      status: response.status,
      jobs: response.headers.get('darkroom-job-id')?.split(', '),
      replayed: response.headers.get('idempotent-replayed'),
    };
  };
  const first = await ask();
  assert.equal(first.status, 200);
  await world.send('PUT', `/jobs/${first.jobs?.[1]}/star`);
  await world.elapse(31 * dayMs);
  await keep(world.app, { stars });
  assert.equal((await world.send('GET', `/jobs/${first.jobs?.[0]}`)).status, 404);
  assert.equal((await world.send('GET', `/jobs/${first.jobs?.[1]}`)).status, 200);
  const second = await ask();
  assert.deepEqual([second.status, second.replayed, second.jobs?.length], [200, null, 2]);
  const third = await ask();
  assert.deepEqual([third.status, third.replayed, third.jobs], [200, 'true', second.jobs]);
});

test('a key that was used again is remembered, although its earlier job is removed', async () => {
  const retention = { jobs: 90, idempotency: 30 };
  await using world = await openWorld({ config: { retention } });
  const headers = { 'idempotency-key': 'cover' };
  const ask = () =>
    world.send('POST', '/nb2/text-generations', { body: { prompt: 'a fox', aspect_ratio: '1:1' }, headers });
  const { database, images } = world.app;
  const first = await ask();
  await world.finished(String(first.body.job_id));
  await world.elapse(31 * dayMs);
  await sweepKeys({ database, images, retention, step: stepAtOnce(database) });
  await world.elapse(59.9 * dayMs);
  const second = await ask();
  assert.notEqual(second.body.job_id, first.body.job_id);
  await world.finished(String(second.body.job_id));
  await world.elapse(dayMs);
  await keep(world.app, retention);
  const third = await ask();
  assert.equal(third.body.job_id, second.body.job_id);
});

test('a create and a batch are repeated after the defaults of their model changed', async () => {
  const provider = new TestProvider();
  const parameters = { steps: 'x.steps' };
  const own = { id: 'flux/test', model: 'flux', provider, slots: 4, timeoutMs: 30_000, parameters };
  await using world = await openWorld({
    worker: false,
    replacements: { routes: [...testRoutes(provider), own] },
  });
  const sizing = { megapixels: 1, price: '0.03' };
  const flux = (steps: number, resolutions: ModelDefinition['resolutions']): ModelDefinition => ({
    ...{ id: 'flux', name: 'FLUX', modes: ['text'], ratios: ['1:1'], resolutions },
    parameters: { steps: { type: 'integer', minimum: 1, maximum: 50, default: steps } },
  });
  await changeModel(world, 'flux', () => flux(28, { HD: sizing }));
  const said = { prompt: 'a fox', aspect_ratio: '1:1' };
  const bodies = [
    { ...said, parameters: { steps: 28 } },
    { ...said, parameters: { steps: 30 } },
    { ...said, resolution: 'HD' },
  ];
  const create = (body: object, key: string) =>
    world.send('POST', '/flux/text-generations', { body, headers: { 'idempotency-key': key } });
  const createBatch = (all: readonly object[]) =>
    world.send('POST', '/batches', {
      body: { requests: all.map((body) => ({ model: 'flux', mode: 'text', body })) },
      headers: { 'idempotency-key': 'batch' },
    });
  const first = await Promise.all(bodies.map((body, index) => create(body, `one-${index}`)));
  const batch = await createBatch(bodies);
  assert.deepEqual(
    [...first, batch].map(({ status }) => status),
    [202, 202, 202, 202],
  );

  await changeModel(world, 'flux', () => flux(30, { HD: sizing, '1K': sizing }));
  for (const [index, body] of bodies.entries()) {
    const again = await create(body, `one-${index}`);
    assert.deepEqual([again.status, again.body], [202, first[index]?.body], JSON.stringify(body));
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    const other = { ...body, prompt: 'a cat' };
    assertProblem(await create(other, `one-${index}`), 422, 'idempotency_key_reused');
  }
  const batchAgain = await createBatch(bodies);
  assert.deepEqual([batchAgain.status, batchAgain.body.batch_id], [202, batch.body.batch_id]);
  assertProblem(await createBatch(bodies.slice(1)), 422, 'idempotency_key_reused');
});

test('a create and a batch are repeated after their origin was removed, and a new request with it is refused', async () => {
  await using world = await openWorld();
  const origin = { job_id: await world.create(), kind: 'edit' };
  await world.finished(origin.job_id);
  await world.elapse(2 * dayMs);
  const body = { prompt: 'a fox', aspect_ratio: '1:1', origin };
  const requests = [{ model: 'nb2', mode: 'text', body }];
  const send = (path: string, headers: Record<string, string>) =>
    world.send('POST', path, { body: path.startsWith('/batches') ? { requests } : body, headers });
  const single = await send('/nb2/text-generations', { 'idempotency-key': 'edit' });
  const batch = await send('/batches', { 'idempotency-key': 'edits' });
  assert.deepEqual([single.status, batch.status], [202, 202]);
  await expire(world.app, dayMs);
  await world.restart();
  assertProblem(await world.send('GET', `/jobs/${origin.job_id}`), 404, 'not_found');

  const again = await send('/nb2/text-generations', { 'idempotency-key': 'edit' });
  assert.deepEqual([again.status, again.body], [202, single.body]);
  const batchAgain = await send('/batches', { 'idempotency-key': 'edits' });
  assert.deepEqual([batchAgain.status, batchAgain.body.batch_id], [202, batch.body.batch_id]);

  for (const [path, pointer, more] of [
    ['/nb2/text-generations', '/origin/job_id', ''],
    ['/batches', '/requests/0/body/origin/job_id', ' Nothing was accepted.'],
  ] as const)
    for (const headers of [{}, { 'idempotency-key': 'new' }]) {
      const refused = await assertRefused(world, () => send(path, headers), 422, 'invalid_request');
      assert.equal(refused.body.detail, `${pointer} must be a job of this account.${more}`);
      assert.deepEqual(refused.body.errors, [{ pointer, detail: 'must be a job of this account.' }]);
      const quote = await send(`${path}?dry_run=true`, headers);
      assert.deepEqual([quote.status, quote.body.detail], [422, refused.body.detail]);
    }
});
