import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Browser, openOperator } from '../panel/browser.ts';
import { openWorld } from '../world/world.ts';
import { openRawClient, rawRequest } from './support/raw-client.ts';
import { assertRawProblem, assertRefused } from './support/refusal.ts';
import { bearer, postBytes, textBody } from './support/requests.ts';

/** Requests and expectations of clients that follow the HTTP standards to the letter. */
const world = await openWorld({ worker: false });
after(() => world[Symbol.asyncDispose]());

const path = '/api/v1/nb2/text-generations';
const json = JSON.stringify(textBody);

test('HEAD answers as GET does, without the body, for every GET', async () => {
  const jobId = await world.create();
  const operator = await openOperator(world);
  const cookie = [...operator.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  for (const target of [
    `/api/v1/jobs/${jobId}`,
    '/api/v1/jobs',
    '/api/v1/jobs/nope',
    '/api/v1/events',
    '/api/v1/balance',
    '/api/v1/models',
    '/api/v1/openapi.json',
    '/docs',
    '/docs/errors/not_found',
    '/docs/style.css',
    '/panel/session',
    '/api/v1/keys',
    `/panel/accounts/${world.accountId}/overview`,
    '/panel/operator/operators',
    '/v1/models',
    '/v1/models/nb2',
    '/v1beta/models',
    '/livez',
    '/readyz',
    '/',
  ]) {
    const headers = { ...bearer(world.key), cookie, accept: 'text/html' };
    const got = await fetch(world.url + target, { headers });
    const text = await got.text();
    using client = await openRawClient(world.url);
    client.write(rawRequest('HEAD', target, { headers: { ...headers, connection: 'close' } }));
    const head = await client.head();
    assert.equal(head.status, got.status, target);
    assert.equal(head.headers.get('content-type'), got.headers.get('content-type') ?? undefined, target);
    // Request ids count up: an answer that quotes its own may be one character longer than the earlier one.
    const id = got.headers.get('x-request-id') ?? '';
    const quoted = text.includes(id) ? String(head.headers.get('x-request-id')).length - id.length : 0;
    const length = Number(head.headers.get('content-length'));
    assert.equal(length, Buffer.byteLength(text) + quoted, target);
    await client.closed;
    assert.ok(client.socket.bytesRead < 2_000, `${target} has a body`);
  }
});

test('HEAD is refused as GET is, without a key and without a session', async () => {
  for (const target of ['/api/v1/balance', '/panel/operator/operators'])
    assert.equal((await fetch(world.url + target, { method: 'HEAD' })).status, 401, target);
});

test('any number of spaces may separate Bearer and the key', async () => {
  for (const authorization of [`Bearer   ${world.key}`, `bearer  ${world.key}  `])
    assert.equal((await world.send('GET', '/balance', { headers: { authorization } })).status, 200);
});

test('two Host headers are 400, even equal ones', async () => {
  for (const second of ['localhost', 'evil.example']) {
    using client = await openRawClient(world.url);
    const lines = `host: localhost\r\nHost: ${second}\r\nauthorization: Bearer ${world.key}\r\n`;
    client.write(`GET /api/v1/balance HTTP/1.1\r\n${lines}\r\n`);
    assertRawProblem(await client.next(), 400, 'malformed_request');
  }
});

test('two Content-Type headers are 415', async () => {
  for (const second of ['application/json', 'text/plain']) {
    using client = await openRawClient(world.url);
    const lines = `host: localhost\r\nauthorization: Bearer ${world.key}\r\ncontent-length: ${json.length}\r\n`;
    const types = `content-type: application/json\r\nContent-Type: ${second}\r\n`;
    client.write(`POST ${path} HTTP/1.1\r\n${lines}${types}\r\n${json}`);
    assertRawProblem(await client.next(), 415, 'unsupported_media_type');
  }
});

test('application/json may have any parameters except another character set', async () => {
  for (const type of [
    'application/json; profile="https://example.com/a;b"',
    'application/json;version=1;charset=utf-8',
    'application/json; charset="UTF-8"; odata=none',
    'application/json;',
  ])
    assert.equal((await postBytes(world, json, { 'content-type': type })).status, 202, type);
  for (const type of ['application/json; version=1; charset=latin1', 'application/json, text/plain'])
    await assertRefused(
      world,
      () => postBytes(world, json, { 'content-type': type }),
      415,
      'unsupported_media_type',
    );
});

test('a byte order mark before the JSON makes no difference, not even to an Idempotency-Key', async () => {
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'with-a-mark' };
  const marked = await postBytes(world, `\ufeff${json}`, headers);
  assert.equal(marked.status, 202);
  assert.equal((await postBytes(world, json, headers)).body.job_id, marked.body.job_id);
  await assertRefused(world, () => postBytes(world, '\ufeff'), 422, 'invalid_request');
  await assertRefused(world, () => postBytes(world, `\ufeff\ufeff${json}`), 422, 'invalid_request');
});

test('HEAD with an expectation is answered as without it', async () => {
  for (const expect of ['100-continue', 'tea']) {
    using client = await openRawClient(world.url);
    client.write(rawRequest('HEAD', '/livez', { headers: { expect, connection: 'close' } }));
    assert.equal((await client.head()).status, 200, expect);
  }
});

test('Expect: 100-continue is refused before anything is sent, or answered with 100', async () => {
  const expecting = { expect: '100-continue', 'content-length': String(json.length) };
  for (const [headers, status, code] of [
    [{ 'content-type': 'application/json' }, 401, 'key_missing'],
    [{ 'content-type': 'application/json', ...bearer('wrong') }, 401, 'key_invalid'],
    [{ 'content-type': 'text/plain', ...bearer(world.key) }, 415, 'unsupported_media_type'],
  ] as const) {
    using client = await openRawClient(world.url);
    client.write(rawRequest('POST', path, { headers: { ...expecting, ...headers } }));
    const reply = await client.next();
    assertRawProblem(reply, status, code);
    assert.equal(reply?.headers.get('connection'), 'close');
    await client.closed;
  }
  using client = await openRawClient(world.url);
  const headers = { ...expecting, 'content-type': 'application/json', ...bearer(world.key) };
  for (let round = 0; round < 2; round += 1) {
    client.write(rawRequest('POST', path, { headers }));
    assert.equal((await client.next())?.status, 100);
    client.write(json);
    assert.equal((await client.next())?.status, 202, 'the connection is kept');
  }
});

test('no cache keeps an answer of the API', async () => {
  const stranger = bearer('wrong');
  const jobId = await world.create();
  for (const reply of [
    await world.send('GET', `/jobs/${jobId}`),
    await world.send('GET', '/balance'),
    await world.send('POST', '/nb2/text-generations', { body: textBody }),
    await world.send('GET', '/balance', { headers: stranger }),
    await world.send('GET', '/jobs/nope'),
    await world.send('GET', '/nope'),
    await world.send('POST', '/balance'),
    await world.send('POST', '/nb2/text-generations', { body: {} }),
    await new Browser(world).try('GET /panel/session'),
  ])
    assert.equal(reply.headers.get('cache-control'), 'no-store', JSON.stringify(reply.body));
});

test('openapi.json has an entity tag, and answers 304 to a client that has it', async () => {
  const url = `${world.url}/api/v1/openapi.json`;
  const first = await fetch(url);
  assert.match(first.headers.get('content-type') ?? '', /^application\/json/);
  assert.equal(((await first.json()) as { openapi: string }).openapi, '3.1.0');
  const etag = first.headers.get('etag') ?? '';
  assert.match(etag, /^"[\w-]+"$/);
  const again = await fetch(url, { headers: { 'if-none-match': `"other", W/${etag}` } });
  assert.equal(again.status, 304);
  assert.equal(again.headers.get('access-control-allow-origin'), '*');
});
