import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Route } from '../../src/jobs/routes/route.ts';
import { openMember, openOperator } from '../panel/browser.ts';
import { TestProvider } from '../world/provider.ts';
import { openWorld } from '../world/world.ts';

test('a quote shows operators, and nobody else, cost and margin on the route that would make the image', async () => {
  const shared = {
    model: 'nb2',
    provider: new TestProvider(),
    slots: 4,
    timeoutMs: 30_000,
    byCost: true,
  } as const;
  const dear: Route = { ...shared, id: 'nb2/dear', cost: '0.03' };
  const cheap: Route = { ...shared, id: 'nb2/cheap', cost: { '1K': '0.02', '2K': '0.06' } };
  const routes: Route[] = [dear, cheap];
  await using world = await openWorld({ replacements: { routes } });
  const operator = await openOperator(world);
  const member = await openMember(world, { email: 'ada@example.com' });
  const body = { prompt: 'a fox', aspect_ratio: '1:1' };
  const quote = 'POST /api/v1/:model/text-generations?dry_run=true' as const;
  const params = { model: 'nb2', account_id: world.accountId };
  const shown = async (more: object = {}) => {
    const { price, cost, margin } = await operator.call(quote, { params, body: { ...body, ...more } });
    return [price, cost, margin];
  };
  assert.deepEqual(await shown(), ['0.04', '0.02', '0.02']);
  assert.deepEqual(await shown({ resolution: '2K' }), ['0.06', '0.03', '0.03'], 'where another is cheaper');
  const ofMember = await member.call(quote, { params, body });
  const { body: ofKey } = await world.send('POST', '/nb2/text-generations?dry_run=true', { body });
  for (const one of [ofMember, ofKey]) assert.ok(!('cost' in one) && !('margin' in one) && 'price' in one);
  delete dear.cost;
  delete cheap.cost;
  assert.deepEqual(await shown(), ['0.04', null, null]);
});
