import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { creditAccount } from '../../src/accounts/credit-account.ts';
import { bearer } from '../http/support/requests.ts';
import { type Receiver, startReceiver } from '../webhooks/support/receiver.ts';
import { openWebhookWorld, type WebhookWorld } from '../webhooks/support/webhook-world.ts';

// A picture costs 0.04.
let webhooks: WebhookWorld;
let receiver: Receiver;
before(async () => {
  receiver = await startReceiver();
  webhooks = await openWebhookWorld({ makesImages: true });
});
after(async () => {
  await webhooks[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

/** An account whose alerts go to the receiver, at an address of its own. */
async function accountWith(name: string, alerts: { balance_low?: string; spend_near_percent?: number }) {
  const { world, operations } = webhooks;
  const account = await world.account(name, { creditMicros: 500_000n });
  const url = `${receiver.url}/${name}`;
  await operations.addEndpoint(account.accountId, {
    url,
    events: ['balance.low', 'spend_limit.near', 'spend_limit.reached'],
  });
  await operations.changeAccountAlerts(account.accountId, alerts);
  const make = async (count = 1) => {
    for (let nth = 0; nth < count; nth++)
      await world.finished(await world.create(undefined, {}, bearer(account.key)), account.key);
  };
  /** What it was told so far. */
  const told = async () => {
    const rows = await world.app.database.read
      .selectFrom('events')
      .select(['type', 'data'])
      .where('account_id', '=', account.accountId)
      .where('data', 'is not', null)
      .orderBy('seq')
      .execute();
    return rows.map(({ type, data }): Record<string, unknown> => ({ type, ...JSON.parse(data ?? '') }));
  };
  return { ...account, make, told, path: new URL(url).pathname, operations };
}

test('a balance that falls below its threshold is told once, and again after it was above', async () => {
  const { accountId, make, told, path, operations } = await accountWith('falling', { balance_low: '0.40' });
  await make(2);
  assert.deepEqual(await told(), [], '0.42 is not below');
  await make(2);
  const fell = {
    type: 'balance.low',
    account_id: accountId,
    account_name: 'falling',
    threshold: '0.40',
    balance: '0.38',
  };
  assert.deepEqual(await told(), [fell]);
  await receiver.got(1);
  const [sent] = receiver.received.filter((one) => one.path === path);
  assert.equal(JSON.parse(sent?.body ?? '').data.balance, '0.38');

  await creditAccount(webhooks.world.app, { account: accountId, amountMicros: 100_000n, reason: 'more' });
  assert.equal((await told()).length, 1, 'going above is nothing to tell');
  await operations.debitAccount(accountId, { amount: '0.20', reason: 'a chargeback' });
  assert.deepEqual(
    (await told()).map(({ balance }) => balance),
    ['0.38', '0.24'],
  );
});

test('many jobs that end at once tell of one fall', async () => {
  const { key, told } = await accountWith('crowd', { balance_low: '0.30' });
  const { world } = webhooks;
  const jobs = await Promise.all(Array.from({ length: 10 }, () => world.create(undefined, {}, bearer(key))));
  await Promise.all(jobs.map((jobId) => world.finished(jobId, key)));
  assert.equal((await told()).length, 1);
});

test('a share of a spend limit is told once in its day, for the account and for each key', async () => {
  const { accountId, keyId, make, told, operations } = await accountWith('near', { spend_near_percent: 80 });
  await operations.changeAccountLimits(accountId, { spend_day: '0.15', open: 100 });
  await operations.changeKeyLimits(keyId, { spend_total: '0.25' });
  await make(2);
  assert.deepEqual(await told(), []);
  await make();
  const [near, ...more] = await told();
  assert.deepEqual(more, []);
  assert.deepEqual(
    [near?.type, near?.of, near?.key_id, near?.limit, near?.used, near?.most, near?.percent],
    ['spend_limit.near', 'account', null, 'spend_day', '0.12', '0.15', 80],
  );
  assert.match(String(near?.resets_at), /T00:00:00/);
  await webhooks.world.elapse(24 * 60 * 60 * 1000);
  await make(2);
  const [, ofKey, ...rest] = await told();
  assert.deepEqual([ofKey?.of, ofKey?.key_id, ofKey?.used, rest.length], ['key', keyId, '0.20', 0]);
  await make();
  assert.deepEqual(
    (await told()).slice(2).map(({ of, used }) => [of, used]),
    [['account', '0.12']],
    'a new day',
  );
  await operations.changeAccountAlerts(accountId, { spend_near_percent: null });
  await webhooks.world.elapse(24 * 60 * 60 * 1000);
  assert.deepEqual(await operations.accountAlerts(accountId), {
    ...{ balance_low: null, spend_near_percent: null },
    by_email: false,
  });
});

/** Asks for images that are refused, all at once. */
async function refused({ world }: WebhookWorld, key: string, count: number) {
  const body = { prompt: 'a fox', aspect_ratio: '1:1' };
  const replies = await Promise.all(
    Array.from({ length: count }, () =>
      world.send('POST', '/nb2/text-generations', { headers: bearer(key), body }),
    ),
  );
  assert.deepEqual(
    replies.map((reply) => reply.body.code),
    replies.map(() => 'spend_limit_reached'),
  );
}

test('a spend limit that stops jobs is told once in its day, and again after it was changed', async () => {
  const { accountId, keyId, key, make, told, operations } = await accountWith('stopped', {});
  await operations.changeAccountLimits(accountId, { spend_day: '0.10' });
  await operations.changeKeyLimits(keyId, { spend_total: '0.20' });
  await make(2);
  assert.deepEqual(await told(), [], 'nothing was refused');
  await refused(webhooks, key, 5);
  await refused(webhooks, key, 1);
  const [first, ...more] = await told();
  assert.deepEqual(more, []);
  assert.deepEqual(
    [first?.type, first?.of, first?.key_id, first?.limit, first?.used, first?.most, first?.account_name],
    ['spend_limit.reached', 'account', null, 'spend_day', '0.08', '0.10', 'stopped'],
  );
  assert.match(String(first?.resets_at), /T00:00:00/);
  await operations.changeAccountLimits(accountId, { spend_day: '0.11' });
  await refused(webhooks, key, 1);
  await webhooks.world.elapse(24 * 60 * 60 * 1000);
  await make(2);
  await refused(webhooks, key, 2);
  await operations.changeAccountLimits(accountId, { spend_day: null });
  await make();
  await refused(webhooks, key, 2);
  assert.deepEqual(
    (await told()).slice(1).map((one) => [one.of, one.key_id, one.used, one.most]),
    [
      ['account', null, '0.08', '0.11'],
      ['account', null, '0.08', '0.11'],
      ['key', keyId, '0.20', '0.20'],
    ],
  );
});

test('a limit that is the installation’s is told of as well, by whichever call it is reached', async () => {
  await using own = await openWebhookWorld({
    config: { limitDefaults: { account: { hour: 30_000n }, key: {} } },
  });
  const { world } = own;
  const told = async () => {
    const rows = world.app.database.read.selectFrom('events').select(['type', 'data']);
    return (await rows.execute()).map(({ type, data }) => [type, JSON.parse(data ?? '{}').limit]);
  };
  const requests = [{ model: 'nb2', mode: 'text', body: { prompt: 'a fox', aspect_ratio: '1:1' } }];
  const batch = await world.send('POST', '/batches', { body: { requests } });
  assert.equal(batch.body.code, 'spend_limit_reached', JSON.stringify(batch.body));
  assert.deepEqual(await told(), [['spend_limit.reached', 'spend_hour']]);
  await refused(own, world.key, 3);
  assert.equal((await told()).length, 1);
});

test('thresholds that are none are refused with what is wrong', async () => {
  const { accountId, operations } = await accountWith('strict', {});
  for (const wrong of [{ balance_low: '0' }, { balance_low: 'much' }, { spend_near_percent: 101 }])
    await assert.rejects(operations.changeAccountAlerts(accountId, wrong), { code: 'invalid_request' });
});
