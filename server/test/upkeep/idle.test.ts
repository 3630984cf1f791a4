import { test } from 'node:test';
import { until } from '../faults/support/server.ts';
import { openWorld, type World } from '../world/world.ts';

test('an idle server reads, and hardly ever writes', async () => {
  await using world = await openWorld();
  await world.finished(await world.create('/nb2/text-generations'));
  // Start-up writes for a while, on a busy machine for seconds. A loop that wrote each time would never be calm.
  await until(() => isCalm(world));
});

/** Whether at most the notes of presence and of the clock were written, every few seconds, while 60 reads were made. */
async function isCalm(world: World): Promise<boolean> {
  const before = await countQueries(world);
  const beganAt = performance.now();
  const after = await until(async () => {
    const now = await countQueries(world);
    return now.reads >= before.reads + 60 ? now : undefined;
  });
  const seconds = (performance.now() - beganAt) / 1_000;
  return after.transactions - before.transactions <= 3 + seconds / 2;
}

async function countQueries({ url }: World): Promise<{ reads: number; transactions: number }> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const count = (kind: string) =>
    Number(
      new RegExp(`^darkroom_database_seconds_count\\{kind="${kind}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0,
    );
  return { reads: count('read'), transactions: count('transaction') };
}
