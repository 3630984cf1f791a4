import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { rollUp } from '../../src/jobs/activity/roll-up.ts';
import { countCosts } from '../../src/jobs/costs/count-margins-store.ts';
import type { Route } from '../../src/jobs/routes/route.ts';
import { failure } from '../../src/upstream/providers/failure.ts';
import { ProviderError } from '../../src/upstream/providers/provider.ts';
import { openOperator } from '../panel/browser.ts';
import { stepAtOnce } from '../world/expire.ts';
import { CreditProvider, creditsOf, TestProvider } from '../world/provider.ts';
import { toNoon } from '../world/to-noon.ts';
import { openWorld } from '../world/world.ts';

const dayMs = 24 * 60 * 60 * 1000;

test('a margin is the revenue less what images cost when they were made, whatever an estimate says later', async () => {
  const provider = new CreditProvider();
  const shared = { model: 'nb2', provider, slots: 4, timeoutMs: 30_000 };
  const first: Route = { ...shared, id: 'nb2/first', cost: { '1K': '0.01', '2K': '0.025' } };
  const second: Route = { ...shared, id: 'nb2/second' };
  const routes = [first, second];
  await using world = await openWorld({ replacements: { routes } });
  const operator = await openOperator(world);
  await toNoon(world);
  const make = async (body: object = {}) => world.finished(await world.create(undefined, body));
  const read = async (query: Record<string, string> = {}) =>
    (await operator.call('GET /admin/v1/margins', { query })).data;
  assert.deepEqual(await read(), []);

  const job = await make();
  assert.ok(!('cost' in job) && !('cost_micros' in job), 'clients see prices, not costs');
  await make({ resolution: '2K' });
  first.cost = '5';
  const [before] = await read();
  assert.deepEqual(before, {
    ...{
      model: 'nb2',
      images: 2,
      revenue: '0.10',
      cost: '0.035',
      cost_without_revenue: '0.00',
      margin: '0.065',
    },
    ...{ images_without_cost: 0, unknown_attempts: 0, possible_cost: '0.00' },
  });

  // Only the provider states the second route's cost, and only once.
  provider.handler = async (request, { attempt, onCharge }) => {
    if (attempt === 1) throw new ProviderError('quota', 'No credit is left.');
    if (request.resolution === '4K') onCharge({ used: creditsOf(12_345) });
    return provider.answer(request);
  };
  await make();
  await make({ resolution: '4K' });
  provider.handler = async () => {
    throw failure('safety_blocked');
  };
  assert.equal((await make()).status, 'failed');

  const [after] = await read();
  assert.deepEqual(after, {
    ...{
      model: 'nb2',
      images: 4,
      revenue: '0.23',
      cost: '0.047345',
      cost_without_revenue: '0.00',
      margin: '0.182655',
    },
    ...{ images_without_cost: 1, unknown_attempts: 1, possible_cost: '5.00' },
  });
  const { models } = await operator.call('GET /panel/operator/models');
  const compared = models
    .flatMap((model) => model.routes)
    .map(({ route, done, failures, cost_per_image: mean }) => [route, done, failures, mean]);
  assert.deepEqual(compared, [
    ['nb2/first', 2, 3, '0.0175'],
    ['nb2/second', 2, 0, '0.012345'],
  ]);

  provider.handler = async (request) => provider.answer(request);
  await world.elapse(dayMs);
  await make();
  const byDay = await read({ group_by: 'day' });
  assert.deepEqual(
    byDay.map(({ images: count, cost: spent }) => [count, spent]),
    [
      [1, '5.00'],
      [4, '0.047345'],
    ],
  );
  const [{ day: today = '' } = {}, { day: before24h = '' } = {}] = byDay;
  const ofOne = await read({ from: before24h, to: before24h, group_by: 'route,provider' });
  assert.deepEqual(
    ofOne.map(({ route, provider: made, revenue, cost: spent }) => [route, made, revenue, spent]),
    [
      ['nb2/second', 'bfl', '0.13', '0.012345'],
      ['nb2/first', 'bfl', '0.10', '0.035'],
    ],
  );
  const [ofAccount] = await read({ from: today, group_by: 'account,month' });
  assert.deepEqual([ofAccount?.account, ofAccount?.margin], ['tests', '-4.96']);
  for (const period of [{}, { from: '2020-01-01', to: '2020-01-01' }]) {
    const query = { ...period, group_by: 'key,day' };
    const table = await operator.call('GET /admin/v1/margins.csv', { query });
    assert.equal(
      String(table).startsWith('day,key_id,key,images,revenue,cost,'),
      true,
      'also where it is empty',
    );
  }
  for (const query of [
    { group_by: 'prompt' },
    { group_by: 'day,day,day' },
    { from: '2026-02-30x' },
    { to: '1' },
  ])
    assert.equal((await operator.try('GET /admin/v1/margins', { query })).status, 422, JSON.stringify(query));
  await world.elapse(40 * dayMs);
  assert.deepEqual(await read(), [], 'only the last thirty days are read');
});

test('an amount in another currency is not taken for a cost', async () => {
  const provider = new CreditProvider();
  const routes = [{ id: 'nb2/only', model: 'nb2', provider, slots: 4, timeoutMs: 30_000 }];
  await using world = await openWorld({ config: { currency: 'EUR' }, replacements: { routes } });
  provider.handler = async (request, { onCharge }) => {
    onCharge({ used: creditsOf(10_000) });
    return provider.answer(request);
  };
  const operator = await openOperator(world);
  await world.finished(await world.create());
  const { data } = await operator.call('GET /admin/v1/margins');
  assert.deepEqual([data[0]?.cost, data[0]?.margin, data[0]?.images_without_cost], [null, null, 1]);
});

test('costs that an earlier version recorded count once, whatever it had counted of them and of their captures', async () => {
  const provider = new TestProvider();
  const route: Route = { model: 'nb2', provider, slots: 4, timeoutMs: 30_000, id: 'nb2/first', cost: '0.01' };
  await using world = await openWorld({ replacements: { routes: [route] } });
  const operator = await openOperator(world);
  const { database } = world.app;
  const run = (statement: string) => database.transaction((tx) => sql.raw(statement).execute(tx));
  const count = () => rollUp(database, stepAtOnce(database));
  const assertMargins = async (images: number) => {
    const { total } = await operator.call('GET /admin/v1/margins');
    const { revenue, cost, images_without_cost: uncosted } = total;
    const sold = { images, revenue: (images * 0.04).toFixed(2), cost: (images * 0.01).toFixed(2) };
    assert.deepEqual({ images: total.images, revenue, cost, uncosted }, { ...sold, uncosted: 0 });
  };
  const make = async () => world.finished(await world.create());

  await make();
  await count();
  await run('delete from margins');
  await run('update margin_progress set entry_id = 0'); // simulates that only activity was counted
  await make();
  await assertMargins(2);
  await count();
  await assertMargins(2);

  const { job_id: late } = await make();
  await run(`update attempt_costs set with_capture = null, counted = 0 where job_id = '${late}'`);
  while ((await database.transaction((tx) => countCosts(tx, 100))) > 0);
  await assertMargins(3);
  await count();
  await assertMargins(3);
});
