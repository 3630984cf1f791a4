import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { batcher } from '../../src/base/std/batcher.ts';

const maxWaitMs = 50;

test('nothing is queued behind a call that waits too long; the next batch takes the oldest calls, and late ones are refused', async () => {
  const batches: number[][] = [];
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const call = batcher(
    async (items: number[]) => {
      batches.push(items);
      begun.resolve();
      await held.promise;
      return items;
    },
    { maxBatch: 2, maxWaitMs },
  );
  const first = call(1);
  await begun.promise;
  const waiting = [call(2), call(3)];
  const left = assert.rejects(call(4), { name: 'Overloaded' });
  await sleep(2 * maxWaitMs);
  await assert.rejects(call(5), { name: 'Overloaded' });
  assert.deepEqual(batches, [[1]]);
  held.resolve();
  assert.deepEqual(await Promise.all([first, ...waiting]), [1, 2, 3]);
  await left;
  assert.deepEqual(batches, [[1], [2, 3]]);
  assert.equal(await call(6), 6);
});

test('a batch of reads does not wait for the previous one if two may run at once', async () => {
  const begun: number[][] = [];
  const held = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  const call = batcher(
    async (items: number[]) => {
      begun.push(items);
      if (begun.length === 2) second.resolve();
      await held.promise;
      return items;
    },
    { maxBatch: 10, atOnce: 2 },
  );
  const calls = [call(1)];
  while (begun.length === 0) await new Promise(setImmediate);
  calls.push(call(2));
  await second.promise;
  calls.push(call(3));
  for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
  assert.deepEqual(begun, [[1], [2]], 'a third waits');
  held.resolve();
  assert.deepEqual(await Promise.all(calls), [1, 2, 3]);
});
