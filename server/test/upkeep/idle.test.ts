import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../faults/support/server.ts';
import { openWorld, type World } from '../world/world.ts';

test('an idle server reads, and hardly ever writes', async () => {
  await using world = await openWorld();
  await world.finished(await world.create('/nb2/text-generations'));
  const before = await countQueries(world);
  const beganAt = performance.now();
  const after = await until(async () => {
    const now = await countQueries(world);
    return now.reads >= before.reads + 60 ? now : undefined;
  });
  const seconds = (performance.now() - beganAt) / 1_000;
  const writes = after.transactions - before.transactions;
  // Presence and the clock are noted every few seconds; a loop that wrote each time would write every second.
  assert.ok(writes <= 3 + seconds / 2, `${writes} transactions in ${seconds} s`);
});

async function countQueries({ url }: World): Promise<{ reads: number; transactions: number }> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const count = (kind: string) =>
    Number(
      new RegExp(`^darkroom_database_seconds_count\\{kind="${kind}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0,
    );
  return { reads: count('read'), transactions: count('transaction') };
}
