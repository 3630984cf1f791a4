import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { startStripe } from '../emulators/stripe.ts';
import { makeSmallDisk, noSmallDisk } from '../faults/support/small-disk.ts';
import { openWorld } from '../world/world.ts';

const enoughBytes = 16 * 1024 * 1024;

test('a Stripe event is refused while the disk is full, so that it is sent again, and credited once when there is space', {
  skip: noSmallDisk,
}, async (t) => {
  using disk = makeSmallDisk(enoughBytes);
  await using stripe = await startStripe();
  const env = { ...stripe.environment, DARKROOM_DATA_DIR: disk.path };
  await using world = await openWorld({ env, worker: false });
  if (world.config.databaseUrl) return t.skip('the database of PostgreSQL lies elsewhere');
  const balance = async () => (await world.send('GET', '/balance')).body.balance;
  assert.equal((await world.send('POST', '/payments', { body: { amount: '25' } })).status, 201);
  stripe.pay();
  const message = { method: 'POST', ...stripe.signed(stripe.events[0] ?? {}) };
  const tell = async () => (await fetch(`${world.url}/payments/stripe`, message)).status;
  disk.fill();
  assert.deepEqual([await tell(), await tell()], [503, 503]);
  assert.equal(await balance(), '100.00');
  disk.empty();
  assert.deepEqual([await tell(), await tell()], [204, 204]);
  assert.equal(await balance(), '125.00');
});

test('a message that breaks off has no effect, and is sent again', async () => {
  await using stripe = await startStripe();
  await using world = await openWorld({ env: stripe.environment, worker: false });
  assert.equal((await world.send('POST', '/payments', { body: { amount: '25' } })).status, 201);
  stripe.pay();
  const { headers, body } = stripe.signed(stripe.events[0] ?? {});
  const { hostname, port } = new URL(world.url);
  for (const sent of [0, 1, body.length - 1]) {
    const socket = connect(Number(port), hostname);
    const head = { ...headers, host: hostname, 'content-length': body.length };
    const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}`);
    socket.end(`POST /payments/stripe HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body.slice(0, sent)}`);
    socket.resume();
    await once(socket, 'close');
  }
  assert.equal((await world.send('GET', '/balance')).body.balance, '100.00');
  const again = await fetch(`${world.url}/payments/stripe`, { method: 'POST', headers, body });
  assert.equal(again.status, 204);
  assert.equal((await world.send('GET', '/balance')).body.balance, '125.00');
});
