import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { creditAccount } from '../../src/accounts/credit-account.ts';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { insertDebt } from '../../src/money/ledger/debt-store.ts';
import { formatMicros } from '../../src/money/ledger/money.ts';
import { changeAlerts } from '../../src/notify/alerts/change-alerts.ts';
import { tellLowBalances } from '../../src/notify/alerts/tell-low-balances.ts';
import { openAdministration } from '../admin/admin-client.ts';
import { startStripe } from '../emulators/stripe.ts';
import { bearer, eventually } from '../http/support/requests.ts';
import { openWorld } from '../world/world.ts';
import { tillOf } from './support/till-of.ts';

const stripe = await startStripe();
const world = await openWorld({ env: stripe.environment });
after(async () => {
  await world[Symbol.asyncDispose]();
  await stripe[Symbol.asyncDispose]();
});
const { open, balanceOf, entriesOf, tellAll } = tillOf(stripe, world);

test('a refund of spent credit becomes a debt, which the next credits pay before anything is made', async () => {
  const { accountId, key } = await world.account('refunded');
  await open('10', key);
  const from = stripe.events.length;
  const payment = stripe.pay();
  const create = () =>
    world.send('POST', '/nb2/text-generations', {
      body: { prompt: 'a fox', aspect_ratio: '1:1' },
      headers: bearer(key),
    });
  await tellAll(from);
  const { body: job } = await create();
  await eventually(
    async () => (await world.send('GET', `/jobs/${job.job_id}`, { headers: bearer(key) })).body.status,
    (status) => status === 'done',
  );
  const { available: left } = await balanceOf(key);
  const spent = formatMicros(10_000_000n - BigInt(Math.round(Number(left) * 1e6)));
  const refund = stripe.refund(payment, 1000);
  await tellAll(from);
  const owing = await balanceOf(key);
  assert.deepEqual([owing.balance, owing.debt], ['0.00', spent]);
  const refused = await create();
  assert.deepEqual([refused.status, refused.body.code], [402, 'insufficient_funds']);
  assert.match(
    String(refused.body.detail),
    new RegExp(`owes ${spent}.* at least ${formatMicros(2n * microsOf(spent))} `),
  );
  const part = { account: accountId, amountMicros: microsOf(spent) - 1n, reason: 'a part of the debt' };
  await creditAccount({ database: world.app.database, tellBalances: tellLowBalances }, part);
  assert.equal((await balanceOf(key)).debt, '0.000001');
  await open('5', key);
  stripe.pay();
  await tellAll(from);
  const paid = await balanceOf(key);
  assert.deepEqual([paid.balance, paid.debt], ['4.999999', undefined]);
  const credited = await world.app.database.read
    .selectFrom('audit_log')
    .select('detail')
    .where('account_id', '=', accountId)
    .where('action', '=', 'account.credited')
    .orderBy('id')
    .execute();
  assert.deepEqual(
    credited.map(({ detail }) => (JSON.parse(detail) as { debt_paid?: string }).debt_paid),
    [undefined, '0.000001'],
  );
  assert.equal((await create()).status, 202);
  // A failed refund returns the money; a repeated event has no effect.
  refund.fail();
  await tellAll(from);
  await tellAll(from);
  const kinds = (await entriesOf(key)).map(({ kind, reason }) => `${kind} ${reason}`);
  assert.deepEqual(
    kinds.filter((one) => /Refund/.test(one)),
    [...Array<string>(3).fill('debit Refund of a payment by Stripe'), 'credit Refund that was returned'],
  );
});

test('the oldest debt is paid first, and nothing is written about those that are left', async () => {
  const { accountId, key } = await world.account('owes twice');
  const admin = (await openAdministration(world))();
  await open('30', key);
  const from = stripe.events.length;
  const payment = stripe.pay();
  await tellAll(from);
  await admin.debitAccount(accountId, { amount: '30', reason: 'spent' });
  for (const cents of [1000, 1500]) stripe.refund(payment, cents);
  await tellAll(from);
  assert.equal((await balanceOf(key)).debt, '25.00');
  for (const amount of ['10', '12']) {
    const { balance } = await admin.creditAccount(accountId, { amount, reason: 'a part' });
    assert.equal(balance, '0.00');
  }
  const paid = (await entriesOf(key)).filter(({ reason }) => /Refund/.test(reason));
  assert.deepEqual(
    paid.map(({ kind, amount }) => [kind, amount]),
    [
      ['debit', '10.00'],
      ['debit', '12.00'],
    ],
  );
  assert.equal((await balanceOf(key)).debt, '3.00');
});

test('a credit pays a debt with no money that a job has reserved', async () => {
  const { accountId, key } = await world.account('owes beside a job', { creditMicros: 1_000_000n });
  const held = Promise.withResolvers<void>();
  world.provider.handler = async (request) => {
    await held.promise;
    return world.provider.answer(request);
  };
  const jobId = await world.create(undefined, {}, bearer(key));
  const { available: left } = await balanceOf(key);
  const { database } = world.app;
  const debt = { accountId, reason: 'a refund', corrects: null, amountMicros: 5_000_000n };
  await database.transaction((tx) => insertDebt(tx, debt));
  await creditAccount(
    { database, tellBalances: tellLowBalances },
    { account: accountId, amountMicros: 1_000_000n, reason: 'a part' },
  );
  const { available, debt: owed } = await balanceOf(key);
  assert.deepEqual([available, owed], ['0.00', formatMicros(4_000_000n - microsOf(left))]);
  held.resolve();
  await world.finished(jobId, key);
});

test('a low balance is told if the debt that a credit, a voucher or a payment pays takes more than it adds', async () => {
  const { database } = world.app;
  const admin = (await openAdministration(world))();
  for (const [way, add] of Object.entries({
    credit: ({ accountId }: Owing) => admin.creditAccount(accountId, { amount: '5', reason: 'a part' }),
    async voucher({ key }: Owing) {
      const { codes } = await admin.createVouchers({ amount: '5', count: 1 });
      const body = { code: codes[0] };
      assert.equal(
        (await world.send('POST', '/vouchers/redeem', { body, headers: bearer(key) })).status,
        200,
      );
    },
    async payment({ key }: Owing) {
      await open('5', key);
      const from = stripe.events.length;
      stripe.pay();
      await tellAll(from);
    },
  })) {
    const account = await world.account(`owes by ${way}`, { creditMicros: 3_000_000n });
    const { accountId } = account;
    await changeAlerts({ database }, { account: accountId, balanceMicros: 2_000_000n }, commandLine);
    // A job that has failed since had reserved the balance when the debt arose.
    const debt = { accountId, reason: 'a refund', corrects: null, amountMicros: 10_000_000n };
    await database.transaction((tx) => insertDebt(tx, debt));
    await add(account);
    assert.equal((await balanceOf(account.key)).balance, '0.00');
    const events = database.read.selectFrom('events').select('type').where('account_id', '=', accountId);
    const told = await events.where('type', '=', 'balance.low').execute();
    assert.equal(told.length, 1, way);
  }
});

type Owing = Awaited<ReturnType<typeof world.account>>;

function microsOf(amount: string): bigint {
  return BigInt(Math.round(Number(amount) * 1e6));
}
