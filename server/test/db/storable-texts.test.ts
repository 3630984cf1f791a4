import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { adminSender, makeAdminKey } from '../admin/admin-client.ts';
import { allCalls, sendCall } from '../http/support/all-calls.ts';
import { openWorld } from '../world/world.ts';

/** PostgreSQL accepts no NUL in text, so a request with one would fail with a 500 there, on nearly every call. */
const world = await openWorld({ worker: false });
after(() => world[Symbol.asyncDispose]());
const { key } = await makeAdminKey(world, 'ops', ['accounts', 'money', 'models', 'system']);
const send = adminSender(world, key);

test('no call fails because of a NUL anywhere in its address', async () => {
  const calls = await allCalls(world);
  const asks = calls.flatMap((call) => [
    ...[...call.route.matchAll(/:\w+/g)].map(([name]) => {
      const [before = '', rest = ''] = call.route.split(name);
      const filled = call.path.split('/').slice(before.split('/').length).join('/');
      const behind = rest === '' ? '' : `/${filled}`;
      const front = call.path
        .split('/')
        .slice(0, before.split('/').length - 1)
        .join('/');
      return { call: { ...call, path: `${front}/a%00b${behind}` }, query: '' };
    }),
    ...call.query.map((name) => ({ call, query: `${name}=a%00b` })),
  ]);
  assert.ok(asks.length > 150);
  for (const { call, query } of asks) {
    const { status, body } = await sendCall(world, call, query).catch((error) => {
      throw new Error(`${call.method} ${call.path}?${query}`, { cause: error });
    });
    assert.notEqual(status, 500, `${call.method} ${call.path}?${query}: ${JSON.stringify(body)}`);
  }
});

test('a text with NULs and half characters is stored alike on both databases, and found by the same text', async () => {
  const texts = { sent: 'a\0b\ud800c', kept: 'a\ufffdb\ufffdc' };
  const made = await send('POST', '/accounts', { name: texts.sent });
  assert.deepEqual([made.status, made.body.name], [201, texts.kept]);
  const id = String(made.body.account_id);
  const read = await send('GET', `/accounts/${encodeURIComponent('a\0b\ufffdc')}`);
  assert.deepEqual([read.status, read.body.account_id, read.body.name], [200, id, texts.kept]);
  assert.equal((await send('POST', '/accounts', { name: texts.sent })).status, 422);
  const asks: [path: string, status: number, body: object][] = [
    ['keys', 201, { name: texts.sent }],
    ['invitations', 201, { note: texts.sent }],
    ['credits', 201, { amount: '1', reason: texts.sent }],
    ['debits', 201, { amount: '1', reason: texts.sent }],
    ['deliveries/replay', 200, { event_id: texts.sent }],
    ['disable', 200, { reason: texts.sent }],
  ];
  for (const [path, status, body] of asks) {
    const reply = await send('POST', `/accounts/${id}/${path}`, body);
    assert.equal(reply.status, status, `${path}: ${JSON.stringify(reply.body)}`);
  }
  const { data } = (await send('GET', `/accounts/${id}/entries`)).body as { data: { reason: string }[] };
  assert.deepEqual(
    data.map(({ reason }) => reason),
    [texts.kept, texts.kept],
  );
  const account = (await send('GET', `/accounts/${id}`)).body;
  assert.equal(account.disabled_reason, texts.kept);
});
