import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { assertProblem, assertRefused } from '../http/support/refusal.ts';
import { bearer, eventually, postText } from '../http/support/requests.ts';
import { TestProvider } from '../world/provider.ts';
import { openWorld, testRoutes } from '../world/world.ts';
import { openMember, openOperator } from './browser.ts';

function heldProvider() {
  const provider = new TestProvider();
  const { promise, resolve } = Promise.withResolvers<void>();
  provider.handler = async (request) => {
    await promise;
    return provider.answer(request);
  };
  return { provider, release: () => resolve() };
}

const running = 10;
const queued = 100;

suite('changes in the panel while jobs run', () => {
  test(`a model paused with ${running} jobs running and ${queued} queued: creates are refused, running ones finish, queued ones wait for the end of the pause`, async () => {
    const { provider, release } = heldProvider();
    await using world = await openWorld({
      replacements: { routes: testRoutes(provider, { slots: running }) },
    });
    const operator = await openOperator(world);
    const jobIds = await Promise.all(Array.from({ length: running + queued }, () => world.create()));
    const countOf = async (status: string) => {
      const { body } = await world.send('GET', `/jobs?model=nb2&status=${status}&limit=100`);
      return (body.data as unknown[]).length; // the documented shape
    };
    await eventually(
      async () => provider.requests.length,
      (count) => count === running,
    );
    const params = { scope: 'nb2' };
    await operator.call('PUT /admin/v1/pauses/:scope', { params, body: { reason: 'new lamps' } });
    await assertRefused(world, () => postText(world), 503, 'model_paused');

    release();
    await eventually(
      () => countOf('done'),
      (count) => count === running,
    );
    // A later job of another model is done, which shows that the worker has looked for work since.
    assert.equal((await world.finished(await world.create('/nb/text-generations'))).status, 'done');
    assert.equal(await countOf('queued'), queued);
    assert.equal((await world.balance()).reserved, '4.00');

    await operator.call('DELETE /admin/v1/pauses/:scope', { params });
    for (const jobId of jobIds) assert.equal((await world.finished(jobId)).status, 'done');
    assert.deepEqual(await world.balance(), { balance: '95.58', reserved: '0.00', available: '95.58' });
    assert.equal(provider.requests.length, running + queued + 1);
  });

  test('a key is disabled while its job runs: polls with it are 401, and the job is done and charged once', async () => {
    const { provider, release } = heldProvider();
    await using world = await openWorld({ replacements: { routes: testRoutes(provider) } });
    const member = await openMember(world, { email: 'ada@example.com' });
    const { key: secret, ...key } = await member.call('POST /api/v1/keys', {
      body: { name: 'app', models: null },
    });
    const jobId = await world.create('/nb2/text-generations', {}, bearer(secret));
    const poll = (text: string) => world.send('GET', `/jobs/${jobId}`, { headers: bearer(text) });
    await eventually(
      () => poll(secret),
      ({ body }) => body.status === 'processing',
    );
    await member.call('POST /api/v1/keys/:key_id/disable', {
      params: { key_id: key.key_id },
    });
    world.clock.advance(2_000); // after the second for which a process caches a key
    assertProblem(await poll(secret), 401, 'key_invalid');

    release();
    const job = await world.finished(jobId);
    assert.deepEqual([job.status, job.price], ['done', '0.04']);
    assertProblem(await poll(secret), 401, 'key_invalid');
    assert.deepEqual(await world.balance(), { balance: '99.96', reserved: '0.00', available: '99.96' });
    const { data } = await member.call('GET /api/v1/entries');
    const kinds = data.filter(({ job_id }) => job_id === jobId).map(({ kind }) => kind);
    assert.deepEqual(kinds.sort(), ['capture', 'reserve']);
  });
});
