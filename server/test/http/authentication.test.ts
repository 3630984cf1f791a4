import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  hintOf,
  isWellFormedAdminKey,
  isWellFormedKey,
  makeAdminKey,
  makeApiKey,
  makeClientToken,
} from '../../src/accounts/api-key.ts';
import { createAuthenticator } from '../../src/accounts/authenticate.ts';
import { endKeyNow } from '../../src/accounts/key-store.ts';
import type { Database } from '../../src/base/db/database.ts';
import { HeldClock } from '../world/clock.ts';
import { openWorld, type Reply } from '../world/world.ts';
import { openRawClient, rawRequest } from './support/raw-client.ts';
import { createRecordingLog } from './support/recording-log.ts';
import { assertProblem, assertRefused } from './support/refusal.ts';
import { bearer, eventually, postText, textBody } from './support/requests.ts';

const log = createRecordingLog();
const world = await openWorld({ worker: false, replacements: { log } });
after(() => world[Symbol.asyncDispose]());

const create = (headers: Record<string, string>) => postText(world, {}, headers);
const oneCharChanged = (key: string) => key.slice(0, 10) + (key[10] === 'x' ? 'y' : 'x') + key.slice(11);
const withoutRequestId = ({ body }: Reply) => ({ ...body, request_id: undefined });

for (const [row, authorization] of [
  ['A2: the Basic scheme', 'Basic dXNlcjpwYXNz'],
  ['A3: an empty token', 'Bearer '],
  ['A3: two tokens', `Bearer ${world.key} ${world.key}`],
] as const) {
  test(`${row} is 401`, async () => {
    const reply = await assertRefused(world, () => create({ authorization }), 401, 'key_missing');
    assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
  });
}

test('A1: no Authorization is 401', async () => {
  const send = async () => {
    const response = await fetch(`${world.url}/api/v1/nb2/text-generations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(textBody),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as object,
    } as Reply;
  };
  const reply = await assertRefused(world, send, 401, 'key_missing');
  assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
});

test('A5, A6: a key with one character changed and an unknown key get the same 401', async () => {
  const changed = await assertRefused(
    world,
    () => create(bearer(oneCharChanged(world.key))),
    401,
    'key_invalid',
  );
  const unknown = await assertRefused(world, () => create(bearer(makeApiKey())), 401, 'key_invalid');
  assert.deepEqual(withoutRequestId(changed), withoutRequestId(unknown));
});

test('A5: a key whose checksum is wrong is refused without a query', async () => {
  let queries = 0;
  const counting = new Proxy(world.app.database, {
    get(target, name) {
      if (name === 'read') queries += 1;
      return Reflect.get(target, name);
    },
  }) satisfies Database;
  const authenticator = createAuthenticator({ database: counting, clock: new HeldClock() });
  await assert.rejects(async () => authenticator.authenticate(oneCharChanged(world.key)), {
    code: 'key_invalid',
  });
  assert.equal(queries, 0);
  await assert.rejects(async () => authenticator.authenticate(makeApiKey()), { code: 'key_invalid' });
  assert.equal(queries, 1);
});

test('a process forgets keys after 10,000 others, however many a client tries', async () => {
  const clock = new HeldClock();
  clock.stoppedAtMs = Date.now();
  const { authenticate } = createAuthenticator({ database: world.app.database, clock });
  const { key, keyId } = await world.account('forgotten');
  await authenticate(key);
  await world.app.database.transaction((tx) => endKeyNow(tx, keyId));
  clock.advance(999);
  await authenticate(key);
  const tried = Array.from({ length: 10_000 }, async () => authenticate(makeApiKey()));
  assert.ok((await Promise.allSettled(tried)).every(({ status }) => status === 'rejected'));
  await assert.rejects(async () => authenticate(key), { code: 'key_invalid' });
});

test('a process looks a key up again after exactly a second', async () => {
  const clock = new HeldClock();
  clock.stoppedAtMs = Date.now();
  const { authenticate } = createAuthenticator({ database: world.app.database, clock });
  const { key, keyId } = await world.account('looked up');
  await authenticate(key);
  await world.app.database.transaction((tx) => endKeyNow(tx, keyId));
  clock.advance(1_000);
  await assert.rejects(async () => authenticate(key), { code: 'key_invalid' });
});

test('a key’s use is written again after exactly a minute', async () => {
  const clock = new HeldClock();
  clock.stoppedAtMs = Date.now();
  const { database } = world.app;
  const { authenticate } = createAuthenticator({ database, clock });
  const { key, keyId } = await world.account('used again');
  await authenticate(key);
  clock.advance(60_000);
  await authenticate(key);
  await eventually(
    () => database.read.selectFrom('api_keys').select('last_used_at').where('id', '=', keyId).execute(),
    ([row]) => row?.last_used_at === clock.nowMs(),
  );
});

test('A7: a revoked key is 401 after at most a second, even where it was just used', async () => {
  const { key, keyId } = await world.account('revoked', { creditMicros: 1_000_000n });
  assert.equal((await create(bearer(key))).status, 202);
  await world.app.database.transaction((tx) => endKeyNow(tx, keyId));
  world.clock.advance(1_000);
  await assertRefused(world, () => create(bearer(key)), 401, 'key_invalid');
});

test('A8: a key is 401 from the moment it expires', async () => {
  const { key } = await world.account('expiring', { creditMicros: 1_000_000n, expiresInMs: 60_000 });
  assert.equal((await create(bearer(key))).status, 202);
  world.clock.advance(60_000);
  await assertRefused(world, () => create(bearer(key)), 401, 'key_invalid');
});

test('A9: a token of 100 kB is 431 and the connection ends', async () => {
  using client = await openRawClient(world.url);
  client.write(
    rawRequest('GET', '/api/v1/balance', { headers: { authorization: `Bearer ${'a'.repeat(100_000)}` } }),
  );
  assert.equal((await client.next())?.status, 431);
  await client.closed;
});

test('A10: two Authorization headers are 401, even if both are right', async () => {
  using client = await openRawClient(world.url);
  const line = `authorization: Bearer ${world.key}\r\n`;
  client.write(`GET /api/v1/balance HTTP/1.1\r\nhost: localhost\r\n${line}${line}\r\n`);
  const reply = await client.next();
  assert.equal(reply?.status, 401);
  assert.match(reply.body, /"key_missing"/);
});

test('A11: a key in the query is 401 and is not logged', async () => {
  const response = await fetch(`${world.url}/api/v1/balance?api_key=${world.key}`);
  assert.equal(response.status, 401);
  await response.arrayBuffer();
  assert.ok(log.has('request.finished'));
  assert.ok(!log.lines.some((line) => line.includes(world.key)), 'the key stands in the log');
});

test('A12, A13: a key for another model is 403, before the body is read', async () => {
  const { key } = await world.account('scoped', { creditMicros: 1_000_000n, models: ['nb'] });
  const send = (path: string, body: unknown) => world.send('POST', path, { body, headers: bearer(key) });
  for (const path of [
    '/text-generations',
    '/url-generations',
    '/nb2/text-generations',
    '/nb2/url-generations',
  ]) {
    await assertRefused(world, () => send(path, textBody), 403, 'model_forbidden');
    await assertRefused(world, () => send(path, { prompt: 5 }), 403, 'model_forbidden');
    await assertRefused(world, () => send(path, '{'), 403, 'model_forbidden');
  }
  assert.equal((await send('/nb/text-generations', textBody)).status, 202);
  assert.equal((await world.send('GET', '/balance', { headers: bearer(key) })).status, 200);
});

test("A14: another account's job is 404, in the same words as an unknown one", async () => {
  const jobId = await world.create();
  const { key } = await world.account('stranger', { creditMicros: 1_000_000n });
  const headers = bearer(key);
  const unknown = await world.send('GET', '/jobs/0197f8a0-0000-7000-8000-000000000000', { headers });
  assertProblem(unknown, 404, 'not_found');
  for (const [method, path] of [
    ['GET', `/jobs/${jobId}`],
    ['POST', `/jobs/${jobId}/cancel`],
  ] as const) {
    const foreign = await assertRefused(world, () => world.send(method, path, { headers }), 404, 'not_found');
    assert.deepEqual(withoutRequestId(foreign), withoutRequestId(unknown));
  }
  assert.equal((await world.send('GET', `/jobs/${jobId}`)).status, 200);
});

test('A15: a session cookie is not a key', async () => {
  const response = await fetch(`${world.url}/api/v1/balance`, {
    headers: { cookie: `session=${world.key}; better-auth.session_token=${world.key}` },
  });
  assert.equal(response.status, 401);
  await response.arrayBuffer();
});

test('A16: a client that tries many wrong keys gets 401 every time', async () => {
  const replies = await Promise.all(
    Array.from({ length: 300 }, (_, index) =>
      world.send('GET', '/balance', {
        headers: index % 2 === 0 ? bearer(makeApiKey()) : { authorization: '' },
      }),
    ),
  );
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([401]));
});

test('A16: if an operator has limited wrong keys, an address gets 401, then 429; right keys are not affected', async () => {
  await using other = await openWorld({
    worker: false,
    env: { DARKROOM_TRUSTED_PROXIES: '127.0.0.1' },
    config: { wrongKeyLimit: { perSecond: 0.1, burst: 5 } },
  });
  await using _held = await other.hold();
  const tryFrom = (address: string) =>
    other.send('GET', '/balance', { headers: { ...bearer('wrong'), 'x-forwarded-for': address } });
  for (let nth = 0; nth < 5; nth += 1) assertProblem(await tryFrom('192.0.2.1'), 401, 'key_invalid');
  const refused = await tryFrom('192.0.2.1');
  assertProblem(refused, 429, 'too_many_requests');
  assert.ok(Number(refused.headers.get('retry-after')) >= 1);
  assert.equal((await tryFrom('192.0.2.2')).status, 401);
  for (let nth = 0; nth < 5; nth += 1) await tryFrom(`2001:db8::${nth}`);
  assert.equal((await tryFrom('2001:db8::ffff')).status, 429, 'a /64 is one client');
  assert.equal((await other.send('GET', '/balance')).status, 200);
  other.clock.advance(60_000);
  assert.equal((await tryFrom('192.0.2.1')).status, 401);
});

for (const [name, token] of [
  ['CR LF', 'dk_a\r\nx-injected: yes'],
  ['a lone LF', 'dk_a\nb'],
  ['a lone CR', 'dk_a\rb'],
  ['NUL', 'dk_a\0b'],
] as const) {
  test(`A17: a token with ${name} is a 400 by the parser or an unknown key, and the answer repeats nothing of it`, async () => {
    using client = await openRawClient(world.url);
    client.write(`GET /api/v1/balance HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n\r\n`);
    const reply = await client.next();
    // The text after CR LF is a separate header, as in any request; the token ends before it.
    assert.equal(reply?.status, name === 'CR LF' ? 401 : 400);
    assert.ok(!reply.headers.has('x-injected') && !reply.body.includes('dk_a'));
  });
}

test('existing keys stay valid keys of their kinds, and show their first seven and last four characters', () => {
  const key = 'dk_WKv2hMOIcnjl4FGljMPGjI44LtZQIWpZ2VVE72';
  const token = 'dkc_jMVwIcCopO3ZJLmxmBh65vvbmU9yaipF3ZEQdH';
  const admin = 'dka_pDx39csisCRm8uH6co9P7SSBtBpiZSRB4OUYCO';
  const kindOf = (text: string) => [isWellFormedKey(text), isWellFormedAdminKey(text)];
  for (const own of [key, token]) assert.deepEqual(kindOf(own), [true, false], own);
  assert.deepEqual(kindOf(admin), [false, true]);
  for (const changed of [key, token, admin].map(oneCharChanged))
    assert.deepEqual(kindOf(changed), [false, false], changed);
  const made = [makeApiKey(), makeClientToken(), makeAdminKey()];
  assert.deepEqual(made.map(kindOf), [key, token, admin].map(kindOf));
  assert.deepEqual(
    made.map(({ length }) => length),
    [41, 42, 42],
  );
  assert.equal(hintOf(key), 'dk_WKv2…VE72');
});
