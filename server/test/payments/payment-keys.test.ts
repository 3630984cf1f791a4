import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKeySealer } from '../../src/accounts/payments/payment-keys.ts';
import { saveTopUp } from '../../src/accounts/payments/top-ups/top-up-store.ts';
import { startApp } from '../../src/app.ts';
import { writeSetting } from '../../src/base/db/settings-store.ts';
import { readPayments } from '../../src/config/payment-settings.ts';
import { isEmpty, lookAtSealed } from '../../src/start/sealed-things.ts';
import type { Reply } from '../emulators/emulator.ts';
import { startStripe } from '../emulators/stripe.ts';
import { bearer, eventually } from '../http/support/requests.ts';
import { Browser, openMember, openOperator } from '../panel/browser.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld } from '../world/world.ts';

const keys = 'GET /panel/operator/payment-keys';
const save = 'POST /panel/operator/payment-keys';
const remove = 'POST /panel/operator/payment-keys/remove';

test('keys that an operator enters are sealed, and all processes take payments with them until they are removed', async () => {
  await using stripe = await startStripe();
  const { STRIPE_API_URL, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET } = stripe.environment;
  await using world = await openWorld({ env: { STRIPE_API_URL }, worker: false });
  await using second = await startApp(world.config, { clock: world.clock, log: silentLog });
  const operator = await openOperator(world);
  assert.equal((await operator.call(keys)).from, null);
  const post = (url: string | null) =>
    fetch(`${url}/api/v1/payments`, {
      method: 'POST',
      headers: { ...bearer(world.key), 'content-type': 'application/json' },
      body: JSON.stringify({ amount: '25' }),
    }).then(({ status }) => status);
  assert.equal(await post(world.url), 404);
  const body = { secret_key: STRIPE_SECRET_KEY, webhook_secret: STRIPE_WEBHOOK_SECRET };
  for (const wrong of [
    { ...body, secret_key: 'pk_live_x' },
    { ...body, webhook_secret: 'sk_test_key' },
  ])
    assert.equal((await operator.try(save, { body: wrong })).status, 422);
  const support = await openMember(world, { email: 'support', accountId: null, role: 'support' });
  assert.equal((await support.try(save, { body })).status, 403);
  for (const [stages, status, said] of [
    [['expire'], 401, /not a key that Stripe knows/],
    [['expire'], 403, /may not write Checkout Sessions\. Grant/],
    [['events'], 403, /may not read Events\. Grant/],
    [['expire', 'events'], 403, /may not write Checkout Sessions and read Events\. Grant/],
    [['expire'], 400, /does not answer, or refuses\. The keys are not saved/],
    [['events'], 400, /does not answer, or refuses\. The keys are not saved/],
  ] as const) {
    for (const stage of stages)
      stripe.answer(stage, { status, body: { error: { type: 'invalid_request_error', message: 'no' } } });
    const refused = await operator.try(save, { body });
    assert.match(refused.text, said);
    assert.doesNotMatch(refused.text, /sk_test_key|whsec_test/);
  }
  stripe.always('expire', 'hang');
  const began = performance.now();
  assert.match((await operator.try(save, { body })).text, /did not answer within 10 seconds/);
  assert.ok(performance.now() - began < 20_000, 'nobody waits for its retries');
  stripe.always('expire', undefined);
  assert.equal((await operator.call(keys)).from, null);

  const given = await operator.call(save, { body });
  assert.deepEqual(given, {
    ...{ from: 'panel', hint: 'sk_test_…_key', sends_to: `${world.url}/payments/stripe` },
    top_ups_lack: [],
  });
  assert.equal(stripe.of('checkout').length, 0, 'trying a key makes nothing');
  assert.equal(await post(world.url), 201);
  await eventually(
    () => post(second.url),
    (status) => status === 201,
  );
  stripe.pay();
  const { headers, body: message } = stripe.signed(stripe.events[0] ?? {});
  const told = await fetch(`${second.url}/payments/stripe`, { method: 'POST', headers, body: message });
  assert.equal(told.status, 204);
  const rows = await world.app.database.read.selectFrom('settings').selectAll().execute();
  const log = await world.app.database.read.selectFrom('audit_log').selectAll().execute();
  assert.doesNotMatch(JSON.stringify([rows, log]), /sk_test_key|whsec_test/);

  const lost = await lookAtSealed(world.app.database, ['another secret']);
  assert.deepEqual([lost.paymentKeys, lost.opened > 0, isEmpty(lost)], [1, false, false]);
  await world.restart();
  const again = new Browser(world);
  for (const [name, value] of operator.cookies) again.cookies.set(name, value);
  assert.equal((await again.call(keys)).from, 'panel');
  const removals = await Promise.all([again.try(remove), again.try(remove), again.try(remove)]);
  assert.deepEqual(removals.map(({ status }) => status).toSorted(), [200, 404, 404], 'once');
  assert.equal(await post(world.url), 404);
  await eventually(
    () => post(second.url),
    (status) => status === 404,
  );
});

test('requirements of automatic top-ups are enforced if an account has them, and otherwise only named', async () => {
  await using stripe = await startStripe();
  const { STRIPE_API_URL, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET } = stripe.environment;
  await using world = await openWorld({ env: { STRIPE_API_URL }, worker: false });
  const [operator, owner] = [await openOperator(world), await openMember(world, { email: 'ada' })];
  const body = { secret_key: STRIPE_SECRET_KEY, webhook_secret: STRIPE_WEBHOOK_SECRET };
  const none = { status: 403, body: { error: { type: 'invalid_request_error', message: 'no' } } };
  const stages = ['tried', 'detach', 'setup intent'];
  const forbid = (...all: (typeof none)[]) => {
    for (const stage of stages) stripe.answer(stage, ...all);
  };
  const isOffered = async () => (await owner.call('GET /api/v1/top-up')).offered;
  const all = ['write Customers', 'write PaymentIntents', 'write PaymentMethods', 'read SetupIntents'];

  forbid(none);
  stripe.answer('tried', none);
  assert.deepEqual((await operator.call(save, { body })).top_ups_lack, all);
  assert.deepEqual([(await operator.call(keys)).top_ups_lack, await isOffered()], [all, false]);
  assert.equal((await owner.try('POST /api/v1/top-up/card', {})).status, 404);
  assert.equal((await world.send('POST', '/payments', { body: { amount: '25' } })).status, 201);
  stripe.answer('setup intent', none);
  assert.deepEqual((await operator.call(save, { body })).top_ups_lack, ['read SetupIntents']);
  assert.deepEqual((await operator.call(save, { body })).top_ups_lack, []);
  assert.equal(await isOffered(), true);
  assert.deepEqual([stripe.of('customer').length, stripe.of('charge').length], [0, 0], 'nothing is made');

  await world.app.database.transaction((tx) => saveTopUp(tx, world.accountId, { state: 'stopped' }));
  stripe.answer('setup intent', none);
  assert.match((await operator.try(save, { body })).text, /may not read SetupIntents\. Grant/);
  assert.equal(await isOffered(), true);

  // An account that saves a card during the check counts as having top-ups.
  const saved = (state: 'off' | 'stopped') =>
    world.app.database.transaction((tx) => saveTopUp(tx, world.accountId, { state }));
  await saved('off');
  stripe.answer('setup intent', none);
  const answer = Promise.withResolvers<Reply>();
  stripe.answer('events', answer.promise);
  const asked = stripe.arrived('events');
  const saving = operator.try(save, { body });
  await asked;
  await saved('stopped');
  answer.resolve({ body: { object: 'list', data: [] } });
  assert.match((await saving).text, /may not read SetupIntents\. Grant/);
});

test('requirements of top-ups are checked even while Stripe Tax rules top-ups out, and named once it is switched off', async () => {
  await using stripe = await startStripe();
  const { STRIPE_API_URL, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET } = stripe.environment;
  const paymentsWith = (taxes: boolean) => readPayments({ STRIPE_API_URL }, { payments: { taxes } });
  await using world = await openWorld({ config: { payments: paymentsWith(true) }, worker: false });
  const [operator, owner] = [await openOperator(world), await openMember(world, { email: 'ada' })];
  // No card is charged automatically, so nothing is enforced.
  await world.app.database.transaction((tx) => saveTopUp(tx, world.accountId, { state: 'stopped' }));
  const body = { secret_key: STRIPE_SECRET_KEY, webhook_secret: STRIPE_WEBHOOK_SECRET };
  stripe.answer('setup intent', { status: 403, body: { error: { type: 'invalid_request_error' } } });
  const { from, top_ups_lack } = await operator.call(save, { body });
  assert.deepEqual([from, top_ups_lack], ['panel', []]);

  const untaxed = { ...world.config, payments: paymentsWith(false) };
  await using second = await startApp(untaxed, { clock: world.clock, log: silentLog });
  const there = (browser: Browser) => {
    const same = new Browser(world, second.url ?? '');
    for (const [name, value] of browser.cookies) same.cookies.set(name, value);
    return same;
  };
  assert.deepEqual((await there(operator).call(keys)).top_ups_lack, ['read SetupIntents']);
  assert.equal((await there(owner).call('GET /api/v1/top-up')).offered, false);

  const fails = { status: 500, body: { error: { type: 'api_error', message: 'no' } } };
  stripe.answer('setup intent', fails);
  stripe.answer('detach', 'hang');
  assert.equal((await operator.call(save, { body })).from, 'panel', 'failures that concern only top-ups');
  const lacks = async () => (await there(operator).call(keys)).top_ups_lack;
  const failed = ['write PaymentMethods', 'read SetupIntents'];
  await eventually(lacks, (names) => String(names) === String(failed));
  stripe.answer('setup intent', fails);
  assert.match((await there(operator).try(save, { body })).text, /does not answer, or refuses/);
  assert.deepEqual(await lacks(), failed, 'keys that may have to charge cards are not saved');
});

test('keys that no secret opens are reported as unreadable, and can be replaced', async () => {
  await using stripe = await startStripe();
  const { STRIPE_API_URL, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET } = stripe.environment;
  await using world = await openWorld({ env: { STRIPE_API_URL }, worker: false });
  const { database } = world.app;
  const operator = await openOperator(world);
  const body = { secret_key: STRIPE_SECRET_KEY, webhook_secret: STRIPE_WEBHOOK_SECRET };
  await operator.call(save, { body });
  const seal = (text: string) =>
    createKeySealer(['the secret before it was lost, and reset']).seal(text, 'stripe');
  const lose = () =>
    database.transaction((tx) => writeSetting(tx, 'payments.stripe.keys', seal(JSON.stringify(body))));
  await lose();
  const { from, hint } = await operator.call(keys);
  assert.deepEqual([from, hint], ['unreadable', null]);
  assert.equal((await world.send('POST', '/payments', { body: { amount: '25' } })).status, 404);
  assert.equal((await operator.call(save, { body })).from, 'panel');
  await lose();
  assert.equal((await operator.call(remove)).from, null);
});

test('keys in the environment take precedence, and cannot be changed in the panel', async () => {
  await using stripe = await startStripe();
  await using world = await openWorld({ env: stripe.environment, worker: false });
  const operator = await openOperator(world);
  assert.equal((await operator.call(keys)).from, 'environment');
  const body = { secret_key: 'sk_test_other', webhook_secret: 'whsec_other' };
  assert.match((await operator.try(save, { body })).text, /STRIPE_SECRET_KEY is set/);
  assert.equal((await operator.try(remove)).status, 422);
});
