import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { orderByCost } from '../../src/jobs/routes/order-by-cost.ts';
import type { Route } from '../../src/jobs/routes/route.ts';
import type { RouteCost } from '../../src/jobs/routes/route-costs.ts';
import { ProviderError } from '../../src/upstream/providers/provider.ts';
import { eventually } from '../http/support/requests.ts';
import { openOperator } from '../panel/browser.ts';
import { TestProvider } from '../world/provider.ts';
import { openWorld } from '../world/world.ts';
import { pretendedRoute } from './support.ts';

const route = (name: string, more: Partial<Route> = {}) => pretendedRoute(name, { byCost: true, ...more });
const made = (costMicros: bigint, wastedMicros: bigint, images: number, uncosted = 0): RouteCost => ({
  ...{ costMicros, wastedMicros, images, uncosted },
});
const orderOf = (routes: Route[], costs: Record<string, RouteCost> = {}, resolution = '1K', account = 'a') =>
  orderByCost(routes, { accountId: account, resolution }, new Map(Object.entries(costs))).map(({ id }) => id);

suite('the cheapest first', () => {
  test('is decided by the resolution’s cost, and equal routes keep their listed order', () => {
    const routes = [
      route('flat', { cost: '0.03' }),
      route('sized', { cost: { '1K': '0.02', '2K': '0.05' } }),
      route('same', { cost: '0.03' }),
    ];
    assert.deepEqual(orderOf(routes), ['sized', 'flat', 'same']);
    assert.deepEqual(orderOf(routes, {}, '2K'), ['flat', 'same', 'sized']);
  });

  test('counts the cost of failures, and moves no route for a single one', () => {
    const routes = [route('cheap', { cost: '0.02' }), route('dear', { cost: '0.03' })];
    assert.deepEqual(orderOf(routes, { cheap: made(40_000n, 20_000n, 1) }), ['cheap', 'dear'], 'one failure');
    assert.deepEqual(
      orderOf(routes, { cheap: made(4_000_000n, 2_000_000n, 100) }),
      ['dear', 'cheap'],
      'half',
    );
    assert.deepEqual(orderOf(routes, { cheap: made(2_000_000n, 2_000_000n, 0) }), ['dear', 'cheap'], 'all');
  });

  test('uses measured costs if no cost was entered, and puts unknown ones last', () => {
    const routes = [
      route('unknown'),
      route('told'),
      route('entered', { cost: '0.03' }),
      route('own', { cost: '0' }),
    ];
    assert.deepEqual(orderOf(routes, { told: made(200_000n, 0n, 12, 2), unknown: made(0n, 0n, 5, 5) }), [
      ...['own', 'told', 'entered', 'unknown'],
    ]);
  });

  test('keeps weighted neighbours together, at their mean cost, and accounts on their routes', () => {
    const [dear, cheap] = [
      route('dear', { cost: '0.05', weight: 3 }),
      route('cheap', { cost: '0.01', weight: 1 }),
    ];
    const routes = [dear, cheap, route('mid', { cost: '0.03' })];
    for (const account of ['a', 'b', 'c', 'd'])
      assert.equal(orderOf(routes, {}, '1K', account)[0], 'mid', 'the two cost 0.04');
    const firsts = new Set(Array.from({ length: 40 }, (_, one) => orderOf(routes, {}, '1K', `${one}`)[1]));
    assert.deepEqual(firsts, new Set(['dear', 'cheap']));
  });
});

test('jobs go to the cheapest route, and to the next once failures make the first more expensive', async () => {
  const [cheap, dear] = [new TestProvider(), new TestProvider()];
  const shared = { model: 'nb2', slots: 4, timeoutMs: 30_000, byCost: true } as const;
  const routes: Route[] = [
    { ...shared, id: 'nb2/dear', provider: dear, cost: '0.03' },
    { ...shared, id: 'nb2/cheap', provider: cheap, cost: '0.02' },
  ];
  await using world = await openWorld({ replacements: { routes } });
  const operator = await openOperator(world);
  const make = async () => world.finished(await world.create('/nb2/text-generations'));
  const used = async () => {
    const [before, beforeDear] = [cheap.requests.length, dear.requests.length];
    assert.equal((await make()).status, 'done');
    return [cheap.requests.length - before, dear.requests.length - beforeDear];
  };
  assert.deepEqual(await used(), [1, 0]);
  // An upstream that bills each time, without an image.
  cheap.handler = async (_, { onCharge }) => {
    onCharge({ usage: { output_tokens: 1 } });
    throw new ProviderError('bad_response', 'It answers without an image.');
  };
  for (let job = 0; job < 8; job += 1) await make();
  cheap.handler = async (request) => cheap.answer(request);
  await world.elapse(10 * 60_000);
  // A running claim may still use the earlier reading.
  await eventually(used, ([ofCheap, ofDear]) => ofCheap === 0 && ofDear === 1);
  const { models } = await operator.call('GET /panel/operator/models');
  const reports = models.flatMap((model) => model.routes);
  const told = reports.map(({ route: id, by_cost: by, cost_with_failures: cost }) => [
    id,
    by,
    Number(cost) > 0.03,
  ]);
  assert.deepEqual(told, [
    ['nb2/dear', true, false],
    ['nb2/cheap', true, true],
  ]);
  dear.handler = () => Promise.reject(new ProviderError('quota', 'No credit is left.'));
  assert.equal((await make()).status, 'done', 'where the first is refused, the other makes it');
});
