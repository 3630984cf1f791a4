import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { startStripe } from '../emulators/stripe.ts';
import { bearer } from '../http/support/requests.ts';
import { openWorld } from '../world/world.ts';
import { spoil } from './support/spoil.ts';
import { tillOf } from './support/till-of.ts';
import { topUpsOf } from './support/top-ups-of.ts';

const stripe = await startStripe();
const world = await openWorld({ env: stripe.environment, worker: false });
after(async () => {
  await world[Symbol.asyncDispose]();
  await stripe[Symbol.asyncDispose]();
});
const { tell, open } = tillOf(stripe, world);

test('payments and cards of another installation on the same Stripe account cause no requests', async () => {
  await using other = await openWorld({ env: stripe.environment, worker: false });
  const account = await topUpsOf(stripe, { world: other }).openAccount('elsewhere', { credit: 20n });
  await account.saveCard();
  await open('25', account.key, { in: other });
  stripe.refund(stripe.pay(), 400);
  const lookedUp = () =>
    ['invoice', 'payment intent', 'setup intent', 'sessions'].map((stage) => stripe.of(stage).length);
  const before = lookedUp();
  for (const _ of [1, 2, 3]) for (const event of stripe.events) assert.equal(await tell(event), 204);
  // Only Stripe knows whose refund it is, so Stripe is asked once.
  const [, , , sessions = 0] = before;
  assert.deepEqual(lookedUp(), [...before.slice(0, 3), sessions + 1]);
  assert.equal(((await world.send('GET', '/payments')).body.data as unknown[]).length, 0);
});

test('signed messages of any form are answered, and never with an error of the server', async () => {
  const { key } = await world.account('strange');
  await open('25', key);
  const from = stripe.events.length;
  const payment = stripe.pay();
  stripe.refund(payment, 400);
  stripe.dispute(payment).win();
  const events = stripe.events.slice(from);
  const wrong = [undefined, null, 'x', -1, 1.5, [], {}, true];
  const statuses = new Map<number, number>();
  const send = async (event: unknown) => {
    const status = await tell(event as object); // an event that Stripe would not send
    assert.ok([204, 422].includes(status), `${status}: ${JSON.stringify(event)}`);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  };
  const paths = [
    ...[['type'], ['created'], ['data'], ['data', 'object']],
    ...['id', 'metadata', 'payment_status', 'payment_intent', 'amount_total', 'amount', 'status'].map(
      (field) => ['data', 'object', field],
    ),
    ['data', 'object', 'metadata', 'darkroom_micros'],
  ];
  for (const event of events)
    for (const path of paths) for (const value of wrong) await send(spoil(event, path, value));
  assert.ok((statuses.get(422) ?? 0) > 50 && (statuses.get(204) ?? 0) > 50);
  for (const text of ['null', '[]', '"x"', '1', '{', '{}']) {
    const { status } = await fetch(`${world.url}/payments/stripe`, {
      method: 'POST',
      ...stripe.signed(text),
    });
    assert.equal(status, 422, text);
  }
});

test('fields of an event that no branch reads may have any form', async () => {
  const { key } = await world.account('lenient');
  const paymentOf = async (id: string) =>
    (await world.send('GET', `/payments/${id}`, { headers: bearer(key) })).body;
  for (const [type, rest] of [
    ['payment_intent.payment_failed', { last_payment_error: { code: null }, amount_received: null }],
    ['payment_intent.canceled', { last_payment_error: { code: 7 }, id: null }],
    ['checkout.session.expired', { invoice: 7, payment_intent: [], amount_total: 'x', mode: null }],
  ] as const) {
    const { payment_id } = await open('25', key);
    const metadata = { darkroom_payment: payment_id, darkroom_automatic: 'yes' };
    assert.equal(
      await tell({ id: 'evt_1', object: 'event', type, data: { object: { metadata, ...rest } } }),
      204,
    );
    assert.equal((await paymentOf(payment_id)).status, 'failed', type);
  }
  const { payment_id } = await open('25', key);
  stripe.pay();
  assert.equal(await tell(spoil(stripe.events.at(-1), ['data', 'object', 'invoice'], undefined)), 204);
  assert.equal((await paymentOf(payment_id)).status, 'paid');
});

test('events of other shops and installations are ignored in any form', async () => {
  const { key } = await world.account('neighbour');
  await open('25', key);
  const payment = stripe.pay();
  const paid = stripe.events.at(-1);
  stripe.refund(payment, 400);
  const refund = stripe.events.at(-1);
  const unread = ['data', 'object', 'amount_total'];
  assert.equal(await tell(spoil(paid, unread, 'x')), 422);
  assert.equal(await tell(spoil(refund, ['data', 'object', 'amount'], 'x')), 422);
  const metadata = ['data', 'object', 'metadata'];
  for (const theirs of [undefined, null, {}, { order: '1' }, { darkroom_account: randomUUID() }])
    assert.equal(await tell(spoil(spoil(paid, unread, 'x'), metadata, theirs)), 204);
  for (const unreadable of ['x', 7, { darkroom_account: null }])
    assert.equal(await tell(spoil(spoil(paid, unread, 'x'), metadata, unreadable)), 422);
  for (const theirs of [null, 'pi_of_another_shop'])
    assert.equal(
      await tell(
        spoil(spoil(refund, ['data', 'object', 'amount'], 'x'), ['data', 'object', 'payment_intent'], theirs),
      ),
      204,
    );
});
