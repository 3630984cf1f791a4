import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { Browser, openMember, openOperator, password } from '../panel/browser.ts';
import { openWorld } from '../world/world.ts';

const world = await openWorld({ worker: false });
after(() => world[Symbol.asyncDispose]());
const member = await openMember(world, { email: 'ada@example.com' });
const redirect = 'http://127.0.0.1/callback';
const resource = () => `${world.url}/mcp`;

async function ask(path: string, init: RequestInit = {}) {
  const response = await fetch(world.url + path, init);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const register = (fields: object) =>
  ask('/oauth/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Assistant', redirect_uris: [redirect], ...fields }),
  });

const exchange = (fields: Record<string, string>) =>
  ask('/oauth/token', {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'authorization_code', resource: resource(), ...fields }),
  });

async function granted({
  uri = redirect,
  models = null as string[] | null,
  browser = member,
  account_id = world.accountId,
} = {}) {
  const verifier = randomBytes(32).toString('base64url');
  const { body } = await register({});
  const request = {
    client_id: String(body.client_id),
    redirect_uri: uri,
    response_type: 'code',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: 's',
    resource: resource(),
  };
  const { return_to } = await browser.call('POST /panel/accounts/:account_id/grants', {
    params: { account_id },
    body: { ...request, models },
  });
  const code = new URL(return_to).searchParams.get('code') ?? '';
  return {
    request,
    exchange: { code, redirect_uri: uri, client_id: request.client_id, code_verifier: verifier },
  };
}

const statusOf = async (key: unknown) =>
  (await world.send('GET', '/balance', { headers: { authorization: `Bearer ${key}` } })).status;

test('a refusal without a key names where to get one, and the documents there agree', async () => {
  const refused = await fetch(resource(), { method: 'POST' });
  const told = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1];
  assert.equal(told, `${world.url}/.well-known/oauth-protected-resource/mcp`);
  const { body: ours } = await ask('/.well-known/oauth-protected-resource/mcp');
  assert.deepEqual([ours.resource, ours.authorization_servers], [resource(), [world.url]]);
  const { body: server } = await ask('/.well-known/oauth-authorization-server');
  assert.deepEqual(
    [server.issuer, server.authorization_endpoint, server.code_challenge_methods_supported],
    [world.url, `${world.url}/authorize`, ['S256']],
  );
});

test('a code becomes a key of the account and the models that the person chose', async () => {
  const program = await granted({ uri: 'http://127.0.0.1:4711/callback', models: ['nb'] });
  const { status, body } = await exchange(program.exchange);
  assert.deepEqual([status, body.token_type], [200, 'Bearer']);
  const headers = { authorization: `Bearer ${body.access_token}` };
  const image = { prompt: 'a fox', aspect_ratio: '1:1' };
  assert.equal((await world.send('POST', '/nb/text-generations', { headers, body: image })).status, 202);
  assert.equal((await world.send('POST', '/text-generations', { headers, body: image })).status, 403);
  const { data } = await member.call('GET /api/v1/keys');
  assert.deepEqual([data[0]?.name, data[0]?.models, data[0]?.status], ['Assistant', ['nb'], 'active']);
});

test('a code works once; a second use ends the key that it made', async () => {
  const program = await granted();
  const { body } = await exchange(program.exchange);
  assert.equal(await statusOf(body.access_token), 200);
  const again = await exchange(program.exchange);
  assert.deepEqual([again.status, again.body.error], [400, 'invalid_grant']);
  await world.elapse(1_000);
  assert.equal(await statusOf(body.access_token), 401);

  const twice = await granted();
  const answers = await Promise.all([exchange(twice.exchange), exchange(twice.exchange)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400]);
});

test('a code is valid only for its program, its address and its verifier, and for a minute', async () => {
  const other = String((await register({})).body.client_id);
  for (const wrong of [
    { code_verifier: 'x'.repeat(43) },
    { client_id: other },
    { redirect_uri: 'http://127.0.0.1:1/callback' },
    { code: 'v1.00000000.AAAA' },
  ]) {
    const program = await granted();
    const { status, body } = await exchange({ ...program.exchange, ...wrong });
    assert.deepEqual([status, body.error], [400, 'invalid_grant'], JSON.stringify(wrong));
  }
  const late = await granted();
  await world.elapse(60_000);
  assert.equal((await exchange(late.exchange)).body.error, 'invalid_grant');
  const other_grant = await exchange({ ...late.exchange, grant_type: 'client_credentials' });
  assert.equal(other_grant.body.error, 'unsupported_grant_type');
});

test('programs register only addresses on https or on their own machine', async () => {
  for (const uri of [
    'http://example.com/',
    'javascript:alert(1)',
    'https://a.example/#x',
    'x',
    'file:///etc',
  ])
    assert.equal((await register({ redirect_uris: [uri] })).body.error, 'invalid_redirect_uri', uri);
  assert.equal((await register({ redirect_uris: ['https://a.example/cb'] })).status, 201);
  assert.equal((await register({ redirect_uris: [] })).status, 400);
  const named = await register({ client_name: 'A\u202eB\n  C' });
  assert.equal(named.body.client_name, 'A B C');
});

test('a program’s mistake is not reported as our error', async () => {
  for (const path of ['/oauth/register', '/oauth/token'])
    for (const [type, body, status] of [
      ['application/json', '['.repeat(50_000), 413],
      ['text/plain', 'grant_type=authorization_code', 415],
    ] as const) {
      const answer = await ask(path, { method: 'POST', headers: { 'content-type': type }, body });
      assert.deepEqual([answer.status, answer.body.error], [status, 'invalid_request'], `${path} ${type}`);
      if (status === 413) assert.match(String(answer.body.error_description), /16,384 bytes at most/);
    }
});

test('no grant without the person, their account, PKCE, the right address and this server', async () => {
  const { request } = await granted();
  const call = 'POST /panel/accounts/:account_id/grants';
  const body = { ...request, models: null };
  const status = async (browser: Browser, change: object, params?: { account_id: string }) =>
    (await browser.try(call, { body: { ...body, ...change }, ...(params && { params }) })).status;
  assert.equal(await status(new Browser(world), {}), 401);
  const { accountId } = await world.account('of others');
  assert.equal(await status(member, {}, { account_id: accountId }), 404);
  for (const change of [
    { code_challenge_method: 'plain' },
    { code_challenge: 'short' },
    { response_type: 'token' },
    { redirect_uri: 'https://evil.example/callback' },
    { redirect_uri: 'http://127.0.0.1/other' },
    { resource: 'https://other.example/mcp' },
    { client_id: request.client_id.replace(/.{9}$/, 'AAAAAAAAA') },
  ])
    assert.equal(await status(member, change), 422, JSON.stringify(change));
});

test('a person who may no longer create keys, or has signed out, gets none through an earlier consent', async () => {
  const operator = await openOperator(world);
  const { accountId } = await world.account('of a few');
  const params = { account_id: accountId };
  let people = 0;
  const join = async () => {
    people += 1;
    const browser = await openMember(world, { email: `p${people}@example.com`, accountId });
    const { person } = await browser.call('GET /panel/session');
    return { browser, params: { ...params, person_id: person.person_id } };
  };
  const ends: Record<string, (who: Awaited<ReturnType<typeof join>>) => Promise<unknown>> = {
    nothing: async () => {},
    'removed from the account': (who) =>
      operator.call('DELETE /api/v1/members/:person_id', {
        params: who.params,
      }),
    'only to look from now on': (who) =>
      operator.call('PATCH /api/v1/members/:person_id', {
        params: who.params,
        body: { role: 'viewer' },
      }),
    'signed out': ({ browser }) => browser.call('POST /panel/sign-out'),
    'a new password from elsewhere': async ({ browser }) => {
      const { person } = await browser.call('GET /panel/session');
      const other = new Browser(world);
      await other.call('POST /panel/sign-in', { body: { email: String(person.email), password } });
      await other.call('POST /panel/session/credentials', {
        body: { password: 'a quite different horse', current_password: password },
      });
    },
    'the account is disabled': () =>
      operator.call('POST /admin/v1/accounts/:account/disable', {
        params,
        body: { reason: 'It is late.' },
      }),
  };
  for (const [what, end] of Object.entries(ends)) {
    const who = await join();
    const program = await granted({ browser: who.browser, account_id: accountId });
    await end(who);
    const { status, body } = await exchange(program.exchange);
    if (what === 'nothing') assert.equal(status, 200);
    else assert.deepEqual([status, body.error], [400, 'invalid_grant'], what);
  }
  const { data } = await operator.call('GET /api/v1/keys', { params });
  assert.equal(data.filter(({ name }) => name === 'Assistant').length, 1);
});

test('the sign-in page answers programs that check whether it exists', async () => {
  const statusFor = async (path: string, accept: string) =>
    (await fetch(`${world.url}${path}`, { headers: { accept } })).status;
  assert.equal(await statusFor('/authorize', '*/*'), await statusFor('/authorize', 'text/html'));
  assert.equal(await statusFor('/jobs', '*/*'), 404);
});
