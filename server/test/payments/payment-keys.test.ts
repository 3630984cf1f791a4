import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startApp } from '../../src/app.ts';
import { isEmpty, lookAtSealed } from '../../src/start/sealed-things.ts';
import { startStripe } from '../emulators/stripe.ts';
import { bearer, eventually } from '../http/support/requests.ts';
import { Browser, openMember, openOperator } from '../panel/browser.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld } from '../world/world.ts';

const keys = 'GET /panel/operator/payment-keys';
const save = 'POST /panel/operator/payment-keys';
const remove = 'POST /panel/operator/payment-keys/remove';

test('keys that an operator gives are sealed, and all processes take payments with them until they go', async () => {
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
  for (const [stage, status, said] of [
    ['sessions', 401, /not a key that Stripe knows/],
    ['events', 403, /may not do what payments take/],
    ['events', 400, /does not answer, or refuses/],
  ] as const) {
    stripe.answer(stage, { status, body: { error: { type: 'invalid_request_error', message: 'no' } } });
    const refused = await operator.try(save, { body });
    assert.match(refused.text, said);
    assert.doesNotMatch(refused.text, /sk_test_key|whsec_test/);
  }
  assert.equal((await operator.call(keys)).from, null);

  const given = await operator.call(save, { body });
  assert.deepEqual(given, {
    ...{ from: 'panel', hint: 'sk_test_…_key', sends_to: `${world.url}/payments/stripe` },
  });
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

test('keys of the environment win, and are not changed in the panel', async () => {
  await using stripe = await startStripe();
  await using world = await openWorld({ env: stripe.environment, worker: false });
  const operator = await openOperator(world);
  assert.equal((await operator.call(keys)).from, 'environment');
  const body = { secret_key: 'sk_test_other', webhook_secret: 'whsec_other' };
  assert.match((await operator.try(save, { body })).text, /STRIPE_SECRET_KEY is set/);
  assert.equal((await operator.try(remove)).status, 422);
});
