import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startStripe } from '../emulators/stripe.ts';
import type { Fields } from '../emulators/stripe-cards.ts';
import { eventually } from '../http/support/requests.ts';
import { openWorld } from '../world/world.ts';
import { tillOf } from './support/till-of.ts';
import { topUpsOf } from './support/top-ups-of.ts';

const stripe = await startStripe();
const world = await openWorld({ env: stripe.environment, worker: false });
after(async () => {
  await world[Symbol.asyncDispose]();
  await stripe[Symbol.asyncDispose]();
});
const { tell, open, balanceOf } = tillOf(stripe, world);

test('of payments and cards of another installation of the same Stripe account nothing is asked', async () => {
  await using other = await openWorld({ env: stripe.environment, worker: false });
  const account = await topUpsOf(stripe, { world: other }).openAccount('elsewhere', { credit: 20n });
  await account.saveCard();
  await open('25', account.key, { in: other });
  stripe.refund(stripe.pay(), 400);
  const lookedUp = () =>
    ['invoice', 'payment intent', 'setup intent', 'sessions'].map((stage) => stripe.of(stage).length);
  const before = lookedUp();
  for (const _ of [1, 2, 3]) for (const event of stripe.events) assert.equal(await tell(event), 204);
  // Whose a refund is, only Stripe knows: it is asked once.
  const [, , , sessions = 0] = before;
  assert.deepEqual(lookedUp(), [...before.slice(0, 3), sessions + 1]);
  assert.equal(((await world.send('GET', '/payments')).body.data as unknown[]).length, 0);
});

/** Leaves one field out, or writes something else. */
function spoil(event: Fields, path: string[], value: unknown): Fields {
  const [field = '', ...deeper] = path;
  const inner = deeper.length === 0 ? value : spoil(Object(event[field]), deeper, value);
  const spoilt = { ...event, [field]: inner };
  if (inner === undefined) delete spoilt[field];
  return spoilt;
}

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
    const status = await tell(event as object); // what Stripe would not send
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

test('an event of an unknown form keeps those after it from nothing', async () => {
  await using away = await startStripe();
  await using own = await openWorld({ env: away.environment, worker: false });
  const till = tillOf(away, own);
  const { key } = await own.account('listed');
  await till.open('25', key);
  away.pay();
  const [event] = away.events;
  away.events.push(spoil(event ?? {}, ['data', 'object', 'metadata'], 'x'));
  away.events.unshift(spoil(event ?? {}, ['created'], null));
  await own.restart();
  await eventually(
    async () => (await balanceOf(key, own)).balance,
    (balance) => balance === '25.00',
  );
});
