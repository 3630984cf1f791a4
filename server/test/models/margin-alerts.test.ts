import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Route } from '../../src/jobs/routes/route.ts';
import { decideMarginAlerts } from '../../src/notify/alerts/margin-alerts.ts';
import { openAdministration } from '../admin/admin-client.ts';
import { TestProvider } from '../world/provider.ts';
import { openWorld } from '../world/world.ts';

const dayMs = 24 * 60 * 60_000;

test('a model that is sold below its cost, or whose cost has risen too much, is reported', async () => {
  const shared = { provider: new TestProvider(), slots: 20, timeoutMs: 30_000 };
  const dear: Route = { ...shared, id: 'nb2/dear', model: 'nb2', cost: '0.04' };
  const rising: Route = { ...shared, id: 'nb/rising', model: 'nb', cost: '0.01' };
  await using world = await openWorld({ replacements: { routes: [dear, rising] } });
  await world.elapse(dayMs + dayMs / 2 - (world.clock.nowMs() % dayMs)); // the times do not cross midnight
  const admin = await openAdministration(world);
  const make = async (model: string, count: number) => {
    const ids = await Promise.all(
      Array.from({ length: count }, () => world.create(`/${model}/text-generations`)),
    );
    for (const id of ids) assert.equal((await world.finished(id)).status, 'done');
  };
  const told = async () =>
    (await admin().marginAlerts()).map(({ model, alert, cost_per_image: cost }) => [model, alert, cost]);

  await make('nb2', 10);
  await make('nb', 10);
  assert.deepEqual(await told(), [], 'what costs as much as it brings is not below its cost');
  dear.cost = '0.041';
  await make('nb2', 1);
  assert.deepEqual(await told(), [['nb2', 'below_cost', '0.04009']]);
  const metrics = await (await fetch(`${world.url}/metrics`)).text();
  assert.match(metrics, /^darkroom_margin_alerts\{model="nb2",alert="below_cost"\} 1$/m);

  await world.elapse(3 * dayMs);
  assert.deepEqual(await told(), [], 'of those days nothing is told any more');
  rising.cost = '0.0125';
  await make('nb', 9);
  rising.cost = '1';
  assert.deepEqual(await told(), [], 'too few');
  rising.cost = '0.0125';
  await make('nb', 1);
  assert.deepEqual(await told(), [], 'a quarter is not more than a quarter');
  rising.cost = '0.0135';
  await make('nb', 1);
  assert.deepEqual(await told(), [['nb', 'cost_risen', '0.01259']]);
  const [alert] = await admin().marginAlerts();
  assert.deepEqual([alert?.images, alert?.cost_before, alert?.revenue_per_image], [11, '0.01', '0.02']);
});

test('how much the cost may rise is a setting', async () => {
  const route: Route = {
    ...{ id: 'nb/rising', model: 'nb', provider: new TestProvider() },
    ...{ slots: 20, timeoutMs: 30_000, cost: '0.01' },
  };
  await using world = await openWorld({
    config: { costRisePercent: 100 },
    replacements: { routes: [route] },
  });
  const admin = await openAdministration(world);
  const make = async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => world.create('/nb/text-generations')));
    for (const id of ids) await world.finished(id);
  };
  await make();
  await world.elapse(3 * dayMs);
  route.cost = '0.018';
  await make();
  assert.deepEqual(await admin().marginAlerts(), []);
});

test('if only failures have a known cost, all images share it', () => {
  const lately = { images: 20, costed: 0, revenueMicros: 400_000n, costMicros: 500_000n };
  const before = { images: 0, costed: 0, revenueMicros: 0n, costMicros: 0n };
  const [alert] = decideMarginAlerts('nb', { lately, before }, 25);
  assert.deepEqual([alert?.alert, alert?.costMicros], ['below_cost', 25_000n]);
});
