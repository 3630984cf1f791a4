import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareDumps, takeDump } from '../../attack/dump.ts';
import { openWorld } from '../world/world.ts';

test('the attack ignores a process’s heartbeat, and takes any other changed column for a change', async () => {
  await using world = await openWorld();
  const { database } = world.app;
  // The world's own loops write to other tables meanwhile.
  const changes = async () =>
    compareDumps(before, await takeDump(database)).filter((one) => one.startsWith('processes: '));
  const before = await takeDump(database);
  const changeProcesses = (change: { seen_at: number } | { version: string }) =>
    database.transaction((tx) => tx.updateTable('processes').set(change).execute());
  await changeProcesses({ seen_at: world.clock.nowMs() + 60_000 });
  assert.deepEqual(await changes(), []);
  await changeProcesses({ version: '0.0.1' });
  assert.match((await changes()).join('\n'), /^processes: .*"0\.0\.1"/m);
});
