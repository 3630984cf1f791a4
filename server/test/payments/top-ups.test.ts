import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { disableAccount } from '../../src/accounts/disable-account.ts';
import { findPayment } from '../../src/accounts/payments/payment-store.ts';
import { claimTopUp } from '../../src/accounts/payments/top-ups/claim-top-up.ts';
import { insertCardIfNew, saveTopUp } from '../../src/accounts/payments/top-ups/top-up-store.ts';
import { startApp } from '../../src/app.ts';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { followClock } from '../../src/base/db/follow-clock.ts';
import { readPayments } from '../../src/config/payment-settings.ts';
import { readEmail } from '../alerts/read-email.ts';
import { startSmtpServer } from '../alerts/smtp-server.ts';
import { startStripe } from '../emulators/stripe.ts';
import { bearer, eventually } from '../http/support/requests.ts';
import { openOperator } from '../panel/browser.ts';
import { openWebhookWorld } from '../webhooks/support/webhook-world.ts';
import { recordTime } from '../world/record-time.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld, type World } from '../world/world.ts';
import { topUpsOf } from './support/top-ups-of.ts';

const stripe = await startStripe();
const smtp = await startSmtpServer();
const webhooks = await openWebhookWorld({
  makesImages: true,
  env: {
    ...stripe.environment,
    SMTP_URL: `${smtp.url}?ignoreTLS=true`,
    DARKROOM_MAIL_FROM: 'darkroom@example.com',
  },
});
const { world } = webhooks;
after(async () => {
  await webhooks[Symbol.asyncDispose]();
  await stripe[Symbol.asyncDispose]();
  await smtp[Symbol.asyncDispose]();
});
const { openAccount, tell, spend, charged, decide, makeOld } = topUpsOf(stripe, webhooks);
const settings = { threshold: '5', amount: '10', month_most: '100' };
/** An outage, after which Stripe's library does not repeat the request by itself. */
const away = {
  ...{ status: 500, headers: { 'stripe-should-retry': 'false' } },
  body: { error: { type: 'api_error', message: 'away' } },
};

test('a card is charged once the balance is low, and only its event is credited', async () => {
  const account = await openAccount('charged', { credit: 20n });
  assert.equal((await account.read()).card, null);
  await account.saveCard();
  const set = await account.turnOn(settings);
  assert.deepEqual(
    [set.offered, set.status, set.card, set.threshold, set.amount, set.month_most, set.month_used],
    [true, 'on', { brand: 'visa', last4: '4242', ends: '2031-08' }, '5.00', '10.00', '100.00', '0.00'],
  );
  assert.equal(await decide(account), 'enough');
  stripe.always('events', { body: { object: 'list', data: [], has_more: false } });
  const from = stripe.events.length;
  await spend(account, 16n);
  const [charge] = await charged(account, 1);
  assert.deepEqual([charge?.amount, charge?.status], [1000, 'succeeded']);
  // Stripe's answer says that the charge is paid, but only the event counts.
  assert.equal((await account.balance()).balance, '4.00');
  assert.equal(await decide(account), 'under_way');
  assert.equal((await account.read()).month_used, '10.00');
  for (const _ of [1, 2]) for (const event of stripe.events.slice(from)) assert.equal(await tell(event), 204);
  assert.equal((await account.balance()).balance, '14.00');
  assert.equal(await decide(account), 'enough');
  const { body } = await world.send('GET', '/payments', { headers: bearer(account.key) });
  const [payment] = body.data as { status: string; reference: string }[];
  assert.deepEqual([payment?.status, payment?.reference], ['paid', charge?.id]);
  const entry = await account.newestEntry();
  assert.deepEqual([entry?.kind, entry?.amount, entry?.reason], ['credit', '10.00', 'Payment by Stripe']);
  // A refund of an unreported charge first credits the charge.
  await spend(account, 10n);
  const [, second] = await charged(account, 2);
  stripe.refund(String(second?.id), 400);
  assert.equal(await tell(stripe.events.at(-1) ?? {}), 204);
  assert.equal((await account.balance()).balance, '10.00');
  stripe.always('events', undefined);
});

test('a hundred jobs at once on two processes below the threshold make one charge', async () => {
  await using second = await startApp(world.config, { clock: world.clock, log: silentLog });
  const account = await openAccount('crowd', { credit: 8n });
  await account.saveCard();
  await account.turnOn({ ...settings, threshold: '7' });
  const create = (url: string | null) =>
    fetch(`${url}/api/v1/nb2/text-generations`, {
      method: 'POST',
      headers: { ...bearer(account.key), 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'a fox', aspect_ratio: '1:1' }),
    }).then(({ status }) => status);
  const statuses = await Promise.all(
    Array.from({ length: 100 }, (_, nth) => create(nth % 2 === 0 ? world.url : second.url)),
  );
  assert.ok(statuses.filter((status) => status === 202).length > 30);
  await charged(account, 1);
  const racing = [world.app.database, second.database];
  const decisions = await Promise.all(
    Array.from({ length: 40 }, (_, nth) =>
      claimTopUp(racing[nth % 2] ?? assert.fail(), { accountId: account.accountId, provider: 'stripe' }),
    ),
  );
  assert.deepEqual(
    decisions.filter(({ charge }) => charge),
    [],
  );
  await account.credited('10.00', 1);
  assert.equal((await charged(account, 1)).length, 1);
});

test('of many concurrent decisions on two processes one charges, and after a kill another process requests the charge, once', async () => {
  await using own = await openUnpaid();
  await using second = await startApp(own.config, { clock: own.clock, log: silentLog });
  const { database } = own.app;
  const { accountId, key } = await openLow(own, 'raced');
  const racing = [database, second.database];
  const decisions = await Promise.all(
    Array.from({ length: 40 }, (_, nth) =>
      claimTopUp(racing[nth % 2] ?? assert.fail(), { accountId, provider: 'stripe' }),
    ),
  );
  const [charge, ...more] = decisions.flatMap((one) => one.charge ?? []);
  assert.deepEqual([charge?.amountMicros, more], [10_000_000n, []]);
  await topUpsOf(stripe, { world: own }).makeOld(charge?.paymentId ?? '', { asked: 11 });
  const made = () => stripe.charges.filter(({ customer }) => customer === 'cus_raced').length;
  assert.equal(made(), 0);
  await addKeys(own);
  await eventually(
    async () => (await own.send('GET', '/balance', { headers: bearer(key) })).body.balance,
    (balance) => balance === '13.00',
  );
  assert.equal(made(), 1);
});

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
for (const { ageMs, backMs, afterMs, name, ends } of [
  { ageMs: 0, backMs: 24 * hourMs, afterMs: 11 * minuteMs, name: 'is sent after ten minutes', ends: 'paid' },
  { ageMs: 0, backMs: 24 * hourMs, afterMs: 23.5 * hourMs, name: 'is not sent after a day', ends: 'failed' },
  {
    ...{ ageMs: 3 * hourMs, backMs: 2 * hourMs, afterMs: 21.5 * hourMs },
    ...{ name: 'and was made hours before is not sent after a day', ends: 'failed' },
  },
] as const)
  test(`a charge that a killed process did not send ${name}, even if the clock was set back`, async () => {
    await using own = await openUnpaid();
    const { database } = own.app;
    const { accountId } = await openLow(own, `set back ${afterMs}`);
    const { charge } = await claimTopUp(database, { accountId, provider: 'stripe' });
    assert.ok(charge);
    await topUpsOf(stripe, { world: own }).makeOld(charge.paymentId, { made: ageMs / minuteMs });
    await recordTime(own);
    await own.jump(-backMs);
    await followClock(database);
    await own.elapse(afterMs);
    await addKeys(own);
    await eventually(
      async () => (await findPayment(database.read, charge.paymentId))?.state,
      (state) => state === ends,
    );
  });

/** Opens a world without Stripe's keys, so that no loop charges until they are added. */
function openUnpaid(): Promise<World> {
  const { STRIPE_API_URL } = stripe.environment;
  return openWorld({ env: { STRIPE_API_URL }, worker: false });
}

async function addKeys(own: World): Promise<void> {
  const { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET } = stripe.environment;
  const body = { secret_key: STRIPE_SECRET_KEY, webhook_secret: STRIPE_WEBHOOK_SECRET };
  await (await openOperator(own)).call('POST /panel/operator/payment-keys', { body });
}

/** Opens an account whose balance is below its threshold. */
async function openLow(own: World, name: string) {
  const { accountId, key } = await own.account(name, { creditMicros: 3_000_000n });
  const customer = `cus_${name.replaceAll(' ', '_')}`;
  const card = { id: stripe.saveCard('pays', { customer }), brand: 'visa', last4: '4242' };
  await own.app.database.transaction(async (tx) => {
    await insertCardIfNew(tx, {
      ...{ accountId, customer, savedAt: own.clock.nowMs() },
      card: { ...card, ends: '2031-08' },
    });
    await saveTopUp(tx, accountId, {
      ...{ state: 'on', card: card.id, customer, threshold_micros: 5_000_000n },
      ...{ amount_micros: 10_000_000n, month_micros: 100_000_000n },
    });
  });
  return { accountId, key };
}

for (const does of ['card_declined', 'authentication_required'] as const) {
  const reason = does === 'card_declined' ? 'declined' : does;
  test(`a refused card (${does}) is no longer charged, and its owner is told once what to do`, async () => {
    const account = await openAccount(`refused ${reason}`, { credit: 3n });
    await account.saveCard(does);
    const from = stripe.events.length;
    await account.turnOn(settings);
    await account.becomes('stopped');
    for (const event of stripe.events.slice(from)) assert.equal(await tell(event), 204);
    assert.equal((await account.read()).stopped_by, reason);
    assert.equal((await charged(account, 1)).length, 1);
    assert.equal(await decide(account), 'off');
    const mails = await smtp.mailsTo(account.owner, 1);
    const { headers, text } = readEmail(mails[0]?.content ?? '');
    assert.match(headers, /^Subject: Automatic top-up has stopped: refused/m);
    assert.match(text, reason === 'declined' ? /The bank refused the card/ : /wants a person to confirm/);
    assert.equal((await account.read()).month_used, '0.00');
    assert.deepEqual(
      (await account.events()).map(({ type }) => type),
      ['top_up.stopped'],
    );
    // A better card does not turn top-up on; the owner does.
    await account.saveCard();
    assert.equal((await account.read()).status, 'stopped');
    await account.turnOn(settings);
    await account.credited('10.00', 1);
  });
}

test('a lost answer charges once', async () => {
  const account = await openAccount('lost', { credit: 3n });
  await account.saveCard();
  stripe.lose();
  await account.turnOn(settings);
  await account.credited('10.00', 1);
  assert.equal((await charged(account, 1)).length, 1);
});

for (const { what, name } of [
  { what: 'a card that its owner removed', name: 'removed meanwhile' },
  { what: 'the card of an account that was disabled', name: 'disabled meanwhile' },
])
  test(`${what} while Stripe was away is not charged when Stripe is back`, async () => {
    const account = await openAccount(name, { credit: 3n });
    const { accountId } = account;
    await account.saveCard();
    stripe.always('charge', away);
    const asked = stripe.arrived('charge');
    await account.turnOn(settings);
    await asked;
    const [payment] = await account.payments();
    assert.equal(payment?.status, 'open');
    stripe.answer('detach', away);
    if (name === 'removed meanwhile') await account.turnOff();
    else await disableAccount(world.app, { accountId, reason: 'abuse' }, commandLine);
    stripe.always('charge', undefined);
    await makeOld(payment.payment_id, { asked: 11 });
    const ended = await eventually(
      () => findPayment(world.app.database.read, payment.payment_id),
      (one) => one?.state !== 'open',
    );
    assert.equal(ended?.state, 'failed');
    assert.equal((await charged(account, 0)).length, 0);
  });

test('a charge without news for a day has failed if Stripe does not know it, and is not repeated', async () => {
  const account = await openAccount('a day', { credit: 3n });
  await account.saveCard();
  stripe.always('charge', { status: 500, body: { error: { type: 'api_error', message: 'away' } } });
  const asked = stripe.arrived('charge');
  await account.turnOn(settings);
  await asked;
  const [payment] = await eventually(account.payments, ({ length }) => length === 1);
  await account.turnOff();
  await makeOld(payment?.payment_id ?? '', { asked: 11, made: 24 * 60 });
  await eventually(account.payments, ([one]) => one?.status === 'failed');
  stripe.always('charge', undefined);
  assert.equal((await charged(account, 0)).length, 0);
  assert.equal((await account.balance()).balance, '3.00');
});

test('no more is charged per month than its limit, and the next month starts from zero', async () => {
  const account = await openAccount('bound', { credit: 3n });
  await account.saveCard();
  await account.turnOn({ ...settings, month_most: '25' });
  await account.credited('10.00', 1);
  await spend(account, 10n);
  await account.credited('10.00', 2);
  await spend(account, 10n);
  assert.equal(await decide(account), 'month_is_used');
  assert.deepEqual([(await charged(account, 2)).length, (await account.read()).month_used], [2, '20.00']);
  for (const { payment_id } of await account.payments()) await makeOld(payment_id, { made: 32 * 24 * 60 });
  await account.credited('10.00', 3);
  assert.equal((await account.read()).month_used, '10.00');
});

test('a card that is removed at Stripe stops top-up, whether Stripe reported it or not', async () => {
  const account = await openAccount('removed', { credit: 20n });
  const card = await account.saveCard();
  await account.turnOn(settings);
  stripe.detach(card);
  for (const _ of [1, 2]) assert.equal(await tell(stripe.events.at(-1) ?? {}), 204);
  const { status, stopped_by, card: none } = await account.read();
  assert.deepEqual([status, stopped_by, none], ['stopped', 'card_removed', null]);
  const { status: refused, text } = await account.try(settings);
  assert.deepEqual([refused, /no card to charge/.test(text)], [422, true]);

  stripe.detach(await account.saveCard());
  await account.turnOn(settings);
  await spend(account, 16n);
  await account.becomes('stopped');
  assert.equal((await account.read()).stopped_by, 'card_removed');
  assert.equal((await charged(account, 0)).length, 0);
});

test('nothing is charged while a payment is disputed or the account owes, nor afterwards without an owner’s consent', async () => {
  const account = await openAccount('disputed', { credit: 3n });
  await account.saveCard();
  await account.turnOn(settings);
  const [charge] = await charged(account, 1);
  await account.credited('10.00', 1);
  await spend(account, 10n);
  await charged(account, 2);
  await account.credited('10.00', 2);
  const dispute = stripe.dispute(String(charge?.id));
  for (const event of stripe.events.slice(-2)) assert.equal(await tell(event), 204);
  assert.deepEqual(
    [(await account.read()).status, (await account.read()).stopped_by],
    ['stopped', 'disputed'],
  );
  const { status, text } = await account.try(settings);
  assert.deepEqual([status, /is disputed/.test(text)], [422, true]);
  dispute.lose();
  assert.equal(await tell(stripe.events.at(-1) ?? {}), 204);
  assert.equal((await account.read()).status, 'stopped');
  await account.turnOn({ ...settings, threshold: '1' });
  stripe.refund(String((await charged(account, 2))[1]?.id), 1000);
  assert.equal(await tell(stripe.events.at(-1) ?? {}), 204);
  assert.ok(Number((await account.balance()).debt) > 0);
  assert.equal(await decide(account), 'owes');
});

test('a dispute that is lost in the second of its last report is over, in whatever order the reports come', async () => {
  const account = await openAccount('lost at once', { credit: 3n });
  await account.saveCard();
  await account.turnOn(settings);
  const [charge] = await charged(account, 1);
  await account.credited('10.00', 1);
  stripe.dispute(String(charge?.id)).lose(0);
  const [created, withdrawn, lost] = stripe.events.slice(-3);
  for (const event of [created, withdrawn]) assert.equal(await tell(event ?? {}), 204);
  assert.equal((await account.try(settings)).status, 422);
  for (const event of [lost, withdrawn]) assert.equal(await tell(event ?? {}), 204);
  assert.equal((await account.try({ ...settings, threshold: '1' })).status, 200);
});

test('an owner turns it off: the card is deleted here and at Stripe, even if it is reported again', async () => {
  const account = await openAccount('off', { credit: 20n });
  const from = stripe.events.length;
  const card = await account.saveCard();
  await account.turnOn(settings);
  await account.turnOff();
  assert.ok(stripe.of('detach').some(({ path }) => path.includes(card)));
  for (const event of stripe.events.slice(from)) assert.equal(await tell(event), 204);
  const { status, card: none } = await account.read();
  assert.deepEqual([status, none], ['off', null]);
  const soon = await account.openPage();
  assert.deepEqual([soon.status, /less than a minute ago/.test(soon.text)], [429, true]);
});

test('a card whose report comes late does not replace the card that was saved after it', async () => {
  const account = await openAccount('two cards', { credit: 3n });
  stripe.always('events', { body: { object: 'list', data: [], has_more: false } });
  await account.openPage();
  const older = stripe.saveCard();
  const late = { ...stripe.events.at(-1), created: Math.floor(Date.now() / 1000) - 60 };
  const card = await account.saveCard();
  for (const _ of [1, 2]) assert.equal(await tell(late), 204);
  await account.turnOn(settings);
  await charged(account, 1);
  stripe.always('events', undefined);
  const asked = new URLSearchParams(stripe.of('charge').at(-1)?.body.toString());
  assert.deepEqual([asked.get('payment_method'), older === card], [card, false]);
});

test('if Stripe opens no page for a card, the owner need not wait to try again', async () => {
  const account = await openAccount('no page', { credit: 20n });
  stripe.answer('checkout', away);
  const statuses = [];
  for (const _ of [1, 2, 3]) statuses.push((await account.openPage()).status);
  assert.deepEqual(statuses, [503, 201, 429]);
});

test('settings that cannot be charged are refused, and no card is charged if taxes are added', async () => {
  const account = await openAccount('wrong', { credit: 20n });
  await account.saveCard();
  for (const wrong of [{ threshold: '0' }, { amount: '1' }, { amount: '10.001' }, { month_most: '9' }])
    assert.equal((await account.try({ ...settings, ...wrong })).status, 422, JSON.stringify(wrong));
  const payments = readPayments(stripe.environment, { payments: { taxes: true } });
  await using own = await openWorld({ config: { payments }, worker: false });
  const taxed = topUpsOf(stripe, { ...webhooks, world: own });
  const other = await taxed.openAccount('taxed', { credit: 3n });
  assert.equal((await other.read()).offered, false);
  assert.equal((await other.openPage()).status, 404);
});
