import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openWorld } from '../world/world.ts';
import { openRawClient, type RawClient, rawRequest } from './support/raw-client.ts';
import { bearer, eventually } from './support/requests.ts';

const world = await openWorld({ worker: false });
after(() => world[Symbol.asyncDispose]());
const mb = 1024 * 1024;
const wholeBytes = 56 * mb;

async function begin(key: string, bytes: number): Promise<RawClient> {
  const client = await openRawClient(world.url);
  const headers = {
    ...bearer(key),
    'content-type': 'application/json',
    'content-length': `${wholeBytes + 20}`,
  };
  client.write(rawRequest('POST', '/v1/images/edits', { headers }));
  client.write(`{"x": "${'x'.repeat(bytes)}`);
  if (client.socket.writableNeedDrain) await new Promise((resolve) => client.socket.once('drain', resolve));
  return client;
}

async function sendWhole(key: string): Promise<number | undefined> {
  using client = await begin(key, wholeBytes);
  client.write(`"}${' '.repeat(11)}`);
  return (await client.next())?.status;
}

test('one account cannot keep the memory for large bodies from the others', async () => {
  const { key } = await world.account('greedy');
  const { key: other } = await world.account('modest');
  // Both arrive at once, because on a busy machine the second could take so long that the first counts as slow.
  const [one, two] = await Promise.all([begin(key, 40 * mb), begin(key, 40 * mb)]);
  using first = one;
  using second = two;
  assert.equal((await Promise.race([first.next(), second.next()]))?.status, 503);
  assert.equal(await sendWhole(other), 400);
});

test('an account that uses the memory and sends slowly gives way to others', async () => {
  const { key: one } = await world.account('slow one');
  const { key: two } = await world.account('slow two');
  const { key: three } = await world.account('quick');
  using slow = await begin(one, 50 * mb);
  using slower = await begin(two, 50 * mb);
  // Senders count as slow once nothing has arrived for five seconds. A busy machine may still read what was sent.
  await sleep(5_500);
  await eventually(
    () => sendWhole(three),
    (status) => status === 400,
  );
  const ended = await Promise.race([slow.next(), slower.next()]);
  assert.equal(ended?.status, 503);
});
