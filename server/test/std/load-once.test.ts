import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadOnce } from '../../src/base/std/memory/load-once.ts';

test('concurrent and later calls share one load, and a failed load is repeated by the next call', async () => {
  let loads = 0;
  const load = loadOnce(async () => {
    loads += 1;
    if (loads === 1) throw new Error('too many open files');
    return loads;
  });
  const first = await Promise.allSettled([load(), load()]);
  assert.deepEqual(
    first.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(loads, 1);
  assert.deepEqual(await Promise.all([load(), load()]), [2, 2]);
  assert.equal(await load(), 2);
});
