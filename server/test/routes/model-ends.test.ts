import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openOperator } from '../panel/browser.ts';
import { openWorld } from '../world/world.ts';
import { eventually, pretended, pretendedRoute } from './support.ts';

const at = (day: string) => Date.parse(`${day}T00:00:00Z`);
const ends =
  /^darkroom_route_upstream_ends_seconds\{model="nb2",route="nb2\/openai",upstream="gpt-image-1.5",next="gpt-image-2.6-sunburst or gpt-image-2.6-flare"\} (\S+)$/m;

test('the models page and the metrics say when the model behind a route ends, by the database’s clock', async () => {
  const provider = { ...pretended(), id: 'openai', model: 'gpt-image-1.5' };
  const routes = [{ ...pretendedRoute('nb2/openai'), provider }, pretendedRoute('nb2/other')];
  await using world = await openWorld({ replacements: { routes } });
  const operator = await openOperator(world);
  const daysLeft = async () => {
    const metrics = await (await fetch(`${world.url}/metrics`)).text();
    assert.ok(!metrics.includes('darkroom_route_upstream_ends_seconds{model="nb2",route="nb2/other"'));
    return Math.round(Number(metrics.match(ends)?.[1]) / 86_400);
  };
  const told = async (day: string, days: number) => {
    await world.jump(at(day) - world.clock.nowMs());
    // A reading is cached for a second.
    await eventually(daysLeft, (found) => found === days);
    const { models } = await operator.call('GET /panel/operator/models');
    const [route, other] = models.find(({ model }) => model.id === 'nb2')?.routes ?? [];
    assert.equal(other?.upstream_end, null);
    return route?.upstream_end;
  };
  assert.equal(await told('2026-10-01', 61), null);
  const soon = await told('2026-11-24', 7);
  assert.deepEqual([soon?.on, soon?.over], ['2026-12-01', false]);
  assert.match(soon?.notice ?? '', /gpt-image-2\.6/);
  assert.equal((await told('2026-12-02', -1))?.over, true);
});
