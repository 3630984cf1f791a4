import assert from 'node:assert/strict';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDiskStore } from '../../src/images/disk/disk-store.ts';
import { createSemaphore } from '../../src/images/inputs/semaphore.ts';
import { createTakeInputs } from '../../src/jobs/admission/take-inputs.ts';
import { silentLog } from '../world/silent-log.ts';
import { onePixelPng } from './support/images.ts';
import { makeInputWorld } from './support/input-world.ts';
import { startStranger } from './support/strangers.ts';

const never = new AbortController().signal;

function queue(total: number) {
  const slots = createSemaphore(total);
  const order: string[] = [];
  const take = async (name: string, count: number, signal = never) => {
    const giveBack = await slots.take(count, signal, name);
    order.push(name);
    return giveBack;
  };
  return { take, order };
}

test('slots are given in the order of the requests, and a large request is not overtaken', async () => {
  const { take, order } = queue(3);
  const first = await take('first', 2);
  const large = take('large', 3);
  const small = take('small', 1);
  assert.deepEqual(order, ['first']);
  first();
  assert.deepEqual(order, ['first'], 'one place is still held');
  first();
  const giveLargeBack = await large;
  assert.deepEqual(order, ['first', 'large']);
  giveLargeBack();
  await small;
  assert.deepEqual(order, ['first', 'large', 'small']);
});

test('giving back more than was taken changes nothing', async () => {
  const { take, order } = queue(1);
  const giveBack = await take('first', 1);
  giveBack();
  giveBack();
  await take('second', 1);
  const third = take('third', 1);
  await new Promise(setImmediate);
  assert.deepEqual(order, ['first', 'second']);
  assert(third instanceof Promise);
});

test('an owner that stops waiting makes way for the next', async () => {
  const { take, order } = queue(2);
  await take('first', 1);
  const client = new AbortController();
  const large = take('large', 2, client.signal);
  const small = take('small', 1);
  client.abort(new Error('gone'));
  await assert.rejects(large, /gone/);
  await small;
  assert.deepEqual(order, ['first', 'small']);
  await assert.rejects(take('late', 1, client.signal), /gone/);
});

test('an owner gets no more than its share, and the owner with the fewest slots is next', async () => {
  const slots = createSemaphore(4, 3);
  const order: string[] = [];
  const take = async (owner: string, count: number) => {
    const giveBack = await slots.take(count, never, owner);
    order.push(owner);
    return giveBack;
  };
  const giveBack = await take('greedy', 3);
  const more = [take('greedy', 1), take('greedy', 1)];
  await take('modest', 1);
  const late = take('late', 1);
  assert.deepEqual(order, ['greedy', 'modest'], 'one over the share waits though a place was free');
  giveBack();
  await late;
  assert.deepEqual(order, ['greedy', 'modest', 'late']);
  giveBack();
  giveBack();
  await Promise.all(more);
  assert.throws(() => slots.take(4, never, 'greedy'), RangeError);
});

test('a request that can never be granted is refused', () => {
  assert.throws(() => createSemaphore(2).take(3, never, 'greedy'), RangeError);
});

test('edits with masks that start at the same time do not wait for one another’s slots', async () => {
  await using stranger = await startStranger((_request, response) => response.end(onePixelPng));
  await using world = await makeInputWorld();
  await using folder = await mkdtempDisposable(join(tmpdir(), 'darkroom-test-'));
  const images = await openDiskStore(folder.path);
  const takeInputs = createTakeInputs({ ...world, images, log: silentLog, slots: createSemaphore(2) });
  const edit = (id: string) =>
    takeInputs({
      jobIds: [id],
      accountId: 'ours',
      urls: [`${stranger.origin}/image`],
      mask: { url: `${stranger.origin}/mask`, changed: 'white' },
      signal: AbortSignal.timeout(60_000), // if they wait for each other, they do so for ever
    });
  const taken = await Promise.all(['first', 'second'].map(edit));
  const masks = taken.map(({ jobs }) => jobs[0]?.mask?.key);
  assert.deepEqual(masks, ['inputs/first/first-mask.png', 'inputs/second/second-mask.png']);
});
