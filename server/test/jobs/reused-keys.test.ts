import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayMs } from '../../src/accounts/retention/retention.ts';
import { sweepKeys } from '../../src/jobs/upkeep/keep-retention.ts';
import { keep, stepAtOnce } from '../world/expire.ts';
import { openWorld } from '../world/world.ts';

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
