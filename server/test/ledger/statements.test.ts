import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import type { Statement } from '../../src/money/ledger/statement.ts';
import { ProviderError } from '../../src/upstream/providers/provider.ts';
import { openAdministration } from '../admin/admin-client.ts';
import { assertProblem } from '../http/support/refusal.ts';
import { bearer } from '../http/support/requests.ts';
import { openMember } from '../panel/browser.ts';
import { openWorld } from '../world/world.ts';

const world = await openWorld();
after(() => world[Symbol.asyncDispose]());
const day = 86_400_000;

const micros = (amount: string) => BigInt(Math.round(Number(amount) * 1_000_000));

function nextMonth() {
  const now = new Date(world.clock.nowMs());
  const startsAt = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
  return { name: new Date(startsAt).toISOString().slice(0, 7), inMs: startsAt - world.clock.nowMs() };
}

test('a month adds up to the last digit, lists captures by model, and never changes once it is over', async () => {
  const { accountId, key } = await world.account('stated', { creditMicros: 3_000_001n });
  const as = bearer(key);
  const read = async (month: string) => {
    const reply = await world.send('GET', `/statements/${month}`, { headers: as });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body as unknown as Statement;
  };
  const { name, inMs } = nextMonth();
  await world.elapse(inMs + day);
  const admin = (await openAdministration(world))();
  await admin.debitAccount(accountId, { amount: '0.1', reason: 'fee' });
  await admin.creditAccount(accountId, { amount: '0.000001', reason: 'top-up' });
  for (const path of ['/text-generations', '/nb2/text-generations', '/nb2/text-generations'])
    await world.finished(await world.create(path, {}, as), key);
  world.provider.handler = () => Promise.reject(new ProviderError('safety_blocked', 'No.'));
  await world.finished(await world.create(undefined, {}, as), key);
  world.provider.handler = async (request) => world.provider.answer(request);

  const open = await read(name);
  assert.equal(open.closed, false);
  assert.deepEqual(
    open.lines.map(({ kind, model, entries }) => [kind, model, entries]),
    [
      ['credit', null, 1],
      ['debit', null, 1],
      ['capture', 'nb2', 2],
      ['capture', 'pro', 1],
    ],
  );
  assert.equal(open.opening_balance, '3.000001');
  const moved = open.lines.reduce((sum, { amount }) => sum + micros(amount), 0n);
  assert.equal(micros(open.closing_balance), micros(open.opening_balance) + moved);
  const { body } = await world.send('GET', '/balance', { headers: as });
  assert.equal(open.closing_balance, body.balance);

  await world.elapse(nextMonth().inMs + day);
  const closed = await read(name);
  assert.equal(closed.closed, true);
  assert.deepEqual(closed.lines, open.lines);
  // Jobs are removed after their retention; their costs stay.
  await world.finished(await world.create(undefined, {}, as), key);
  await world.elapse(60 * day);
  assert.deepEqual(await read(name), closed);
  const following = await read(monthOf(world.clock.nowMs() - 60 * day));
  assert.equal(following.opening_balance, closed.closing_balance);

  const member = await openMember(world, { email: 'billing@example.com', accountId });
  const { data: months } = await member.call('GET /api/v1/statements', {
    params: { account_id: accountId },
  });
  assert.ok(months.includes(name));
  const params = { account_id: accountId, month: name };
  assert.deepEqual(await member.call('GET /api/v1/statements/:month', { params }), closed);
});

test('a statement adds up more entries than one page of a query has, from the first millisecond of its month', async () => {
  const { accountId, key } = await world.account('busy');
  const month = monthOf(world.clock.nowMs());
  await world.app.database.transaction(async (tx) => {
    await sql`insert into entries (account_id, kind, amount_micros, created_at)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 5001)
      select id, 'credit', 1000, ${Date.parse(month)} from accounts, numbers where id = ${accountId}`.execute(
      tx,
    );
    await tx
      .updateTable('accounts')
      .set({ balance_micros: 5_001_000n })
      .where('id', '=', accountId)
      .execute();
  });
  const { body } = await world.send('GET', `/statements/${month}`, { headers: bearer(key) });
  const [line] = (body as unknown as Statement).lines;
  assert.deepEqual([line?.entries, line?.amount, body.closing_balance], [5001, '5.001', '5.001']);
});

function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}

test('an invalid month, or one that has not begun, has no statement; another account has its own', async () => {
  for (const month of ['2026-13', '9999-01', 'today'])
    assertProblem(await world.send('GET', `/statements/${month}`), 422, 'invalid_request');
  for (const month of ['0000-01', '0099-12', '1969-12'])
    assertProblem(await world.send('GET', `/statements/${month}`), 404, 'not_found');
  const { accountId, key } = await world.account('new here');
  const now = monthOf(world.clock.nowMs());
  const { body } = await world.send('GET', `/statements/${now}`, { headers: bearer(key) });
  assert.deepEqual([body.account, body.lines, body.closing_balance], ['new here', [], '0.00']);
  await world.app.database.transaction((tx) =>
    tx
      .updateTable('accounts')
      .set({ created_at: Date.parse(now) })
      .where('id', '=', accountId)
      .execute(),
  );
  const { data: months } = (await world.send('GET', '/statements', { headers: bearer(key) })).body;
  assert.deepEqual(months, [now], 'its first moment belongs to a month');
});
