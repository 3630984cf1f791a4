import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PauseScope } from '../../src/jobs/admission/pause-store.ts';
import { assertProblem, assertRefused } from '../http/support/refusal.ts';
import { eventually, postText } from '../http/support/requests.ts';
import { openOperator } from '../world/commands.ts';
import { TestProvider } from '../world/provider.ts';
import { openWorld, type Reply, testRoutes, type World } from '../world/world.ts';

function operatorBeside({ config }: World) {
  return openOperator({ DARKROOM_DATA_DIR: config.dataDir, DATABASE_URL: config.databaseUrl });
}

async function pausedModels({ send }: World): Promise<Record<string, string | null>> {
  const { body } = await send('GET', '/models');
  const models = body.data as { id: string; paused: boolean; pause_reason: string | null }[]; // the documented shape
  return Object.fromEntries(models.filter(({ paused }) => paused).map((one) => [one.id, one.pause_reason]));
}

/**
 * Sends requests until an answer has this status. Every request that is sent a second from now or later must have it.
 */
async function withinASecond(send: () => Promise<Reply>, wanted: number): Promise<Reply> {
  for (const began = performance.now(); ; ) {
    const sentAfter = performance.now() - began;
    const reply = await send();
    if (reply.status === wanted) return reply;
    assert.ok(sentAfter < 1_000, `still ${reply.status}`);
  }
}

for (const [scope, code, affected] of [
  ['project', 'project_paused', ['nb', 'nb2', 'pro']],
  ['nb2', 'model_paused', ['nb2']],
] as const) {
  test(`a pause of ${scope} by an operator takes effect within a second, and so does its end`, async () => {
    await using world = await openWorld({ worker: false });
    await using operator = await operatorBeside(world);
    const before = await world.create();
    await operator.pause(scope, { reason: 'new lamps' });
    const reply = await withinASecond(() => postText(world), 503);
    assertProblem(reply, 503, code);
    await assertRefused(world, () => postText(world), 503, code);
    assert.equal(reply.headers.get('retry-after'), '30');
    assert.deepEqual(await pausedModels(world), Object.fromEntries(affected.map((id) => [id, 'new lamps'])));

    assert.equal((await world.send('GET', `/jobs/${before}`)).status, 200);
    assert.equal((await world.send('GET', '/balance')).status, 200);
    const other = await world.send('POST', '/nb/text-generations', {
      body: { prompt: 'a fox', aspect_ratio: '1:1' },
    });
    assert.equal(other.status, scope === 'nb2' ? 202 : 503);

    await operator.resume(scope);
    await withinASecond(() => postText(world), 202);
    assert.deepEqual(await pausedModels(world), {});
    await operator.resume(scope); // the second time changes nothing
  });
}

test('a pause with an end says when to retry, and ends by itself', async () => {
  await using world = await openWorld({ worker: false });
  await using operator = await operatorBeside(world);
  await operator.pause('pro', { for: 3_600 });
  const pro = () =>
    world.send('POST', '/text-generations', { body: { prompt: 'a fox', aspect_ratio: '1:1' } });
  const reply = await assertRefused(world, pro, 503, 'model_paused');
  const retryAfter = Number(reply.headers.get('retry-after'));
  assert.ok(retryAfter > 3_500 && retryAfter <= 3_600, String(retryAfter));

  await operator.pause('pro', { reason: 'shorter', for: 60 });
  const soon = Number((await assertRefused(world, pro, 503, 'model_paused')).headers.get('retry-after'));
  assert.ok(soon > 0 && soon <= 60, String(soon));
  await world.elapse(60_000);
  await eventually(pro, ({ status }) => status === 202);
  assert.deepEqual(await pausedModels(world), {});
});

test('a pause of the project comes before one of the model', async () => {
  await using world = await openWorld({ worker: false });
  await using operator = await operatorBeside(world);
  for (const scope of ['nb2', 'project'] satisfies PauseScope[]) await operator.pause(scope);
  await assertRefused(world, () => postText(world), 503, 'project_paused');
  await operator.resume('project');
  await assertRefused(world, () => postText(world), 503, 'model_paused');
});

test('H15: while paused, running jobs finish, and queued ones wait with their money reserved', async () => {
  const provider = new TestProvider();
  const begun = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  provider.handler = async (request) => {
    begun.resolve();
    await release.promise;
    return provider.answer(request);
  };
  await using world = await openWorld({ replacements: { routes: testRoutes(provider, { slots: 1 }) } });
  await using operator = await operatorBeside(world);
  const running = await world.create();
  await begun.promise;
  const waiting = await world.create();
  await operator.pause('nb2');
  release.resolve();
  assert.equal((await world.finished(running)).status, 'done');

  // A later job of another model is done, which shows that the worker has looked for work since.
  assert.equal((await world.finished(await world.create('/nb/text-generations'))).status, 'done');
  const { body } = await world.send('GET', `/jobs/${waiting}`);
  assert.deepEqual([body.status, body.started_at], ['queued', null]);
  assert.equal((await world.balance()).reserved, '0.04');

  await operator.resume('nb2');
  assert.equal((await world.finished(waiting)).status, 'done');
  assert.deepEqual(await world.balance(), { balance: '99.90', reserved: '0.00', available: '99.90' });
});

test('a queued job can be cancelled while its model is paused', async () => {
  await using world = await openWorld({ worker: false });
  await using operator = await operatorBeside(world);
  const jobId = await world.create();
  await operator.pause('project');
  assert.equal((await world.send('POST', `/jobs/${jobId}/cancel`)).status, 200);
  assert.equal((await world.balance()).reserved, '0.00');
});

test('a pause outlives a restart', async () => {
  await using world = await openWorld({ worker: false });
  await using operator = await operatorBeside(world);
  await operator.pause('nb2', { reason: 'new lamps' });
  await world.restart();
  await assertRefused(world, () => postText(world), 503, 'model_paused');
});
