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

test('what is forgotten is returned once, and loaded again by the next call', async () => {
  let loads = 0;
  const load = loadOnce(async () => (loads += 1));
  assert.equal(await load.forget(), undefined);
  assert.equal(await load(), 1);
  assert.deepEqual([await load.forget(), await load.forget()], [1, undefined]);
  assert.equal(await load(), 2);
});

test('a load that fails after it was forgotten does not end the next one', async () => {
  const loads: PromiseWithResolvers<string>[] = [];
  const load = loadOnce(() => {
    const next = Promise.withResolvers<string>();
    loads.push(next);
    return next.promise;
  });
  const early = load();
  const forgotten = load.forget();
  const late = load();
  loads[0]?.reject(new Error('too many open files'));
  await assert.rejects(early);
  assert.equal(await forgotten, undefined);
  loads[1]?.resolve('there');
  assert.deepEqual(await Promise.all([late, load()]), ['there', 'there']);
  assert.equal(loads.length, 2);
});
