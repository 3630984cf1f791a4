import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listedSetting } from '../../src/accounts/payments/payment-store.ts';
import { findTopUp } from '../../src/accounts/payments/top-ups/top-up-store.ts';
import { readSetting } from '../../src/base/db/settings-store.ts';
import { startStripe } from '../emulators/stripe.ts';
import { createRecordingLog } from '../http/support/recording-log.ts';
import { eventually } from '../http/support/requests.ts';
import { openWorld } from '../world/world.ts';
import { spoil } from './support/spoil.ts';
import { tillOf } from './support/till-of.ts';
import { topUpsOf } from './support/top-ups-of.ts';

const hourMs = 60 * 60_000;

async function openListed() {
  await using disposables = new AsyncDisposableStack();
  const stripe = disposables.use(await startStripe());
  const log = createRecordingLog();
  const world = disposables.use(
    await openWorld({ env: stripe.environment, worker: false, replacements: { log } }),
  );
  const till = tillOf(stripe, world);
  const { key } = await world.account('listed');
  const cardOf = async (accountId: string) => (await findTopUp(world.app.database.read, accountId)).card;
  const listedAt = async () => Number(await readSetting(world.app.database.read, listedSetting('stripe')));
  await eventually(listedAt, (at) => at > 0);
  const owned = disposables.move();
  return {
    ...{ stripe, world, log, key, listedAt, cardOf },
    async pay(amount: string) {
      await till.open(amount, key);
      stripe.pay();
    },
    becomes: (balance: string) =>
      eventually(
        async () => (await till.balanceOf(key)).balance,
        (now) => now === balance,
      ),
    /** Lists again, late enough that successfully listed events are skipped. */
    async listLater() {
      await world.jump(2 * hourMs);
      await world.restart();
    },
    logged: (event: string) => log.lines.filter((line) => line.startsWith(`${event} `)),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

test('an event in an unknown form blocks no other, and is applied once it can be read', async () => {
  for (const [path, unknown] of [
    [['data'], null],
    [['data', 'object', 'metadata'], 7],
  ] as const) {
    await using listed = await openListed();
    const { events } = listed.stripe;
    await listed.pay('25');
    // Stripe lists the newest first.
    await listed.pay('10');
    const readable = events.pop();
    events.push(spoil(readable, path, unknown));
    await listed.listLater();
    await listed.becomes('25.00');
    const [line = '', ...more] = listed.logged('payment.event_unread');
    assert.ok(line.includes(`checkout.session.completed ${readable?.id}`) && more.length === 0, line);
    events.splice(-1, 1, readable ?? assert.fail());
    await listed.listLater();
    await listed.becomes('35.00');
  }
});

test('payments made before the first successful listing are credited by it', async () => {
  await using stripe = await startStripe();
  const log = createRecordingLog();
  const body = { error: { type: 'invalid_request_error', message: 'The key may not read events' } };
  stripe.always('events', { status: 403, body });
  await using world = await openWorld({ env: stripe.environment, worker: false, replacements: { log } });
  const till = tillOf(stripe, world);
  const { key } = await world.account('early');
  await eventually(
    async () => log.lines.join('\n'),
    (lines) => lines.includes('payments.not_listed '),
  );
  await till.open('25', key);
  stripe.pay();
  await world.jump(5 * hourMs);
  stripe.always('events', undefined);
  await world.restart();
  await eventually(
    async () => (await till.balanceOf(key)).balance,
    (balance) => balance === '25.00',
  );
});

test('other shops’ events in an unknown form do not cause events to be listed again', async () => {
  await using listed = await openListed();
  const { stripe, world } = listed;
  await listed.pay('25');
  const [paid] = stripe.events;
  const theirs = spoil(
    spoil(paid, ['data', 'object', 'metadata'], {}),
    ['data', 'object', 'amount_total'],
    'x',
  );
  stripe.events.push(theirs, { ...theirs, type: 'payment_intent.succeeded' });
  const before = await listed.listedAt();
  await listed.listLater();
  await listed.becomes('25.00');
  await eventually(listed.listedAt, (at) => at > before);
  assert.deepEqual(listed.logged('payment.event_unread'), []);
  await world.restart();
});

test('if Stripe refuses details of one event, the others are applied', async () => {
  await using listed = await openListed();
  const { stripe, world } = listed;
  const account = await topUpsOf(stripe, { world }).openAccount('cards', { credit: 0n });
  const refuse = (status: number, error: object) =>
    stripe.always('setup intent', { status, body: { error: { message: 'no', ...error } } });
  refuse(400, { type: 'invalid_request_error' });
  await listed.pay('25');
  await account.openPage();
  stripe.saveCard();
  await listed.listLater();
  await listed.becomes('25.00');
  assert.match(listed.logged('payment.event_unread').join(), /checkout.session.completed evt_.*no/);
  stripe.always('setup intent', undefined);
  await listed.listLater();
  await eventually(
    () => listed.cardOf(account.accountId),
    (card) => card !== null,
  );
});

test('a card that Stripe does not show is ignored, and reported in the log', async () => {
  for (const [status, error] of [
    [403, { type: 'invalid_request_error' }],
    [404, { type: 'invalid_request_error', code: 'resource_missing' }],
  ] as const) {
    await using listed = await openListed();
    const { stripe, world } = listed;
    stripe.always('setup intent', { status, body: { error: { message: 'no', ...error } } });
    const account = await topUpsOf(stripe, { world }).openAccount('cards', { credit: 0n });
    await listed.pay('25');
    // An event reports the card as well.
    await account.saveCard();
    const before = await listed.listedAt();
    await listed.listLater();
    await listed.becomes('25.00');
    await eventually(listed.listedAt, (at) => at > before);
    assert.equal(await listed.cardOf(account.accountId), null);
    assert.equal(listed.logged('payment.card_unread').length, 2);
    assert.deepEqual(listed.logged('payment.event_unread'), []);
  }
});
