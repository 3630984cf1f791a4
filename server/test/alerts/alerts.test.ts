import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { creditAccount } from '../../src/accounts/credit-account.ts';
import { tellLowBalances } from '../../src/notify/alerts/tell-low-balances.ts';
import { bearer } from '../http/support/requests.ts';
import { type Receiver, startReceiver } from '../webhooks/support/receiver.ts';
import { openWebhookWorld, type WebhookWorld } from '../webhooks/support/webhook-world.ts';
import { toNoon } from '../world/to-noon.ts';

// An image costs 0.04.
let webhooks: WebhookWorld;
let receiver: Receiver;
before(async () => {
  receiver = await startReceiver();
  webhooks = await openWebhookWorld({ makesImages: true });
  await toNoon(webhooks.world);
});
after(async () => {
  await webhooks[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

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

test('a balance below its threshold is reported once, and again after it was above', async () => {
  const { accountId, make, told, path, operations } = await accountWith('falling', { balance_low: '0.42' });
  await make(2);
  assert.deepEqual(await told(), [], '0.42 is not below');
  await make(2);
  const fell = {
    type: 'balance.low',
    account_id: accountId,
    account_name: 'falling',
    threshold: '0.42',
    balance: '0.38',
  };
  assert.deepEqual(await told(), [fell]);
  await receiver.got(1);
  const [sent] = receiver.received.filter((one) => one.path === path);
  assert.equal(JSON.parse(sent?.body ?? '').data.balance, '0.38');

  await creditAccount(
    { ...webhooks.world.app, tellBalances: tellLowBalances },
    { account: accountId, amountMicros: 100_000n, reason: 'more' },
  );
  assert.equal((await told()).length, 1, 'going above is nothing to tell');
  await operations.debitAccount(accountId, { amount: '0.20', reason: 'a chargeback' });
  assert.deepEqual(
    (await told()).map(({ balance }) => balance),
    ['0.38', '0.24'],
  );
});

test('many jobs that end at once report one fall', async () => {
  const { key, told } = await accountWith('crowd', { balance_low: '0.30' });
  const { world } = webhooks;
  const jobs = await Promise.all(Array.from({ length: 10 }, () => world.create(undefined, {}, bearer(key))));
  await Promise.all(jobs.map((jobId) => world.finished(jobId, key)));
  assert.equal((await told()).length, 1);
});

test('a share of a spend limit is reported once per day, for the account and for each key', async () => {
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

test('a share of a spend limit is reported again after the percentage changed, but not after the balance alert did', async () => {
  const { accountId, make, told, operations } = await accountWith('again', { spend_near_percent: 50 });
  await operations.changeAccountLimits(accountId, { spend_day: '0.20' });
  await make(3);
  assert.equal((await told()).length, 1);
  await operations.changeAccountAlerts(accountId, { balance_low: '0.01' });
  await make();
  assert.equal((await told()).length, 1, 'the balance alert does not concern the limit');
  await operations.changeAccountAlerts(accountId, { spend_near_percent: 60 });
  await make();
  assert.deepEqual(
    (await told()).map(({ percent, used }) => [percent, used]),
    [
      [50, '0.12'],
      [60, '0.20'],
    ],
  );
});

async function refused({ world }: WebhookWorld, key: string, count: number, more = {}) {
  const body = { prompt: 'a fox', aspect_ratio: '1:1', ...more };
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

test('a spend limit that stops jobs is reported once per day, and again after it was changed', async () => {
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

test('a limit that stops only a batch is not reported, and either alert is reported even if the other was', async () => {
  const large = await accountWith('large', { spend_near_percent: 80 });
  const { world, operations } = webhooks;
  await operations.changeAccountLimits(large.accountId, { spend_day: '0.15' });
  const one = { model: 'nb2', mode: 'text', body: { prompt: 'a fox', aspect_ratio: '1:1' } };
  const tooLarge = async () => {
    const body = { requests: Array.from({ length: 5 }, () => one) };
    const { status } = await world.send('POST', '/batches', { headers: bearer(large.key), body });
    assert.equal(status, 402);
  };
  await tooLarge();
  await large.make();
  await tooLarge();
  assert.deepEqual(await large.told(), []);
  await large.make(2);
  await refused(webhooks, large.key, 2);
  const types = async ({ told }: typeof large) => (await told()).map(({ type, used }) => [type, used]);
  assert.deepEqual(await types(large), [
    ['spend_limit.near', '0.12'],
    ['spend_limit.reached', '0.12'],
  ]);

  const dear = await accountWith('dear', { spend_near_percent: 50 });
  await operations.changeAccountLimits(dear.accountId, { spend_day: '0.10' });
  await dear.make();
  await refused(webhooks, dear.key, 2, { resolution: '4K' });
  await dear.make();
  await refused(webhooks, dear.key, 2);
  assert.deepEqual(await types(dear), [
    ['spend_limit.reached', '0.04'],
    ['spend_limit.near', '0.08'],
  ]);
});

test('an older program that begins a new day concurrently does not suppress that day’s alert', async () => {
  const { accountId, key, make, told, operations } = await accountWith('older', {});
  await operations.changeAccountLimits(accountId, { spend_day: '0.07' });
  await make();
  await refused(webhooks, key, 1);
  await webhooks.world.elapse(24 * 60 * 60 * 1000);
  // An older program knows only one of the two columns.
  await webhooks.world.app.database.transaction((tx) =>
    sql`update limits set used = 60000, told = 0, starts_at = starts_at + 86400000
      where subject_id = ${accountId} and meter = 'day'`.execute(tx),
  );
  await refused(webhooks, key, 2);
  assert.deepEqual(
    (await told()).map(({ used }) => used),
    ['0.04', '0.06'],
  );
});

test('a refusal is answered even if its alert fails, which is sent with the next refusal', async () => {
  const { accountId, key, told, operations } = await accountWith('untold', {});
  await operations.changeAccountLimits(accountId, { spend_day: '0.01' });
  const { database } = webhooks.world.app;
  await database.transaction((tx) => sql`alter table events rename to events_away`.execute(tx));
  try {
    await refused(webhooks, key, 2);
  } finally {
    await database.transaction((tx) => sql`alter table events_away rename to events`.execute(tx));
  }
  assert.deepEqual(await told(), []);
  await refused(webhooks, key, 2);
  assert.equal((await told()).length, 1);
});

test('an installation-wide limit is reported as well, whichever call reaches it', async () => {
  await using own = await openWebhookWorld({
    config: { limitDefaults: { account: { hour: 30_000n }, key: {} } },
  });
  const { world } = own;
  await toNoon(world);
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

test('invalid thresholds are refused with what is wrong', async () => {
  const { accountId, operations } = await accountWith('strict', {});
  for (const wrong of [{ balance_low: '0' }, { balance_low: 'much' }, { spend_near_percent: 101 }])
    await assert.rejects(operations.changeAccountAlerts(accountId, wrong), { code: 'invalid_request' });
});
