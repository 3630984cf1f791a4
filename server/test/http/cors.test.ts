import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { SettingError } from '../../src/errors.ts';
import { openWorld } from '../world/world.ts';
import { bearer, textBody } from './support/requests.ts';

const page = 'https://app.example.com';
const world = await openWorld({ env: { DARKROOM_CORS_ORIGINS: `${page}, http://localhost:5173` } });
after(() => world[Symbol.asyncDispose]());

const preflight = (path: string, origin: string, at = world.url) =>
  fetch(at + path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,idempotency-key,x-stainless-lang',
    },
  });

const corsHeaders = ({ headers }: Response) =>
  [...headers].filter(([name]) => name.startsWith('access-control-')).map(([name]) => name);

test('a listed page may send its requests, and read the answers', async () => {
  for (const path of [
    '/api/v1/nb2/text-generations',
    '/v1/images/generations',
    '/v1beta/models',
    '/mcp',
    '/oauth/token',
    '/.well-known/oauth-protected-resource/mcp',
  ]) {
    const allowed = await preflight(path, page);
    assert.equal(allowed.status, 204);
    assert.equal(allowed.headers.get('access-control-allow-origin'), page);
    assert.equal(allowed.headers.get('access-control-allow-methods'), 'GET, HEAD, POST, PUT, PATCH, DELETE');
    assert.equal(
      allowed.headers.get('access-control-allow-headers'),
      'authorization,content-type,idempotency-key,x-stainless-lang',
    );
    assert.equal(allowed.headers.get('vary'), 'Origin, Access-Control-Request-Headers');
    assert.equal(allowed.headers.has('access-control-allow-credentials'), false);
  }

  const created = await world.send('POST', '/nb2/text-generations', {
    body: textBody,
    headers: { origin: 'http://localhost:5173' },
  });
  assert.equal(created.status, 202);
  assert.equal(created.headers.get('access-control-allow-origin'), 'http://localhost:5173');
  assert.equal(created.headers.get('vary'), 'Origin');
  const exposed = created.headers.get('access-control-expose-headers')?.split(', ') ?? [];
  for (const name of ['Location', 'Retry-After', 'X-Request-Id', 'Idempotent-Replayed', 'Preference-Applied'])
    assert.ok(exposed.includes(name), name);

  // Errors need the header too: without it, a page could not tell them from a lost connection.
  for (const [path, headers, status] of [
    ['/balance', bearer('dk_wrong'), 401],
    ['/nothing', {}, 404],
    ['/nb2/text-generations', {}, 422],
  ] as const) {
    const options = { headers: { origin: page, ...headers }, ...(status === 422 && { body: {} }) };
    const reply = await world.send(status === 422 ? 'POST' : 'GET', path, options);
    assert.equal(reply.status, status);
    assert.equal(reply.headers.get('access-control-allow-origin'), page);
  }

  // Images are open to every page: their signed links decide who may see them.
  const job = await world.finished(String(created.body.job_id));
  const { image_url: link } = job.result as { image_url: string }; // a done job has a result
  const image = await fetch(link, { headers: { origin: 'https://any.example' } });
  await image.arrayBuffer();
  assert.equal(image.headers.get('access-control-allow-origin'), '*');
});

test('an assistant in a listed page speaks MCP, and learns where to get a key', async () => {
  const ask = (origin: string, key: string) =>
    fetch(`${world.url}/mcp`, {
      method: 'POST',
      headers: {
        origin,
        'sec-fetch-site': 'cross-site',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...bearer(key),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
  const answer = await ask(page, world.key);
  assert.equal(answer.headers.get('access-control-allow-origin'), page);
  assert.match(await answer.text(), /generate_image/);
  const unknown = await ask(page, 'dk_wrong');
  assert.equal(unknown.status, 401);
  assert.match(unknown.headers.get('access-control-expose-headers') ?? '', /WWW-Authenticate/);
  assert.match(unknown.headers.get('www-authenticate') ?? '', /oauth-protected-resource/);
  const evil = await ask('https://evil.example', world.key);
  assert.deepEqual([evil.status, corsHeaders(evil)], [403, []]);
});

test('other origins, and the panel, get nothing', async () => {
  for (const origin of ['https://evil.example', `${page}:8443`, `${page}.evil.example`, 'null', '*']) {
    const refused = await preflight('/api/v1/nb2/text-generations', origin);
    assert.equal(refused.status, 405, origin);
    assert.deepEqual(corsHeaders(refused), []);
    const read = await fetch(`${world.url}/api/v1/balance`, { headers: { origin, ...bearer(world.key) } });
    assert.deepEqual([read.status, corsHeaders(read), read.headers.get('vary')], [200, [], 'Origin']);
  }
  for (const path of [
    '/panel/session',
    '/panel/sign-in',
    '/metrics',
    '/docs',
    '/',
    '/api/v12/',
    '/livez',
    '/authorize',
    '/mcpx',
  ])
    assert.deepEqual(corsHeaders(await preflight(path, page)), [], path);

  await using closed = await openWorld({ worker: false });
  const refused = await preflight('/api/v1/balance', page, closed.url);
  assert.deepEqual([refused.status, corsHeaders(refused), refused.headers.has('vary')], [405, [], false]);
});

test('the setting takes only exact origins', () => {
  const readOrigins = (text: string) => readConfig({ DARKROOM_CORS_ORIGINS: text }).http.corsOrigins;
  assert.deepEqual(readOrigins(' https://a.example ,http://localhost:5173'), [
    'https://a.example',
    'http://localhost:5173',
  ]);
  assert.deepEqual(readOrigins(''), []);
  for (const text of [
    '*',
    'null',
    `${page}/`,
    'app.example.com',
    'https://*.example.com,',
    'ftp://a.example',
  ])
    assert.throws(() => readOrigins(text), SettingError, text);
});
