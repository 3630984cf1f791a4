import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { followClock } from '../../src/base/db/follow-clock.ts';
import { readPayments } from '../../src/config/payment-settings.ts';
import { openAdministration } from '../admin/admin-client.ts';
import { readEmail } from '../alerts/read-email.ts';
import { startSmtpServer } from '../alerts/smtp-server.ts';
import { startStripe } from '../emulators/stripe.ts';
import { bearer, eventually } from '../http/support/requests.ts';
import { openMember } from '../panel/browser.ts';
import { openWebhookWorld } from '../webhooks/support/webhook-world.ts';
import { recordTime } from '../world/record-time.ts';
import { openWorld } from '../world/world.ts';
import { tillOf } from './support/till-of.ts';
import { topUpsOf } from './support/top-ups-of.ts';

const stripe = await startStripe();
const world = await openWorld({ env: stripe.environment });
after(async () => {
  await world[Symbol.asyncDispose]();
  await stripe[Symbol.asyncDispose]();
});
const { tell, open, balanceOf, entriesOf, tellAll } = tillOf(stripe, world);

test('a payment on the page is credited once, however often it is reported', async () => {
  const { key, accountId } = await world.account('payer');
  const { payment_id, url } = await open('25', key);
  assert.equal(new URL(url).origin, stripe.url);
  const [session] = stripe.sessions.slice(-1);
  assert.deepEqual(
    [session?.amount_subtotal, session?.success_url],
    [2500, `${world.url}/accounts/${accountId}/balance?payment=${payment_id}`],
  );
  assert.equal((await balanceOf(key)).balance, '0.00');
  const from = stripe.events.length;
  const reference = stripe.pay();
  await tellAll(from);
  await tellAll(from);
  const { balance, debt } = await balanceOf(key);
  assert.deepEqual([balance, debt], ['25.00', undefined]);
  const { body } = await world.send('GET', `/payments/${payment_id}`, { headers: bearer(key) });
  assert.deepEqual([body.status, body.amount, body.reference], ['paid', '25.00', reference]);
  const { body: list } = await world.send('GET', '/payments', { headers: bearer(key) });
  assert.deepEqual(
    [list.enabled, list.amounts, list.least],
    [true, ['10.00', '25.00', '50.00', '100.00'], '5.00'],
  );
  assert.deepEqual(list.data, [body]);
  const [entry] = await entriesOf(key);
  assert.deepEqual([entry?.kind, entry?.reason], ['credit', 'Payment by Stripe']);
});

test('a payment is reported once with its credit, and emailed as a receipt; a low balance leads to the next payment', async () => {
  await using smtp = await startSmtpServer();
  await using own = await openWebhookWorld({
    env: {
      ...stripe.environment,
      SMTP_URL: `${smtp.url}?ignoreTLS=true`,
      DARKROOM_MAIL_FROM: 'darkroom@example.com',
    },
  });
  const till = tillOf(stripe, own.world);
  const { key, accountId } = await own.world.account('receipts');
  await openMember(own.world, { email: 'owner@receipts.test', accountId, emailConfirmed: true });
  const { payment_id } = await till.open('25', key);
  const from = stripe.events.length;
  const reference = stripe.pay();
  await till.tellAll(from);
  await till.tellAll(from);
  const [mail] = await smtp.got(1);
  const { headers, text } = readEmail(mail?.content ?? '');
  assert.deepEqual(mail?.to, ['owner@receipts.test']);
  assert.match(headers, /^Subject: Receipt for 25\.00 USD: receipts$/m);
  assert.match(text, new RegExp(`Paid: 25\\.00 USD\nNew balance: 25\\.00 USD\nReference: ${reference}`));
  assert.ok(text.includes(`/accounts/${accountId}/balance?payment=${payment_id}\n`));
  const receipt_url = `https://pay.stripe.test/receipts/${reference}`;
  assert.ok(text.includes(`Receipt from the payment provider:\n${receipt_url}\n`));
  const rows = await own.world.app.database.read.selectFrom('events').select(['type', 'data']).execute();
  assert.deepEqual(
    rows.map(({ type, data }) => ({ type, ...JSON.parse(data ?? '') })),
    [
      {
        ...{ type: 'payment.received', account_id: accountId, account_name: 'receipts', payment_id },
        ...{ amount: '25.00', reference, debt_paid: '0.00', balance: '25.00', receipt_url },
      },
    ],
  );
  await own.operations.changeAccountAlerts(accountId, { balance_low: '5' });
  await own.operations.debitAccount(accountId, { amount: '24', reason: 'spent' });
  const [, low] = await smtp.got(2);
  assert.ok(
    readEmail(low?.content ?? '').text.includes(
      `Add credit:\n${own.world.url}/accounts/${accountId}/balance?add=credit\n`,
    ),
  );
});

test('an invoice is preferred to a receipt, and a payment is credited even if neither is found', async () => {
  await using invoicing = await startStripe();
  const { environment } = invoicing;
  const payments = readPayments(environment, { payments: { invoices: true } });
  await using own = await openWebhookWorld({ env: environment, config: { payments } });
  const till = tillOf(invoicing, own.world);
  const { key } = await own.world.account('invoices');
  await till.open('25', key);
  invoicing.pay();
  await till.open('10', key);
  invoicing.pay();
  const [first = {}, second = {}] = invoicing.events;
  assert.equal(await till.tell(first), 204);
  invoicing.answer('invoice', {
    status: 403,
    body: { error: { type: 'invalid_request_error', message: '' } },
  });
  assert.equal(await till.tell(second), 204);
  await till.tellAll();
  assert.deepEqual([invoicing.of('invoice').length, invoicing.of('payment intent').length], [2, 0]);
  const rows = await own.world.app.database.read.selectFrom('events').select('data').execute();
  const { invoice } = invoicing.sessions[0] ?? {};
  assert.deepEqual(rows.map(({ data }) => JSON.parse(data ?? '').receipt_url).sort(), [
    `https://invoice.stripe.test/${invoice}`,
    null,
  ]);
  assert.equal((await till.balanceOf(key)).balance, '35.00');
});

test('a message that is not signed by Stripe, or too old, is refused and has no effect', async () => {
  const { key } = await world.account('forger');
  await open('25', key);
  stripe.pay();
  const event = stripe.events.at(-1) ?? {};
  const { headers, body } = stripe.signed(event);
  const forged = stripe.signed(event, 'whsec_another').headers['stripe-signature'] ?? '';
  const old = (headers['stripe-signature'] ?? '').replace(
    /t=\d+/,
    `t=${Math.floor(Date.now() / 1000) - 400}`,
  );
  for (const [signature, sent] of [
    [forged, body],
    [old, body],
    ['', body],
    ['t=,v1=', body],
    [headers['stripe-signature'] ?? '', body.replace('2500', '9900')],
    [headers['stripe-signature'] ?? '', ''],
  ] as const) {
    const response = await fetch(`${world.url}/payments/stripe`, {
      method: 'POST',
      headers: { 'stripe-signature': signature, 'content-type': 'application/json' },
      ...(sent !== '' && { body: sent }),
    });
    assert.equal(response.status, 422, await response.text());
  }
  const long = await fetch(`${world.url}/payments/stripe`, {
    ...{ method: 'POST', headers, body: 'x'.repeat(2_000_000) },
  });
  assert.equal(long.status, 413);
  assert.equal((await balanceOf(key)).balance, '0.00');
  assert.equal(await tell({ ...event, type: 'customer.created' }), 204);
  assert.equal(await tell(event), 204);
  assert.equal((await balanceOf(key)).balance, '25.00');
});

test('a payment that takes a bank days is credited once it is paid, and not if the bank refuses', async () => {
  const { key } = await world.account('by bank');
  let from = stripe.events.length;
  const first = await open('10', key);
  const slow = stripe.begin();
  await tellAll(from);
  assert.equal((await balanceOf(key)).balance, '0.00');
  from = stripe.events.length;
  slow.fail();
  await tellAll(from);
  const failed = await world.send('GET', `/payments/${first.payment_id}`, { headers: bearer(key) });
  assert.equal(failed.body.status, 'failed');
  await open('10', key);
  from = stripe.events.length;
  stripe.begin().succeed();
  await tellAll(from);
  assert.equal((await balanceOf(key)).balance, '10.00');
});

test('taxes are charged and not credited, and a partial refund takes back that part of the credit', async () => {
  await using taxing = await startStripe({ taxes: 19 });
  await using own = await openWorld({ env: taxing.environment, worker: false });
  const before = (await balanceOf(own.key, own)).balance;
  await open('100', own.key, { in: own });
  const payment = taxing.pay();
  taxing.refund(payment, 5950);
  for (const event of taxing.events) assert.equal(await tell(event, { url: own.url, stripe: taxing }), 204);
  assert.equal(Number((await balanceOf(own.key, own)).balance) - Number(before), 50);
});

test('a refund and a dispute take back no more than the payment credited; if a dispute takes a part, the rest stays', async () => {
  const { key } = await world.account('disputed');
  await open('100', key);
  const from = stripe.events.length;
  const payment = stripe.pay();
  stripe.refund(payment, 4000);
  const dispute = stripe.dispute(payment);
  await tellAll(from);
  const { balance, debt } = await balanceOf(key);
  assert.deepEqual([balance, debt], ['0.00', undefined]);
  const took = (await entriesOf(key)).filter(({ kind }) => kind === 'debit');
  assert.deepEqual(
    took.map(({ amount }) => amount),
    ['40.00', '60.00'],
  );
  dispute.win();
  await tellAll(from);
  assert.equal((await balanceOf(key)).balance, '60.00');
});

test('operators list all accounts’ payments with their refunds, and the accounts that owe', async () => {
  await using from = await startStripe();
  await using own = await openWorld({ env: from.environment, worker: false });
  const admin = (await openAdministration(own))();
  const { key, accountId } = await own.account('indebted');
  await open('30', key, { in: own });
  const payment = from.pay();
  for (const event of from.events) await tell(event, { url: own.url, stripe: from });
  await admin.debitAccount(accountId, { amount: '25', reason: 'spent' });
  assert.deepEqual((await admin.listAccounts({ owing: true })).data, []);
  from.dispute(payment).win();
  from.refund(payment, 1000);
  for (const event of from.events) await tell(event, { url: own.url, stripe: from });
  await open('10', own.key, { in: own });
  const first = await admin.listAllPayments({ limit: 1 });
  assert.deepEqual(
    first.data.map(({ account_id, status }) => [account_id, status]),
    [[own.accountId, 'open']],
  );
  const [one] = (await admin.listAllPayments({ cursor: first.next_cursor ?? '' })).data;
  assert.deepEqual(
    [one?.account, one?.status, one?.reversed, one?.reversals.map(({ kind, status }) => [kind, status])],
    [
      ...['indebted', 'paid', '10.00'],
      [
        ['dispute', 'returned'],
        ['refund', 'taken'],
      ],
    ],
  );
  const owing = (await admin.listAccounts({ owing: true })).data;
  assert.deepEqual(
    owing.map(({ name, debt }) => [name, debt]),
    [['indebted', '5.00']],
  );
});

test('a dispute that is won and then lost takes the money a second time, in whatever order the events come', async () => {
  for (const isBackwards of [false, true]) {
    const { key } = await world.account(`appealed ${isBackwards}`);
    await open('100', key);
    const from = stripe.events.length;
    const dispute = stripe.dispute(stripe.pay());
    dispute.win();
    dispute.lose();
    dispute.win();
    dispute.lose();
    const said = stripe.events.slice(from);
    for (const event of isBackwards ? said.toReversed() : said) assert.equal(await tell(event), 204);
    assert.equal((await balanceOf(key)).balance, '0.00');
    const moved = (await entriesOf(key)).map(({ kind }) => kind);
    // If the events come in reverse order, only the final state is applied.
    const times = isBackwards ? 1 : 3;
    assert.deepEqual(moved, Array.from({ length: times }, () => ['credit', 'debit']).flat());
    dispute.win();
    await tellAll(from);
    assert.equal((await balanceOf(key)).balance, '100.00');
  }
});

test('the amount that a dispute was last reported with is taken, in whatever order the reports come', async () => {
  for (const isBackwards of [false, true]) {
    const { key } = await world.account(`restated ${isBackwards}`);
    await open('100', key);
    const from = stripe.events.length;
    const dispute = stripe.dispute(stripe.pay());
    dispute.restate(4000);
    dispute.restate(7000);
    const said = stripe.events.slice(from);
    for (const event of isBackwards ? said.toReversed() : said) assert.equal(await tell(event), 204);
    await tellAll(from);
    assert.equal((await balanceOf(key)).balance, '30.00');
    dispute.restate(2000);
    await tellAll(from);
    assert.equal((await balanceOf(key)).balance, '80.00');
    dispute.win();
    await tellAll(from);
    assert.equal((await balanceOf(key)).balance, '100.00');
    dispute.lose();
    await tellAll(from);
    assert.equal((await balanceOf(key)).balance, '80.00');
  }
});

test('a payment that was booked by hand is not booked twice, and others are found', async () => {
  await using away = await startStripe();
  await using own = await openWorld({ env: away.environment, worker: false });
  const admin = await openAdministration(own);
  const { account_id } = await admin().createAccount({ name: 'by hand' });
  const { key } = await admin().createKey(account_id, {});
  await open('50', key, { in: own });
  const payment = away.pay();
  await open('10', key, { in: own });
  away.pay();
  away.refund(payment, 5000);
  const event = away.events.at(-1) ?? assert.fail();
  const refund = String((event.data as { object: { id: string } }).object.id);
  await admin().creditAccount(account_id, { amount: '49', reference: payment });
  await admin().debitAccount(account_id, { amount: '48', reason: 'by hand', reference: refund });
  await own.restart();
  await eventually(
    async () => (await balanceOf(key, own)).balance,
    (balance) => balance === '11.00',
  );
});

test('events that came while the server was down are found when it starts', async () => {
  await using away = await startStripe();
  await using own = await openWorld({ env: away.environment, worker: false });
  const before = Number((await balanceOf(own.key, own)).balance);
  await open('50', own.key, { in: own });
  away.refund(away.pay(), 2000);
  await own.restart();
  await eventually(
    async () => Number((await balanceOf(own.key, own)).balance) - before,
    (more) => more === 30,
  );
});

test('amounts that are not offered, fractions of a cent, and a Stripe outage open no page', async () => {
  const { key } = await world.account('wrong');
  const post = (body: unknown) => world.send('POST', '/payments', { body, headers: bearer(key) });
  for (const amount of ['4.99', '1000.01', '-10', 'ten', '10.001', '1e3', 10, null])
    assert.equal((await post({ amount })).status, 422, String(amount));
  stripe.answer('checkout', {
    status: 401,
    body: { error: { type: 'invalid_request_error', message: 'no key' } },
  });
  const refused = await post({ amount: '10' });
  assert.deepEqual([refused.status, refused.body.code], [503, 'payments_unavailable']);
  assert.equal(refused.headers.get('retry-after'), '30');
  // Programs repeat the same request once Stripe is back.
  const again = { 'idempotency-key': 'top-up-1' };
  stripe.answer('checkout', 'reset', 'reset', 'reset');
  const headers = { ...bearer(key), ...again };
  const wanted = { body: { amount: '10' }, headers };
  assert.equal((await world.send('POST', '/payments', wanted)).status, 503);
  assert.equal((await world.send('POST', '/payments', wanted)).status, 201);
  const { body: listed } = await world.send('GET', '/payments', { headers: bearer(key) });
  assert.equal((listed.data as unknown[]).length, 1);
  const opened = [];
  for (let nth = 0; nth < 21; nth += 1) opened.push((await post({ amount: '10' })).status);
  assert.deepEqual([opened.filter((status) => status === 201).length, opened.at(-1)], [19, 429]);
});

test('new pages for payments and cards can be opened after an hour, even if the clock was set back', async () => {
  await using own = await openWorld({ env: stripe.environment, worker: false });
  const account = await topUpsOf(stripe, { world: own }).openAccount('set back', { credit: 20n });
  const pay = () => own.send('POST', '/payments', { body: { amount: '10' }, headers: bearer(account.key) });
  const open = async () => [(await pay()).status, (await account.openPage()).status];
  for (let nth = 0; nth < 19; nth += 1) assert.equal((await pay()).status, 201);
  assert.deepEqual(await open(), [201, 201]);
  assert.deepEqual(await open(), [429, 429]);
  await recordTime(own);
  await own.jump(-24 * 60 * 60_000);
  await followClock(own.app.database);
  assert.deepEqual(await open(), [429, 429]);
  await own.elapse(61 * 60_000);
  assert.deepEqual(await open(), [201, 201]);
});

test('an installation that takes no payments says so', async () => {
  await using own = await openWorld({ worker: false });
  const { body } = await own.send('GET', '/payments');
  assert.deepEqual([body.enabled, body.amounts, body.data], [false, [], []]);
  assert.equal((await own.send('POST', '/payments', { body: { amount: '10' } })).status, 404);
  assert.equal((await fetch(`${own.url}/payments/stripe`, { method: 'POST' })).status, 404);
});
