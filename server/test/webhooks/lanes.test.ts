import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { decideQuotas } from '../../src/notify/webhooks/deliveries/decide-quotas.ts';
import { laneOf, partsOfLane } from '../../src/notify/webhooks/delivery.ts';
import { receiverAddress, startReceiver } from './support/receiver.ts';
import { openWebhookWorld } from './support/webhook-world.ts';

const deadHost = '127.10.0.66';

async function startBlackHole() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket.on('error', () => {})));
  server.listen(0, deadHost);
  await once(server, 'listening');
  const address = server.address();
  assert(address !== null && typeof address === 'object');
  return {
    url: `http://${deadHost}:${address.port}/hook`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

test('deliveries to other hosts, and of other accounts, do not wait until one of 10,000 to a dead host has ended', async () => {
  await using dead = await startBlackHole();
  await using alive = await startReceiver();
  await using webhooks = await openWebhookWorld({ policy: { drainMs: 0 } });
  const { world } = webhooks;
  // One event with ten thousand deliveries loads the queue like ten thousand events with one delivery each.
  const jobId = await webhooks.failJob({ callback_url: alive.url });
  await webhooks.attempted(1);
  await world.app.database.transaction((tx) =>
    sql`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 10000)
      insert into deliveries (event_id, account_id, url, lane, status, attempt, claimable_at, created_at)
      select id, account_id, ${dead.url}, ${laneOf(world.accountId, dead.url)}, 'pending', 0, now_ms(), now_ms()
      from events, numbers where job_id = ${jobId}`.execute(tx),
  );
  const other = await world.account('other', { creditMicros: 1_000_000n });
  const before = alive.received.length;
  await webhooks.failJob({ callback_url: alive.url });
  await webhooks.failJob({ callback_url: alive.url }, { authorization: `Bearer ${other.key}` });
  await alive.got(before + 2);
  // An attempt to the dead host ends after 15 seconds.
  const ended = await webhooks.attempted(3);
  assert.deepEqual(new Set(ended.map(({ outcome }) => outcome)), new Set(['delivered']));
  const { rows } = await sql<{
    running: number;
  }>`select count(*) as running from deliveries where worker is not null`.execute(world.app.database.read);
  assert((rows[0]?.running ?? 0) <= 64 + 2, 'no more attempts than the limit of one host');
});

test('quotas never exceed the free slots or any limit, and no usable slot stays free', () => {
  const lane = fc
    .tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 4 }))
    .map(([a, h]) => `a${a} h${h}`);
  const counts = fc
    .dictionary(lane, fc.integer({ min: 1, max: 12 }))
    .map((record) => new Map(Object.entries(record)));
  const limits = fc.record({
    perHost: fc.integer({ min: 1, max: 10 }),
    perAccount: fc.integer({ min: 1, max: 15 }),
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(lane),
      counts,
      fc.integer({ min: 0, max: 40 }),
      limits,
      (due, running, free, limits) => {
        const quotas = decideQuotas(due, running, free, limits);
        const given = [...quotas.values()].reduce((sum, count) => sum + count, 0);
        assert(given <= free);
        const load = (of: 'host' | 'accountId', name: string) =>
          [...running, ...quotas].reduce(
            (sum, [lane, count]) => sum + (partsOfLane(lane)[of] === name ? count : 0),
            0,
          );
        for (const lane of quotas.keys()) {
          assert(due.includes(lane));
          assert(load('host', partsOfLane(lane).host) <= limits.perHost);
          assert(load('accountId', partsOfLane(lane).accountId) <= limits.perAccount);
        }
        if (given === free) return;
        for (const lane of due) {
          const { host, accountId } = partsOfLane(lane);
          assert(
            load('host', host) >= limits.perHost || load('accountId', accountId) >= limits.perAccount,
            lane,
          );
        }
      },
    ),
  );
});

test('a free slot goes to the lane with the fewest running attempts', () => {
  const quotas = decideQuotas(
    ['a h1', 'b h2', 'c h3'],
    new Map([
      ['a h1', 5],
      ['b h2', 1],
    ]),
    3,
    { perHost: 10, perAccount: 10 },
  );
  assert.deepEqual([...quotas].sort(), [
    ['b h2', 1],
    ['c h3', 2],
  ]);
});

test('a lane is an account and a host, whatever the port and path', () => {
  assert.equal(laneOf('a', `http://${receiverAddress}:81/x`), laneOf('a', `https://${receiverAddress}/y`));
});
