import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Route } from '../../src/jobs/routes/route.ts';
import { failure } from '../../src/upstream/providers/failure.ts';
import { ProviderError } from '../../src/upstream/providers/provider.ts';
import { openOperator } from '../panel/browser.ts';
import { TestProvider } from '../world/provider.ts';
import { openWorld } from '../world/world.ts';

const dayMs = 24 * 60 * 60 * 1000;

test('a margin is what was paid less what images cost when they were made, whatever an estimate says later', async () => {
  const provider = new TestProvider();
  const shared = { model: 'nb2', provider, slots: 4, timeoutMs: 30_000 };
  const first: Route = { ...shared, id: 'nb2/first', cost: { '1K': '0.01', '2K': '0.025' } };
  const second: Route = { ...shared, id: 'nb2/second' };
  const routes = [first, second];
  await using world = await openWorld({ replacements: { routes } });
  const operator = await openOperator(world);
  const make = async (body: object = {}) => world.finished(await world.create(undefined, body));
  const readNb2 = async () => {
    const { data } = await operator.call('GET /admin/v1/margins');
    return data.find(({ model }) => model === 'nb2');
  };
  assert.equal(await readNb2(), undefined);

  const job = await make();
  assert.ok(!('cost' in job) && !('cost_micros' in job), 'clients see prices, not costs');
  await make({ resolution: '2K' });
  first.cost = '5';
  const before = await readNb2();
  const { images, paid, cost, margin, without_cost: unknown } = before ?? assert.fail('no margin');
  assert.deepEqual([images, paid, cost, margin, unknown], [2, '0.10', '0.035', '0.065', 0]);

  // Nobody says what the second route costs, except the provider, once.
  provider.handler = async (request, { attempt, onCharge }) => {
    if (attempt === 1) throw new ProviderError('quota', 'No credit is left.');
    if (request.resolution === '4K') onCharge({ costMicros: 12_345n });
    return provider.answer(request);
  };
  await make();
  await make({ resolution: '4K' });
  provider.handler = async () => {
    throw failure('safety_blocked');
  };
  assert.equal((await make()).status, 'failed');

  const after = await readNb2();
  assert.deepEqual(
    { ...after, days: after?.days.length },
    { model: 'nb2', images: 4, paid: '0.23', cost: '0.047345', margin: '0.142655', without_cost: 1, days: 1 },
  );
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
  const two = await readNb2();
  assert.deepEqual(
    two?.days.map(({ images: count, cost: spent }) => [count, spent]),
    [
      [1, '5.00'],
      [4, '0.047345'],
    ],
  );
  assert.equal(two?.margin, '-4.817345');
  await world.elapse(7 * dayMs);
  assert.equal(await readNb2(), undefined, 'only the last days are read');
});

test('an amount in another currency is not taken for a cost', async () => {
  await using world = await openWorld({ config: { currency: 'EUR' } });
  world.provider.handler = async (request, { onCharge }) => {
    onCharge({ costMicros: 10_000n });
    return world.provider.answer(request);
  };
  const operator = await openOperator(world);
  await world.finished(await world.create());
  const { data } = await operator.call('GET /admin/v1/margins');
  assert.deepEqual([data[0]?.cost, data[0]?.margin, data[0]?.without_cost], [null, null, 1]);
});
