import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { seeded } from '../../faults/random.ts';
import { startApp } from '../../src/app.ts';
import { formatMicros } from '../../src/money/ledger/money.ts';
import { startStripe } from '../emulators/stripe.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld } from '../world/world.ts';
import { tillOf } from './support/till-of.ts';

const stripe = await startStripe();
const world = await openWorld({ env: stripe.environment });
after(async () => {
  await world[Symbol.asyncDispose]();
  await stripe[Symbol.asyncDispose]();
});
const { tell, open, balanceOf } = tillOf(stripe, world);

test('one event that is sent a hundred times at once to two processes is credited once', async () => {
  await using second = await startApp(world.config, { clock: world.clock, log: silentLog });
  const { key } = await world.account('raced');
  await open('10', key);
  const from = stripe.events.length;
  stripe.refund(stripe.pay(), 400);
  const [, refunded] = stripe.events.slice(from);
  for (const event of [refunded, ...stripe.events.slice(from)]) {
    const statuses = await Promise.all(
      Array.from({ length: 100 }, (_, nth) =>
        tell(event ?? {}, { url: (nth % 2 === 0 ? world.url : second.url) ?? '' }),
      ),
    );
    assert.ok(statuses.includes(204));
    assert.deepEqual(
      statuses.filter((status) => ![204, 503].includes(status)),
      [],
    );
  }
  assert.equal((await balanceOf(key)).balance, '6.00');
});

const rounds = Number(process.env.PAYMENT_ROUNDS ?? 25);

test(`${rounds} histories of payments, refunds and disputes in any order end in the same state as a model`, async () => {
  for (let round = 0; round < rounds; round += 1) {
    const random = seeded(round);
    const { key } = await world.account(`history ${round}`);
    const from = stripe.events.length;
    const net = await live(random, key);
    const events = stripe.events.slice(from);
    const order = [...events, ...events.filter(() => random.chance(0.3))]
      .map((event) => ({ event, at: random.next() }))
      .sort((one, other) => one.at - other.at);
    const statuses = await Promise.all(order.map(({ event }) => tell(event)));
    // Refused events are sent again.
    for (const [at, status] of statuses.entries()) if (status !== 204) await tell(order[at]?.event ?? {});
    const { balance, debt = '0.00' } = await balanceOf(key);
    const wanted = net >= 0n ? [formatMicros(net), '0.00'] : ['0.00', formatMicros(-net)];
    assert.deepEqual([balance, debt], wanted, `round ${round}: ${JSON.stringify(order)}`);
  }
});

/** @returns the images that are left, by model */
async function live(random: ReturnType<typeof seeded>, key: string): Promise<bigint> {
  let net = 0n;
  for (let nth = random.between(1, 4); nth > 0; nth -= 1) {
    const dollars = random.between(5, 100);
    await open(String(dollars), key);
    const payment = random.chance(0.8) ? stripe.pay() : stripe.begin().succeed();
    let takenCents = 0;
    if (random.chance(0.5)) {
      const cents = random.between(1, dollars * 100);
      const refund = stripe.refund(payment, cents);
      if (random.chance(0.3)) refund.fail();
      else takenCents += cents;
    }
    if (random.chance(0.5)) {
      const dispute = stripe.dispute(payment);
      let disputedCents = dollars * 100;
      for (let restated = random.between(0, 2); restated > 0; restated -= 1) {
        disputedCents = random.between(1, dollars * 100);
        dispute.restate(disputedCents);
      }
      const isWon = random.chance(0.5);
      const isLost = random.chance(0.3);
      if (isWon) dispute.win();
      if (isLost) dispute.lose();
      if (isLost || !isWon) takenCents += disputedCents;
    }
    net += BigInt(Math.max(0, dollars * 100 - takenCents)) * 10_000n;
  }
  return net;
}
