import assert from 'node:assert/strict';
import { createHash, createSign, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { suite, test } from 'node:test';
import { openWorld, type World } from '../world/world.ts';
import { addPerson, Browser, openOperator, password } from './browser.ts';

const email = 'ada@example.com';

suite('signing in with an identity provider', () => {
  test('whoever was invited gets in, and comes back to the page they wanted', async () => {
    await using provider = await startProvider({ email, verified: true });
    await using world = await openWorld({ env: provider.env });
    await addPerson(world, { email, accountId: world.accountId, emailConfirmed: true });
    assert.deepEqual((await new Browser(world).call('GET /panel/sign-in')).oidc, { name: 'Example ID' });
    const browser = new Browser(world);
    const location = await signIn(world, browser, '/jobs?status=done');
    assert.equal(location, '/jobs?status=done');
    const session = await browser.call('GET /panel/session');
    assert.deepEqual([session.person.email, session.via, session.may_reset_password], [email, 'oidc', false]);
    const { data } = await (await openOperator(world)).call('GET /admin/v1/audit');
    const entry = data.find(({ action }) => action === 'person.signed_in');
    assert.deepEqual([entry?.detail, entry?.address], [{ with: 'single sign-on' }, '127.0.0.1']);
  });

  test('an account at the provider alone is no right to anything', async () => {
    await using provider = await startProvider({ email: 'stranger@example.com', verified: true });
    await using world = await openWorld({ env: provider.env });
    const browser = new Browser(world);
    assert.equal(await signIn(world, browser, '/'), '/sign-in?error=oidc');
    assert.equal((await browser.try('GET /panel/session')).status, 401);
  });

  test('an e-mail that the provider has not verified signs nobody in', async () => {
    await using provider = await startProvider({ email, verified: false });
    await using world = await openWorld({ env: provider.env });
    await addPerson(world, { email, accountId: world.accountId, emailConfirmed: true });
    assert.equal(await signIn(world, new Browser(world), '/'), '/sign-in?error=oidc');
  });

  test('the way back is worth nothing in another browser', async () => {
    await using provider = await startProvider({ email, verified: true });
    await using world = await openWorld({ env: provider.env });
    await addPerson(world, { email, accountId: world.accountId, emailConfirmed: true });
    const back = await authorize(new Browser(world), '/');
    const victim = new Browser(world);
    assert.equal((await victim.send('GET', back)).headers.get('location'), '/sign-in?error=oidc');
    assert.equal((await victim.try('GET /panel/session')).status, 401);
  });

  test('whoever takes a stranger’s e-mail is not whom the stranger signs in as, before an operator says that it is theirs', async () => {
    await using provider = await startProvider({ email, verified: true });
    await using world = await openWorld({ env: provider.env });
    const operator = await openOperator(world);
    const mallory = { email: 'mallory@example.com', accountId: world.accountId, emailConfirmed: true };
    const person_id = await addPerson(world, mallory);
    const member = new Browser(world);
    await member.call('POST /panel/sign-in', { body: { email: mallory.email, password } });
    const taken = await member.call('POST /panel/session/credentials', {
      body: { email, current_password: password },
    });
    assert.deepEqual([taken.person.email, taken.person.email_confirmed], [email, false]);
    const stranger = new Browser(world);
    assert.equal(await signIn(world, stranger, '/'), '/sign-in?error=oidc');
    assert.equal((await stranger.try('GET /panel/session')).status, 401);

    const confirm = (address: string) =>
      operator.try('POST /panel/operator/people/:person_id/confirm-email', {
        params: { person_id },
        body: { email: address },
      });
    assert.equal((await confirm(mallory.email)).status, 422, 'it is not theirs any more');
    assert.equal(await signIn(world, stranger, '/'), '/sign-in?error=oidc');
    assert.equal((await confirm(email)).status, 200);
    assert.equal(await signIn(world, stranger, '/'), '/');
    assert.equal((await stranger.call('GET /panel/session')).person.person_id, person_id);
  });

  test('setting out to the provider writes nothing, and may be tried again and again only while it answers', async () => {
    await using provider = await startProvider({ email, verified: true });
    await using world = await openWorld({ env: provider.env });
    for (let index = 0; index < 30; index++)
      await new Browser(world).call('POST /panel/sign-in/oidc', { body: {} });
    const rows = await world.app.database.read.selectFrom('verifications').selectAll().execute();
    assert.deepEqual(rows, []);

    await using away = await openWorld({ env: settings('http://127.0.0.1:9') });
    const statuses: number[] = [];
    for (let index = 0; index < 22; index++)
      statuses.push((await new Browser(away).try('POST /panel/sign-in/oidc', { body: {} })).status);
    assert.deepEqual(statuses, [...Array(20).fill(422), 429, 429]);
  });

  test('ways back that lead nowhere are not passed on to the provider for ever', async () => {
    await using provider = await startProvider({ email: 'stranger@example.com', verified: true });
    await using world = await openWorld({ env: provider.env });
    for (let index = 0; index < 25; index++)
      assert.equal(
        await signIn(world, new Browser(world), '/').catch(() => 'limited'),
        index < 20 ? '/sign-in?error=oidc' : 'limited',
      );
    assert.equal(provider.exchanges(), 20);
  });

  test('a provider that is away keeps nobody from signing in with a password', async () => {
    await using world = await openWorld({ env: settings('http://127.0.0.1:9') });
    await addPerson(world, { email, accountId: world.accountId });
    assert.ok((await new Browser(world).try('POST /panel/sign-in/oidc', { body: {} })).status < 500);
    const reply = await new Browser(world).try('POST /panel/sign-in', {
      body: { email, password },
    });
    assert.equal(reply.status, 200);
  });
});

async function signIn(_world: World, browser: Browser, return_to: string): Promise<string | null> {
  return (await browser.send('GET', await authorize(browser, return_to))).headers.get('location');
}

/** Goes to the provider, which asks nothing, and gives the path of the way back. */
async function authorize(browser: Browser, return_to: string): Promise<string> {
  const { url } = await browser.call('POST /panel/sign-in/oidc', { body: { return_to } });
  const answer = await fetch(url, { redirect: 'manual' });
  const back = new URL(answer.headers.get('location') ?? '');
  return `${back.pathname}${back.search}`;
}

function settings(issuer: string) {
  return {
    DARKROOM_OIDC_ISSUER: issuer,
    DARKROOM_OIDC_CLIENT_ID: 'panel',
    DARKROOM_OIDC_CLIENT_SECRET: 'provider-secret',
    DARKROOM_OIDC_NAME: 'Example ID',
  };
}

/** An identity provider that vouches for one person, and insists on PKCE. */
async function startProvider({ email, verified }: { email: string; verified: boolean }) {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  /** What was asked for, by the code that was given for it. */
  const asked = new Map<string, URLSearchParams>();
  let exchanges = 0;
  const issuerOf = (request: IncomingMessage) => `http://${request.headers.host}`;
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', issuerOf(request));
    const json = (body: unknown) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    if (url.pathname === '/.well-known/openid-configuration') {
      const issuer = issuerOf(request);
      json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/keys`,
        id_token_signing_alg_values_supported: ['RS256'],
      });
    } else if (url.pathname === '/keys') {
      json({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }] });
    } else if (url.pathname === '/authorize') {
      const code = `code-${asked.size}`;
      asked.set(code, url.searchParams);
      const back = new URL(url.searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', code);
      back.searchParams.set('state', url.searchParams.get('state') ?? '');
      response.writeHead(302, { location: back.href }).end();
    } else if (url.pathname === '/token') {
      exchanges++;
      const form = new URLSearchParams(await bodyOf(request));
      const first = asked.get(form.get('code') ?? '');
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      if (first?.get('code_challenge_method') !== 'S256' || first.get('code_challenge') !== challenge) {
        response.statusCode = 400;
        return json({ error: 'invalid_grant', error_description: 'PKCE verification failed' });
      }
      const now = Math.floor(Date.now() / 1000);
      const claims = {
        iss: issuerOf(request),
        aud: 'panel',
        sub: 'subject-1',
        email,
        email_verified: verified,
        name: 'Ada',
        nonce: first.get('nonce'),
        iat: now,
        exp: now + 300,
      };
      json({ access_token: 'access', token_type: 'Bearer', expires_in: 300, id_token: sign(claims) });
    } else {
      response.writeHead(404).end();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  function sign(claims: object): string {
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    const signed = `${encode({ alg: 'RS256', kid: 'one', typ: 'JWT' })}.${encode(claims)}`;
    return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url')}`;
  }

  const address = server.address();
  assert.ok(address !== null && typeof address !== 'string');
  return {
    env: settings(`http://127.0.0.1:${address.port}`),
    /** How often it was asked who somebody is. */
    exchanges: () => exchanges,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts = await Array.fromAsync(request as AsyncIterable<Buffer>); // streams of requests are bytes
  return Buffer.concat(parts).toString();
}
