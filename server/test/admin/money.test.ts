import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openWorld } from '../world/world.ts';
import { adminSender, makeAdminKey } from './admin-client.ts';

const world = await openWorld({ worker: false });
after(() => world[Symbol.asyncDispose]());
const { key } = await makeAdminKey(world, 'billing', ['accounts', 'money', 'system']);
const send = adminSender(world, key);

async function newAccount(name: string, credit?: string): Promise<string> {
  const made = await send('POST', '/accounts', { name, ...(credit && { credit }) });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return String(made.body.account_id);
}

test('an account is created, credited and given a key that works', async () => {
  const id = await newAccount('acme');
  const credited = await send('POST', `/accounts/${id}/credits`, { amount: '10', reference: 'pi_1' });
  assert.deepEqual(
    [credited.status, credited.body.balance, credited.body.available],
    [201, '10.00', '10.00'],
  );
  const made = await send('POST', `/accounts/${id}/keys`, {
    name: 'ci',
    limits: { spend_day: '5', open: 20 },
  });
  assert.equal(made.status, 201);
  const balance = await world.send('GET', '/balance', {
    headers: { authorization: `Bearer ${made.body.key}` },
  });
  assert.equal(balance.body.balance, '10.00');
  const limits = await send('GET', `/keys/${made.body.key_id}/limits`);
  assert.deepEqual(
    (limits.body.data as { limit: string; most: unknown }[]).map(({ limit, most }) => [limit, most]),
    [
      ['spend_day', '5.00'],
      ['open', '20'],
    ],
  );
});

test('the same reference twice credits once; another amount under it is refused', async () => {
  const id = await newAccount('twice');
  const credit = { amount: '7.50', reference: 'evt_42' };
  const first = await send('POST', `/accounts/${id}/credits`, credit);
  const second = await send('POST', '/accounts/twice/credits', credit);
  assert.deepEqual([second.status, second.body], [first.status, first.body]);
  const [entry] = (await send('GET', `/accounts/${id}/entries`)).body.data as { entry_id: string }[];
  assert.equal(first.body.entry_id, entry?.entry_id);
  assert.equal(first.headers.get('idempotent-replayed'), null);
  assert.equal(second.headers.get('idempotent-replayed'), 'true');
  const other = await send('POST', `/accounts/${id}/credits`, { ...credit, amount: '7.51' });
  assert.deepEqual([other.status, other.body.code], [409, 'reference_reused']);
  const taken = await send('POST', `/accounts/${id}/debits`, { ...credit, reason: 'oops' });
  assert.equal(taken.body.code, 'reference_reused');
  const { body } = await send('GET', `/accounts/${id}/entries`);
  assert.deepEqual(
    (body.data as { kind: string; amount: string; reference: string; reason: null }[]).map(
      ({ kind, amount, reference, reason }) => [kind, amount, reference, reason],
    ),
    [['credit', '7.50', 'evt_42', null]],
  );
});

test('a credit is given once under its Idempotency-Key, which no other credit may use', async () => {
  const id = await newAccount('keyed');
  const credit = (amount: string, reason: string) =>
    send('POST', `/accounts/${id}/credits`, { amount, reason }, { 'idempotency-key': 'gift-1' });
  for (const _time of [1, 2]) {
    const { status, body } = await credit('1', 'a gift');
    assert.deepEqual([status, body.balance], [201, '1.00']);
  }
  for (const other of [await credit('2', 'a gift'), await credit('1', 'another gift')])
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused']);
  const [entry, ...others] = (await send('GET', `/accounts/${id}/entries`)).body.data as object[];
  assert.deepEqual([entry && 'reference' in entry, others], [false, []]);
});

test('a balance can be as large as the ledger can store, and no larger', async () => {
  const id = await newAccount('rich', '8999999999.999999');
  const credit = (reference: string) =>
    send('POST', `/accounts/${id}/credits`, { amount: '0.000001', reference });
  assert.equal((await credit('a')).body.balance, '9000000000.00');
  const refused = await credit('b');
  assert.deepEqual([refused.status, refused.body.code], [422, 'invalid_request']);
  assert.match(String(refused.body.detail), /larger than the ledger can store/);
});

test('a hundred requests with one reference at the same moment credit once', async () => {
  const id = await newAccount('race');
  const answers = await Promise.all(
    Array.from({ length: 100 }, () =>
      send('POST', `/accounts/${id}/credits`, { amount: '3', reference: 'r' }),
    ),
  );
  assert.deepEqual(
    [...new Set(answers.map(({ status, body }) => `${status} ${body.balance}`))],
    ['201 3.00'],
  );
  assert.equal(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1);
});

test('a debit takes available money, and never money that jobs have reserved', async () => {
  const id = await newAccount('debited', '1.00');
  const made = await send('POST', `/accounts/${id}/keys`, {});
  await world.create('/nb2/text-generations', {}, { authorization: `Bearer ${made.body.key}` });
  const { body: account } = await send('GET', `/accounts/${id}`);
  const [credit] = (await send('GET', `/accounts/${id}/entries?kind=credit`)).body.data as {
    entry_id: string;
  }[];
  const debit = { amount: '1.00', reason: 'a mistake', corrects: credit?.entry_id };
  const tooMuch = await send('POST', `/accounts/${id}/debits`, debit);
  assert.deepEqual(
    [tooMuch.status, tooMuch.body.code, tooMuch.body.available, tooMuch.body.required],
    [402, 'insufficient_funds', account.available, '1.00'],
  );
  const taken = await send('POST', `/accounts/${id}/debits`, { ...debit, amount: account.available });
  assert.deepEqual([taken.status, taken.body.available, taken.body.balance], [201, '0.00', account.reserved]);
  const { data } = (await send('GET', `/accounts/${id}/entries`)).body as { data: Record<string, unknown>[] };
  assert.deepEqual(
    [data[0]?.kind, data[0]?.balance_change, data[0]?.reserved_change, data[0]?.corrects, data[0]?.reason],
    ['debit', `-${account.available}`, '0.00', credit?.entry_id, 'a mistake'],
  );
  for (const corrects of [data[0]?.entry_id, `ent_${'0'.repeat(32)}`]) {
    const wrong = await send('POST', `/accounts/${id}/debits`, { ...debit, amount: '0.01', corrects });
    assert.match(String(wrong.body.detail), /\/corrects must be the entry_id of a credit/);
  }
});

test('debits that correct one credit together take no more than it gave, however many come at once', async () => {
  const id = await newAccount('corrected', '9.00');
  await send('POST', `/accounts/${id}/credits`, { amount: '1.00', reference: 'twice' });
  const [credit] = (await send('GET', `/accounts/${id}/entries?kind=credit`)).body.data as {
    entry_id: string;
  }[];
  const debit = { amount: '0.40', reason: 'charged twice', corrects: credit?.entry_id };
  const answers = await Promise.all(
    ['a', 'b', 'c', 'd'].map((reference) => send('POST', `/accounts/${id}/debits`, { ...debit, reference })),
  );
  const taken = answers.filter(({ status }) => status === 201);
  const refused = answers.filter(({ status }) => status !== 201);
  assert.deepEqual([taken.length, refused.length], [2, 2]);
  for (const { body } of refused) {
    assert.equal(body.code, 'invalid_request');
    assert.match(String(body.detail), /\/amount must be at most 0\.20/);
  }
  const rest = await send('POST', `/accounts/${id}/debits`, { ...debit, amount: '0.20' });
  assert.deepEqual([rest.status, rest.body.balance], [201, '9.00']);
  const again = await send('POST', `/accounts/${id}/debits`, { ...debit, amount: '0.01' });
  assert.match(String(again.body.detail), /at most 0\.00/);
});

test('an admin key’s changes are in the audit log: actor, address, old and new values', async () => {
  const id = await newAccount('audited');
  await send('POST', `/accounts/${id}/credits`, { amount: '2', reference: 'pi_2' });
  await send('POST', `/accounts/${id}/credits`, { amount: '2', reference: 'pi_2' });
  await send('POST', `/accounts/${id}/debits`, { amount: '0.5', reason: 'fee' });
  await send('PATCH', `/accounts/${id}/limits`, { spend_day: '5' });
  await send('PATCH', `/accounts/${id}/limits`, { spend_day: '9' });
  await send('POST', `/accounts/${id}/disable`, { reason: 'unpaid' });
  await send('POST', `/accounts/${id}/enable`);
  const { body } = await send('GET', `/audit?account=${id}`);
  const entries = body.data as { by: string; address: string; action: string; detail: object }[];
  assert.deepEqual(
    entries.map(({ action }) => action),
    [
      'account.enabled',
      'account.disabled',
      'account.limits_changed',
      'account.limits_changed',
      'account.debited',
      'account.credited',
      'account.created',
    ],
  );
  for (const { by, address } of entries) {
    assert.equal(by, 'the admin key billing');
    assert.match(address, /127\.0\.0\.1|::1/);
  }
  const detailOf = (wanted: string) => entries.find(({ action }) => action === wanted)?.detail;
  assert.deepEqual(detailOf('account.limits_changed'), { spend_day: '9.00', spend_day_before: '5.00' });
  assert.deepEqual(detailOf('account.credited'), {
    ...{ amount: '2.00', reason: '', reference: 'pi_2' },
    ...{ balance_before: '0.00', balance_after: '2.00' },
  });
  assert.deepEqual(detailOf('account.debited'), {
    amount: '0.50',
    reason: 'fee',
    balance_before: '2.00',
    balance_after: '1.50',
  });
});

test('invalid amounts and references are refused, each by its field', async () => {
  const id = await newAccount('nonsense');
  const cases: [object, RegExp][] = [
    [{ amount: '-1', reference: 'a' }, /\/amount/],
    [{ amount: '0', reference: 'a' }, /more than zero/],
    [{ amount: 'ten', reference: 'a' }, /\/amount/],
    [{ amount: '1' }, /needs a reference, or a reason/],
    [{ amount: '1', reference: 'two\nlines' }, /\/reference/],
    [{ amount: '1', reference: 'a\u0000' }, /\/reference/],
    [{ amount: '1', reference: '\u001b' }, /\/reference/],
    [{ amount: '1', reference: 'a', more: 1 }, /more/],
  ];
  for (const [body, words] of cases) {
    const refused = await send('POST', `/accounts/${id}/credits`, body);
    assert.equal(refused.status, 422, JSON.stringify(body));
    assert.match(JSON.stringify(refused.body), words);
  }
  assert.equal((await send('POST', '/accounts/nobody/credits', { amount: '1', reference: 'a' })).status, 404);
});

test('a debit corrects a credit by the id in the credit’s answer', async () => {
  const id = await newAccount('corrected-by-id');
  const { body: credited } = await send('POST', `/accounts/${id}/credits`, {
    amount: '5',
    reference: 'inv-1',
  });
  await send('POST', `/accounts/${id}/credits`, { amount: '1', reason: 'later' });
  const correction = { amount: '2', reason: 'too much', corrects: credited.entry_id };
  const debited = await send('POST', `/accounts/${id}/debits`, correction);
  assert.deepEqual([debited.status, debited.body.balance], [201, '4.00']);
  const [entry] = (await send('GET', `/accounts/${id}/entries`)).body.data as Record<string, unknown>[];
  assert.deepEqual([entry?.entry_id, entry?.corrects], [debited.body.entry_id, credited.entry_id]);
  const { body: log } = await send('GET', `/audit?account=${id}&action=account.debited`);
  const [noted] = log.data as { detail: Record<string, unknown> }[];
  assert.equal(noted?.detail.corrects, credited.entry_id);
});
