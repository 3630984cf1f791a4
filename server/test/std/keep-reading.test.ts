import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { keepReading } from '../../src/base/std/lateness/keep-reading.ts';

test('only the first caller waits for a reading, and only shortly', async () => {
  let now = 0;
  const failures: string[] = [];
  const readings: PromiseWithResolvers<string>[] = [];
  const latest = keepReading({
    read: () => {
      const reading = Promise.withResolvers<string>();
      readings.push(reading);
      return reading.promise;
    },
    none: 'none',
    freshMs: 1_000,
    nowMs: () => now,
    onError: (error) => failures.push(String(error)),
  });
  const both = [latest(), latest()];
  assert.deepEqual(await Promise.all(both), ['none', 'none'], 'it takes too long');
  readings[0]?.resolve('first');
  await readings[0]?.promise;
  assert.equal(await latest(), 'first');

  now = 1_000;
  assert.equal(await latest(), 'first', 'the next is under way');
  readings[1]?.reject(new Error('cannot'));
  await readings[1]?.promise.catch(() => {});
  assert.equal(await latest(), 'first', 'it failed');
  now = 1_999;
  assert.deepEqual([await latest(), readings.length, failures], ['first', 2, ['Error: cannot']]);
  now = 2_000;
  assert.equal(await latest(), 'first');
  readings[2]?.resolve('third');
  await readings[2]?.promise;
  assert.equal(await latest(), 'third');
});

test('a reading that takes longer than one stays fresh is not repeated concurrently', async () => {
  let now = 0;
  const readings: PromiseWithResolvers<string>[] = [];
  const latest = keepReading({
    read: () => {
      const reading = Promise.withResolvers<string>();
      readings.push(reading);
      return reading.promise;
    },
    ...{ none: 'none', freshMs: 1_000, nowMs: () => now, onError: () => {} },
  });
  assert.equal(await latest(), 'none');
  now = 5_000;
  assert.deepEqual([await latest(), readings.length], ['none', 1]);
  readings[0]?.reject(new Error('too late'));
  await setImmediate();
  assert.deepEqual([await latest(), readings.length], ['none', 2], 'it ended, and the next is under way');
  readings[1]?.resolve('second');
  await readings[1]?.promise;
  assert.equal(await latest(), 'second');
});

test('the first caller gets a reading that ends soon', async () => {
  const latest = keepReading({
    ...{ read: async () => 'read', none: 'none', freshMs: 1_000, nowMs: () => 0 },
    onError: assert.ifError,
  });
  assert.equal(await latest(), 'read');
});
