import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callsADay, kinds } from '../../../bench/day/day-calls.ts';
import { startOutside } from '../../../bench/day/day-outside.ts';
import { startTarget } from '../../../bench/load.ts';

test('a day has only calls that are answered', async () => {
  await using outside = await startOutside();
  await using target = await startTarget('--role', 'all', '--memory');
  const calls = await callsADay(target, outside);
  // Each round, the panel reads another of its pages.
  for (let round = 0; round < 4; round += 1) for (const kind of kinds) await calls[kind]();
  assert.ok((await target.jobs()) >= 4 * 13, 'text, inputs, ten of a batch, and a door');
});
