import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { METHODS } from 'node:http';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { openWorld, type World } from '../world/world.ts';
import { openRawClient, rawRequest } from './support/raw-client.ts';
import { assertProblem, assertRawProblem, assertRefused } from './support/refusal.ts';
import { bearer, eventually, postBytes, textBody } from './support/requests.ts';
import { readSnapshot } from './support/snapshot.ts';

const world = await openWorld({ worker: false });
after(() => world[Symbol.asyncDispose]());

const path = '/api/v1/nb2/text-generations';
const json = JSON.stringify(textBody);
const authorized = (headers: Record<string, string> = {}) => ({ ...bearer(world.key), ...headers });
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

for (const [row, body] of [
  ['B1: the body "{"', '{'],
  ['B2: an empty body', ''],
  ['B3: null', 'null'],
  ['B3: a list', '[]'],
  ['B3: a text', '"x"'],
  ['B3: a number', '1'],
  ['B18: 100,000 nested lists in an unknown field', `{"x":${nested(100_000)}}`],
  ['B18: 100,000 nested lists as the prompt', `{"aspect_ratio":"1:1","prompt":${nested(100_000)}}`],
  ['B18: 100,000 nested lists and nothing else', nested(100_000)],
  ['B19: __proto__', `{"__proto__":{"admin":true},${json.slice(1)}`],
  ['B20: constructor.prototype', `{"constructor":{"prototype":{"admin":true}},${json.slice(1)}`],
  ['B23: bytes that are not UTF-8', Buffer.from('{"prompt":"\xff\xfe","aspect_ratio":"1:1"}', 'latin1')],
  ['B24: NaN', '{"prompt":NaN,"aspect_ratio":"1:1"}'],
  ['B24: Infinity', '{"prompt":Infinity,"aspect_ratio":"1:1"}'],
  ['B24: a comment', `${json} // yes`],
  ['B24: a trailing comma', '{"prompt":"a fox","aspect_ratio":"1:1",}'],
] as const) {
  test(`${row} is 422`, async () => {
    await assertRefused(world, () => postBytes(world, body), 422, 'invalid_request');
    assert.equal((await world.send('GET', '/balance')).status, 200);
  });
}

test('B18: a body of 20 levels is read, one of 21 is not', async () => {
  const [shallow, deep] = [await postBytes(world, nested(20)), await postBytes(world, nested(21))];
  assertProblem(shallow, 422, 'invalid_request');
  assertProblem(deep, 422, 'invalid_request');
  assert.doesNotMatch(String(shallow.body.detail), /deeper/);
  assert.match(String(deep.body.detail), /deeper than 20 levels/);
});

test('a call without a body ignores any body', async () => {
  for (const [type, body] of [
    ['application/json', undefined],
    ['application/x-www-form-urlencoded', ''],
    ['application/x-www-form-urlencoded', 'a=b'],
    ['text/plain', 'please'],
    ['application/json', '{'],
    ['application/json', nested(100_000)],
  ] as const) {
    const options = { headers: { 'content-type': type }, ...(body !== undefined && { body }) };
    const cancelled = await world.send('POST', `/jobs/${await world.create()}/cancel`, options);
    assert.equal(cancelled.status, 200, `${type} ${body?.slice(0, 10)}`);
  }
});

for (const [row, type] of [
  ['B4: text/plain', 'text/plain'],
  ['B5: no content type', undefined],
  ['B6: application/json with a tab and more', 'application/json\ta'],
  ['B8: application/json with garbage', 'application/json garbage'],
  ['B8: another suffix', 'application/jsonp'],
  ['B10: multipart/form-data', 'multipart/form-data; boundary=x'],
  ['B10: a form', 'application/x-www-form-urlencoded'],
] as const) {
  test(`${row} is 415`, async () => {
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    await assertRefused(world, () => postBytes(world, json, headers), 415, 'unsupported_media_type');
  });
}

test('B7: spaces around application/json do not matter', async () => {
  for (const type of [' application/json', 'application/json ', 'APPLICATION/JSON; charset=UTF-8']) {
    const headers = { 'content-type': type };
    await assertRefused(world, () => postBytes(world, '{"prompt":1}', headers), 422, 'invalid_request');
    assert.equal((await postBytes(world, json, headers)).status, 202);
  }
});

test('B9: UTF-16 is 415', async () => {
  const headers = { 'content-type': 'application/json; charset=utf-16' };
  const body = Buffer.from(json, 'utf16le');
  await assertRefused(world, () => postBytes(world, body, headers), 415, 'unsupported_media_type');
  await assertRefused(world, () => postBytes(world, body), 422, 'invalid_request');
});

test('B11: a body over 256 KiB is 413, announced or not', async () => {
  const large = JSON.stringify({ ...textBody, prompt: 'a'.repeat(300_000) });
  await assertRefused(world, () => postBytes(world, large), 413, 'body_too_large');

  const before = await readSnapshot(world);
  using client = await openRawClient(world.url);
  client.write(
    rawRequest('POST', path, {
      headers: authorized({ 'content-type': 'application/json', 'transfer-encoding': 'chunked' }),
    }),
  );
  client.write(`${large.length.toString(16)}\r\n${large}\r\n`);
  const answered = await client.next();
  assert.equal(answered?.status, 413);
  assert.match(answered.body, /262,144 bytes at most/);
  assert.deepEqual(await readSnapshot(world), before);
});

test('a body that exceeds 256 KiB only because of its escapes is accepted', async () => {
  const spellOut = (text: string) =>
    text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  for (const prompt of ['狐'.repeat(32_768), '🦊'.repeat(32_768)]) {
    const body = spellOut(JSON.stringify({ ...textBody, prompt }));
    assert.ok(body.length > 190_000);
    assert.equal((await postBytes(world, body)).status, 202);
    const longer = spellOut(JSON.stringify({ ...textBody, prompt: `${prompt}狐` }));
    await assertRefused(world, () => postBytes(world, longer), 422, 'invalid_request');
  }
  const tooLong = spellOut(JSON.stringify({ ...textBody, prompt: '狐'.repeat(90_000) }));
  await assertRefused(world, () => postBytes(world, tooLong), 413, 'body_too_large');
});

test('B12: a compressed body is 415', async () => {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  await assertRefused(world, () => postBytes(world, json, headers), 415, 'unsupported_media_type');
});

test('B13: a Content-Length shorter than the body makes no job, and the remaining bytes are 400', async () => {
  const before = await readSnapshot(world);
  using client = await openRawClient(world.url);
  client.write(
    rawRequest('POST', path, {
      headers: authorized({ 'content-length': String(json.length - 1) }),
      body: json,
    }),
  );
  // The parser may reach the remaining bytes before the answer about the cut body is written.
  const statuses = [(await client.next())?.status, (await client.next())?.status];
  await client.closed;
  assert.ok(statuses.includes(400), String(statuses));
  for (const status of statuses) assert.ok(status === undefined || status === 400 || status === 422);
  assert.deepEqual(await readSnapshot(world), before);
});

test('B13: a Content-Length longer than the body makes no job, and the connection ends with the client', async () => {
  const before = await readSnapshot(world);
  using client = await openRawClient(world.url);
  client.write(
    rawRequest('POST', path, {
      headers: authorized({ 'content-length': String(json.length + 1) }),
      body: json,
    }),
  );
  client.socket.end();
  const reply = await client.next();
  assert.ok(reply === undefined || reply.status === 400, String(reply?.status));
  await client.closed;
  assert.deepEqual(await readSnapshot(world), before);
});

test('B14: Content-Length together with Transfer-Encoding is 400', async () => {
  const before = await readSnapshot(world);
  using client = await openRawClient(world.url);
  client.write(
    rawRequest('POST', path, { headers: authorized({ 'transfer-encoding': 'chunked' }), body: json }),
  );
  const reply = await client.next();
  assertRawProblem(reply, 400, 'malformed_request');
  await client.closed;
  assert.deepEqual(await readSnapshot(world), before);
});

test('B17: a client that resets after sending its body has one job after repeating it', async () => {
  for (let round = 0; round < 5; round += 1) {
    const headers = { 'idempotency-key': randomUUID() };
    using client = await openRawClient(world.url);
    client.socket.write(rawRequest('POST', path, { headers: authorized(headers), body: json }), () =>
      client.socket.resetAndDestroy(),
    );
    await client.closed;
    const jobId = await world.create(undefined, {}, headers);
    assert.equal(await world.create(undefined, {}, headers), jobId);
    const jobs = await jobsOfKey(world, headers['idempotency-key']);
    assert.deepEqual(jobs, [jobId]);
  }
});

async function jobsOfKey({ app, send }: World, key: string): Promise<(string | null)[]> {
  await send('GET', '/balance');
  const rows = await app.database.read
    .selectFrom('idempotency_keys')
    .innerJoin('entries', 'entries.job_id', 'idempotency_keys.job_id')
    .select('entries.job_id')
    .where('key', '=', key)
    .execute();
  return rows.map(({ job_id }) => job_id);
}

test('B25: 10,000 unknown fields are 422 at once', async () => {
  const fields = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`field_${i}`, i]));
  const body = JSON.stringify({ ...textBody, ...fields });
  const began = performance.now();
  const reply = await assertRefused(world, () => postBytes(world, body), 422, 'invalid_request');
  assert.ok(performance.now() - began < 5_000);
  assert.ok(JSON.stringify(reply.body).length < 10_000);
});

test('B27: other methods on a create path are 405, with the allowed methods', async () => {
  for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
    for (const create of ['/text-generations', '/nb/url-generations']) {
      const reply = await assertRefused(world, () => world.send(method, create), 405, 'method_not_allowed');
      assert.equal(reply.headers.get('allow'), 'POST');
    }
  }
});

test('every method that Node reads is answered as documented, with an id, and never with 500', async () => {
  const jobId = await world.create();
  const before = await readSnapshot(world);
  const places: [target: string, allow: string | null][] = [
    ['/nope', null],
    ['/api/v1/jobs', 'GET, HEAD'],
    [`/api/v1/jobs/${jobId}/cancel`, 'POST'],
    ['/images/x.png', 'GET, HEAD, OPTIONS'],
  ];
  for (const method of METHODS) {
    for (const [target, allow] of places) {
      if (allow?.split(', ').includes(method)) continue;
      using client = await openRawClient(world.url);
      client.write(rawRequest(method, target, { headers: authorized({ connection: 'close' }) }));
      const { status, headers } = await client.head();
      const name = `${method} ${target}`;
      // CONNECT has no path.
      const isThere = allow !== null && method !== 'CONNECT';
      assert.equal(status, isThere ? 405 : 404, name);
      assert.equal(headers.get('allow') ?? null, isThere ? allow : null, name);
      assert.match(headers.get('x-request-id') ?? '', /^req_/, name);
      assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/, name);
    }
  }
  assert.deepEqual(await readSnapshot(world), before);
});

test('a CONNECT that breaks off ends nothing, and one that is kept open does not prevent a stop', async () => {
  await using own = await openWorld({ worker: false });
  for (let nth = 0; nth < 20; nth++) {
    const socket = connect(Number(new URL(own.url).port), '127.0.0.1');
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write('CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n');
    await new Promise((resolve) => setImmediate(resolve));
    socket.resetAndDestroy();
  }
  using held = await openRawClient(own.url);
  held.write('CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n');
  assertRawProblem(await held.next(), 404, 'not_found');
  const beganAt = performance.now();
  await own.restart();
  assert.ok(performance.now() - beganAt < 20_000);
  assert.equal((await own.send('GET', '/balance')).status, 200);
});

test('for an unknown path, a wrong body is 404, not 415 or 413', async () => {
  using client = await openRawClient(world.url);
  const headers = { 'content-type': 'text/plain' };
  client.write(rawRequest('POST', '/api/v1/nope', { headers, body: 'x' }));
  assertRawProblem(await client.next(), 404, 'not_found');
  client.write(rawRequest('POST', '/api/v1/nope', { headers, body: 'x'.repeat(300_000) }));
  assertRawProblem(await client.next(), 404, 'not_found');
});

test('a request of HTTP/1.1 without Host is 400 with a problem document; HTTP/1.0 needs none', async () => {
  using client = await openRawClient(world.url);
  const lines = `authorization: Bearer ${world.key}\r\n\r\n`;
  client.write(`GET /api/v1/balance HTTP/1.1\r\n${lines}`);
  assertRawProblem(await client.next(), 400, 'malformed_request');
  client.write(`GET /api/v1/balance HTTP/1.0\r\n${lines}`);
  assert.equal((await client.next())?.status, 200);
});

test('an unknown expectation is ignored; 100-continue is met', async () => {
  using client = await openRawClient(world.url);
  client.write(rawRequest('GET', '/api/v1/balance', { headers: authorized({ expect: 'foo' }) }));
  const ignored = await client.next();
  assert.equal(ignored?.status, 200);
  assert.match(ignored.headers.get('x-request-id') ?? '', /^req_/);
  const headers = authorized({ expect: '100-continue', 'content-length': String(json.length) });
  client.write(rawRequest('POST', path, { headers: { ...headers, 'content-type': 'application/json' } }));
  assert.equal((await client.next())?.status, 100);
  client.write(json);
  assert.equal((await client.next())?.status, 202);
});

for (const target of [
  '/api/v1//text-generations',
  '/API/V1/text-generations',
  '/api/v1/Text-Generations',
  '/api/v1/text-generations/',
  '/api/v1/..%2f..%2fetc/passwd',
  '/api/v1/../../etc/passwd',
  '/api/v2/text-generations',
  '/api/v1',
  '/',
]) {
  test(`B28, B29, B30: POST ${target} is 404`, async () => {
    const before = await readSnapshot(world);
    using client = await openRawClient(world.url);
    client.write(rawRequest('POST', target, { headers: authorized(), body: json }));
    const reply = await client.next();
    assert.equal(reply?.status, 404);
    assert.equal(JSON.parse(reply.body).code, 'not_found');
    assert.deepEqual(await readSnapshot(world), before);
  });
}

test('a persistent connection carries nothing over from one request to the next', async () => {
  const accepted: Socket[] = [];
  const note = (message: unknown) => accepted.push((message as { socket: Socket }).socket); // the documented message
  subscribe('net.server.socket', note);
  using client = await openRawClient(world.url);
  const create = async () => {
    client.write(rawRequest('POST', path, { headers: authorized(), body: json }));
    assert.equal((await client.next())?.status, 202);
  };
  await create();
  unsubscribe('net.server.socket', note);
  const [socket] = accepted.filter(({ remotePort }) => remotePort === client.socket.localPort);
  assert.ok(socket);
  const listeners = socket.listenerCount('close');
  for (let i = 0; i < 20; i += 1) await create();
  assert.equal(socket.listenerCount('close'), listeners);
});

test('B31: headers of 20 kB are 431', async () => {
  using client = await openRawClient(world.url);
  client.write(
    rawRequest('GET', '/api/v1/balance', { headers: authorized({ 'x-long': 'a'.repeat(20_000) }) }),
  );
  const reply = await client.next();
  assertRawProblem(reply, 431, 'headers_too_large');
  await client.closed;
});

test('B32: 100 creates in one go on one connection are answered in order, one job each', async () => {
  const { key, accountId } = await world.account('pipeline', { creditMicros: 4_000_000n });
  using client = await openRawClient(world.url);
  const prompts = Array.from({ length: 100 }, (_, i) => `fox number ${i}`);
  client.write(
    prompts
      .map((prompt) =>
        rawRequest('POST', path, { headers: bearer(key), body: JSON.stringify({ ...textBody, prompt }) }),
      )
      .join(''),
  );
  const jobIds: string[] = [];
  for (const _ of prompts) {
    const reply = await client.next();
    assert.equal(reply?.status, 202);
    jobIds.push(JSON.parse(reply.body).job_id);
  }
  const rows = await eventually(
    () =>
      world.app.database.read
        .selectFrom('jobs')
        .select(['id', 'prompt'])
        .where('account_id', '=', accountId)
        .execute(),
    ({ length }) => length === 100,
  );
  const promptOf = new Map(rows.map(({ id, prompt }) => [id, prompt]));
  assert.deepEqual(
    jobIds.map((id) => promptOf.get(id)),
    prompts,
  );
  const { body } = await world.send('GET', '/balance', { headers: bearer(key) });
  assert.deepEqual(body, { balance: '4.00', reserved: '4.00', available: '0.00' });
});
