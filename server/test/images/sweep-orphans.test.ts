import assert from 'node:assert/strict';
import { mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openDiskStore } from '../../src/images/disk/disk-store.ts';
import { sweepOrphans } from '../../src/images/sweep-orphans.ts';
import { listedKeys, putBytes } from './conformance.ts';

const scratch = await mkdtemp(join(tmpdir(), 'sweep-orphans-'));
after(() => rm(scratch, { recursive: true, force: true }));

const nowMs = Date.UTC(2026, 10, 1);
const hourMs = 60 * 60 * 1000;

async function storeWith(agesHours: Record<string, number>) {
  const root = await mkdtemp(join(scratch, 'root-'));
  const store = await openDiskStore(root);
  for (const [key, age] of Object.entries(agesHours)) {
    await putBytes(store, key, Buffer.from('x'));
    const written = new Date(nowMs - age * hourMs);
    await utimes(join(root, key), written, written);
  }
  return store;
}

test('only objects under the prefix that no row names and that are older than the grace period are removed', async () => {
  const store = await storeWith({
    'results/a/known.png': 30,
    'results/a/orphan.png': 25,
    'results/b/young.png': 23,
    'results/b/from-the-future.png': -30,
    'inputs/a/elsewhere.png': 30,
  });
  const asked: string[] = [];
  const isKnown = async (keys: string[]) => {
    asked.push(...keys);
    return new Set(['results/a/known.png']);
  };
  assert.deepEqual(await sweepOrphans(store, { prefix: 'results/', isKnown, nowMs }), {
    seen: 4,
    removed: 1,
  });
  assert.deepEqual(asked.sort(), ['results/a/known.png', 'results/a/orphan.png']);
  assert.deepEqual(await listedKeys(store, ''), [
    'inputs/a/elsewhere.png',
    'results/a/known.png',
    'results/b/from-the-future.png',
    'results/b/young.png',
  ]);
});

test('many objects are looked up in batches, each once', async () => {
  const keys = Array.from({ length: 1_001 }, (_, number) => `results/${number}`);
  const store = await storeWith(Object.fromEntries(keys.map((key) => [key, 30])));
  const batches: string[][] = [];
  const isKnown = async (batch: string[]) => {
    batches.push(batch);
    return new Set(batch.filter((key) => key.endsWith('0')));
  };
  assert.deepEqual(await sweepOrphans(store, { prefix: 'results/', isKnown, nowMs }), {
    seen: 1_001,
    removed: 900,
  });
  assert.deepEqual(
    batches.map((batch) => batch.length),
    [500, 500, 1],
  );
  assert.deepEqual(batches.flat().sort(), keys.sort());
});

test('if the rows cannot be read, nothing is removed', async () => {
  const store = await storeWith({ 'results/a/orphan.png': 30 });
  const failure = new Error('no database');
  const isKnown = () => Promise.reject(failure);
  await assert.rejects(sweepOrphans(store, { prefix: 'results/', isKnown, nowMs }), failure);
  assert.deepEqual(await listedKeys(store, ''), ['results/a/orphan.png']);
});
