import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { KyselyPlugin } from 'kysely';
import { transactionGuard } from '../../src/base/db/database.ts';
import { beginAnswer, forgetAnswer } from '../../src/base/http/kept-answers/kept-answer-store.ts';
import type { OpenApi } from '../../src/web/api/openapi/types.ts';
import { adminSender, makeAdminKey, type SendAdmin } from '../admin/admin-client.ts';
import { openWorld, type World } from '../world/world.ts';
import { assertProblem } from './support/refusal.ts';

let world: World;
let send: SendAdmin;
before(async () => {
  world = await openWorld({ worker: false });
  send = adminSender(
    world,
    (await makeAdminKey(world, 'all', ['accounts', 'money', 'models', 'system'])).key,
  );
});
after(() => world[Symbol.asyncDispose]());

const under = (key: string) => ({ 'idempotency-key': key });

/** Each create with its body, and the list in which its results are counted. */
const made: [path: string, body: object, list: string][] = [
  ['/keys', { name: 'shop' }, '/keys'],
  ['/webhooks', { url: 'https://example.com/hook' }, '/webhooks'],
  ['/invitations', { note: 'Ann' }, '/invitations'],
  ['/debits', { amount: '1', reason: 'a fee' }, '/entries?kind=debit'],
];

for (const [path, body, list] of made)
  test(`repeating POST ${path} under its key does nothing, and is answered as the first was`, async () => {
    const { accountId } = await world.account(`again ${path.slice(1)}`, { creditMicros: 5_000_000n });
    const account = `/accounts/${accountId}`;
    const before = (await send('GET', account + list)).body.data as unknown[];
    const first = await send('POST', account + path, body, under(path));
    assert.equal(first.status, 201, JSON.stringify(first.body));
    const second = await send('POST', account + path, body, under(path));
    assert.deepEqual([second.status, second.body], [201, first.body]);
    assert.equal(second.headers.get('location'), first.headers.get('location'));
    assert.deepEqual(
      [first, second].map(({ headers }) => headers.get('idempotent-replayed')),
      [null, 'true'],
    );
    const after = (await send('GET', account + list)).body.data as unknown[];
    assert.equal(after.length, before.length + 1);
  });

test('of many concurrent repetitions one is executed, and the others get its answer or are asked to retry', async () => {
  const { accountId } = await world.account('at once');
  const path = `/accounts/${accountId}/keys`;
  const ask = () => send('POST', path, { name: 'shop' }, under('at-once'));
  const replies = await Promise.all(Array.from({ length: 8 }, ask));
  const keys = new Set(replies.filter(({ status }) => status === 201).map(({ body }) => body.key));
  assert.equal(keys.size, 1);
  for (const reply of replies.filter(({ status }) => status !== 201))
    assertProblem(reply, 409, 'idempotency_key_in_use');
  const { data } = (await send('GET', path)).body as { data: { name: string }[] };
  assert.equal(data.filter(({ name }) => name === 'shop').length, 1);
});

test("a key is for one request: another request is refused, and other accounts' keys are separate", async () => {
  const { accountId } = await world.account('of one request');
  const path = `/accounts/${accountId}/keys`;
  const first = await send('POST', path, { name: 'shop' }, under('mine'));
  assertProblem(await send('POST', path, { name: 'other' }, under('mine')), 422, 'idempotency_key_reused');
  const other = adminSender(world, (await makeAdminKey(world, 'another', ['accounts'])).key);
  const theirs = await other('POST', path, { name: 'shop' }, under('mine'));
  assert.equal(theirs.status, 201);
  assert.notEqual(theirs.body.key, first.body.key);
});

test('a request’s fingerprint depends on the secret, and those of 0.1.0, which did not, are still recognized', async () => {
  const { accountId } = await world.account('noted');
  const path = `/accounts/${accountId}/invitations`;
  const body = { role: 'viewer', current_password: 'a guess' };
  const { database } = world.app;
  await database.transaction((tx) => tx.deleteFrom('kept_answers').execute());
  const first = await send('POST', path, body, under('noted'));
  assert.equal(first.status, 201);
  const plain = hash('sha256', JSON.stringify(['POST', `/admin/v1${path}`, body]), 'hex');
  const { fingerprint } = await database.read
    .selectFrom('kept_answers')
    .select('fingerprint')
    .executeTakeFirstOrThrow();
  assert.notEqual(fingerprint, plain);
  await database.transaction((tx) => tx.updateTable('kept_answers').set({ fingerprint: plain }).execute());
  const again = await send('POST', path, body, under('noted'));
  assert.deepEqual([again.status, again.body], [201, first.body]);
});

test('a refused request did nothing, so its key can be used again', async () => {
  const { accountId } = await world.account('refused first');
  const path = `/accounts/${accountId}/keys`;
  assertProblem(
    await send('POST', path, { models: ['no-such-model'] }, under('again')),
    422,
    'invalid_request',
  );
  assert.equal((await send('POST', path, { name: 'shop' }, under('again'))).status, 201);
});

test('a repetition is executed if the first request is refused while the repetition looks for its answer', {
  skip: process.env.TEST_DATABASE_URL === undefined && 'needs PostgreSQL: SQLite has one writer at a time',
}, async () => {
  const { database } = world.app;
  const asked = { id: 'refused meanwhile', fingerprint: 'the same' };
  await database.transaction((tx) => beginAnswer(tx, asked));
  const inserts = new Set<object>();
  let isForgotten = false;
  const forgettingAfterInsert: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      if (node.kind === 'InsertQueryNode') inserts.add(queryId);
      return node;
    },
    async transformResult({ queryId, result }) {
      if (!inserts.delete(queryId) || isForgotten) return result;
      isForgotten = true;
      await transactionGuard.inside.exit(() =>
        database.transaction((other) => forgetAnswer(other, asked.id)),
      );
      return result;
    },
  };
  const known = await database.transaction((tx) => beginAnswer(tx.withPlugin(forgettingAfterInsert), asked));
  assert.equal(known, undefined);
});

test('if the answer was lost, a repetition is refused, and nothing is made twice', async () => {
  const { accountId } = await world.account('lost');
  const path = `/accounts/${accountId}/keys`;
  const { body } = await send('POST', path, { name: 'shop' }, under('the-key-of-a-shop'));
  const { database } = world.app;
  const stored = await database.read.selectFrom('kept_answers').selectAll().execute();
  for (const text of [body.key, body.key_id, 'the-key-of-a-shop'])
    assert.ok(!JSON.stringify(stored).includes(String(text)), 'nothing of it can be read');
  await database.transaction((tx) => tx.updateTable('kept_answers').set({ answer: null }).execute());
  const again = () => send('POST', path, { name: 'shop' }, under('the-key-of-a-shop'));
  const soon = await again();
  assertProblem(soon, 409, 'idempotency_key_in_use');
  assert.equal(soon.headers.get('retry-after'), '1', 'it may still be under way');
  await world.jump(61_000);
  const later = await again();
  assertProblem(later, 409, 'idempotency_key_in_use');
  assert.equal(later.headers.get('retry-after'), null, 'nothing comes of waiting');
  await world.jump(25 * 60 * 60 * 1000);
  assert.equal((await again()).status, 201, 'a day later');
});

test('a call either documents an Idempotency-Key or refuses it; calls that create something accept it', async () => {
  const { accountId } = await world.account('refusing');
  const ownKey = (method: string, path: string) => world.send(method, path, { headers: under('none') });
  const asAdmin = (method: string, path: string) => send(method, path, undefined, under('none'));
  for (const [prefix, ask] of [
    ['/api/v1', ownKey],
    ['/admin/v1', asAdmin],
  ] as const) {
    const document = (await (await fetch(`${world.url}${prefix}/openapi.json`)).json()) as OpenApi;
    let refusing = 0;
    for (const [path, calls] of Object.entries(document.paths))
      for (const [method, { parameters = [], responses }] of Object.entries(calls)) {
        const isTaken = JSON.stringify(parameters).includes('idempotency-key');
        const { 201: created } = responses as Record<string, { headers?: object } | undefined>;
        // An upload is read as it arrives, so it is known too late whether it is the same.
        if (created && path !== '/uploads')
          assert.ok(isTaken, `${method} ${path} makes something, and cannot be repeated`);
        if (method === 'get' || isTaken) continue;
        refusing++;
        const reply = await ask(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, accountId));
        const pointers = (reply.body.errors as { pointer: string }[] | undefined)?.map(
          ({ pointer }) => pointer,
        );
        assert.deepEqual(pointers, ['/headers/idempotency-key'], `${method} ${path}`);
      }
    assert.ok(refusing > 10, `${refusing} of ${prefix}`);
  }
});

test('a created thing is where its Location says', async () => {
  const { accountId } = await world.account('located');
  const account = `/accounts/${accountId}`;
  const follow = async (path: string, body: object) => {
    const { headers } = await send('POST', path, body);
    return (await send('GET', String(headers.get('location')).replace('/admin/v1', ''))).body;
  };
  assert.equal((await follow('/accounts', { name: 'new' })).name, 'new');
  const key = await follow(`${account}/keys`, { name: 'shop' });
  assert.equal(key.name, 'shop');
  assert.equal((await follow(`/keys/${key.key_id}/roll`, {})).name, 'shop');
  assert.equal(
    (await follow(`${account}/webhooks`, { url: 'https://example.com/a' })).url,
    'https://example.com/a',
  );
  assert.ok(Array.isArray((await follow(`${account}/credits`, { amount: '1', reason: 'a gift' })).data));
});
