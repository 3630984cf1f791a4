import assert from 'node:assert/strict';
import { request } from 'node:http';
import { suite, test } from 'node:test';
import { openWorld } from '../world/world.ts';
import { addPerson, Browser, openMember, openOperator, password, tokenOf } from './browser.ts';
import { email, makeImage } from './support/member.ts';

suite('attacks on the panel', () => {
  test('a POST from another site is refused, however its origin is stated', async () => {
    await using world = await openWorld();
    const browser = await openMember(world, { email });
    const path = '/api/v1/keys';
    const page = browser.asPage();
    const body = { name: 'stolen', models: null };
    const evil: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: '' },
      { origin: `${world.url}.evil.example` },
      { origin: world.url, 'sec-fetch-site': 'cross-site' },
      { origin: world.url, 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of evil) {
      const reply = await browser.send('POST', path, { body, headers: { ...page, ...headers } });
      assert.deepEqual([reply.status, reply.body.code], [403, 'origin_refused'], JSON.stringify(headers));
    }
    const form = await browser.send('POST', path, {
      headers: { ...page, 'content-type': 'application/x-www-form-urlencoded' },
    });
    assert.equal(form.status, 415);
    const plain = await browser.send('POST', path, { body });
    assert.deepEqual(
      [plain.status, plain.body.code],
      [401, 'key_missing'],
      'a form cannot name itself a page',
    );
    assert.deepEqual((await browser.call('GET /api/v1/keys')).data.length, 1, 'only the key of the test');
  });

  test('a page under a foreign name that resolves to us (DNS rebinding) may not send anything', async () => {
    await using world = await openWorld();
    await addPerson(world, { email, accountId: world.accountId });
    const { port } = new URL(world.url);
    const signIn = (name: string) =>
      sendAs(world.url, { host: `${name}:${port}`, origin: `http://${name}:${port}` }, { email, password });
    for (const name of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example'])
      assert.equal(await signIn(name), 403, name);
    for (const name of ['127.0.0.1', '[::1]', 'localhost', 'nas', 'nas.local', '10.0.0.7'])
      assert.equal(await signIn(name), 200, name);
  });

  test('no other site may read an answer: there are no CORS headers', async () => {
    await using world = await openWorld();
    const browser = await openMember(world, { email });
    const reply = await browser.send('GET', '/panel/session', {
      headers: { origin: 'https://evil.example' },
    });
    assert.equal(reply.headers.get('access-control-allow-origin'), null);
    assert.equal(reply.headers.get('cache-control'), 'no-store');
    assert.equal(reply.headers.get('x-content-type-options'), 'nosniff');
  });

  test('another site cannot sign a visitor in as somebody else', async () => {
    await using world = await openWorld();
    await addPerson(world, { email, accountId: world.accountId });
    const origin = 'https://evil.example';
    const signIn = await new Browser(world).try('POST /panel/sign-in', {
      body: { email, password },
      headers: { origin },
    });
    const token = tokenOf(world.app.panelLink ?? '');
    const open = await new Browser(world).try('POST /panel/links/open', {
      body: { token },
      headers: { origin },
    });
    assert.deepEqual([signIn.status, open.status], [403, 403]);
  });

  test('a session cookie that was planted before sign-in is not the one that is signed in', async () => {
    await using world = await openWorld();
    const planted = 'darkroom.session_token';
    await addPerson(world, { email, accountId: world.accountId });
    const victim = new Browser(world);
    victim.cookies.set(planted, 'attacker-knows-this.c2lnbmF0dXJl');
    assert.equal((await victim.try('GET /panel/session')).status, 401);
    await victim.call('POST /panel/sign-in', { body: { email, password } });
    assert.notEqual(victim.cookies.get(planted), 'attacker-knows-this.c2lnbmF0dXJl');

    const attacker = await openMember(world, { email: 'mallory@example.com' });
    const fixed = attacker.cookies.get(planted) ?? '';
    const second = new Browser(world);
    second.cookies.set(planted, fixed);
    await second.call('POST /panel/sign-in', { body: { email, password } });
    assert.notEqual(second.cookies.get(planted), fixed, 'a new session for every sign-in');
    assert.equal((await attacker.call('GET /panel/session')).person.email, 'mallory@example.com');
  });

  test('scripts in prompts and names are returned as JSON text', async () => {
    await using world = await openWorld();
    const browser = await openOperator(world);
    const script = '</script><script>alert(1)</script><img src=x onerror=alert(1)>';
    const { job_id } = await browser.call(makeImage, {
      params: { model: 'nb' },
      body: { prompt: script, aspect_ratio: '1:1' },
    });
    await world.finished(job_id);
    await browser.call('POST /api/v1/keys', {
      body: { name: script.slice(0, 90), models: null },
    });
    for (const call of [
      'GET /api/v1/jobs',
      'GET /panel/accounts/:account_id/jobs/:job_id',
      'GET /api/v1/keys',
    ] as const) {
      const reply = await browser.try(call, { params: { job_id } });
      assert.match(reply.headers.get('content-type') ?? '', /^application\/json/);
      assert.equal(reply.headers.get('x-content-type-options'), 'nosniff');
      assert.ok(reply.text.includes('<script>'), 'kept as it was typed');
    }
    const table = await browser.send('GET', `/api/v1/jobs.csv?account=${world.accountId}`);
    assert.match(table.headers.get('content-type') ?? '', /^text\/csv/);
    assert.match(table.headers.get('content-disposition') ?? '', /^attachment/);
    const unnamed = await browser.send('GET', '/api/v1/jobs.csv');
    assert.deepEqual([unnamed.status, unnamed.body.code], [401, 'key_missing'], 'no account, no session');
    // A key decides alone, so the account of a link says nothing beside it.
    const { accountId, key } = await world.account('with a key');
    const path = `${world.url}/api/v1/jobs.csv?account=`;
    for (const account of [accountId, world.accountId]) {
      const own = await fetch(path + account, { headers: { authorization: `Bearer ${key}` } });
      assert.deepEqual([own.status, (await own.text()).includes('script')], [200, false]);
    }
  });

  test('a cell that a spreadsheet would run is text in the CSV', async () => {
    await using world = await openWorld();
    const browser = await openMember(world, { email });
    await browser.call(makeImage, {
      params: { model: 'nb' },
      body: { prompt: '=HYPERLINK("http://evil.example")', aspect_ratio: '1:1' },
    });
    await browser.call(makeImage, {
      params: { model: 'nb' },
      body: { prompt: '＝1＋1', aspect_ratio: '1:1' },
    });
    const { text } = await browser.send('GET', `/api/v1/jobs.csv?account=${world.accountId}`);
    assert.ok(text.includes(",'＝1＋1,"), text);
    assert.ok(text.includes(`"'=HYPERLINK(""http://evil.example"")"`), text);
  });

  test('an identity provider cannot be made to send a person elsewhere', async () => {
    await using world = await openWorld({
      env: {
        DARKROOM_OIDC_ISSUER: 'http://127.0.0.1:9',
        DARKROOM_OIDC_CLIENT_ID: 'panel',
        DARKROOM_OIDC_CLIENT_SECRET: 'secret',
      },
    });
    for (const return_to of [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '/.//evil.example',
      '/a/..//evil.example',
      '/%2e//evil.example',
      '/.//evil.example?x=1#y',
      'javascript:alert(1)',
      '\\\\evil.example',
      '',
    ]) {
      const reply = await new Browser(world).try('POST /panel/sign-in/oidc', { body: { return_to } });
      assert.deepEqual([reply.status, reply.body.code], [422, 'invalid_request'], return_to);
      assert.match(
        reply.text,
        /return_to must be a path/,
        `${return_to}, and not because the provider is away`,
      );
    }
    const back = await new Browser(world).send(
      'GET',
      '/panel/auth/callback/oidc?code=x&state=y&error=https://evil.example',
    );
    assert.equal(back.status, 303);
    assert.equal(back.headers.get('location'), '/sign-in?error=oidc');
  });

  test('of the sign-in library, only the return from the identity provider is reachable', async () => {
    await using world = await openWorld();
    for (const path of [
      'sign-up/email',
      'sign-in/email',
      'get-session',
      'list-sessions',
      'two-factor/enable',
      'ok',
      'update-user',
    ]) {
      for (const method of ['GET', 'POST']) {
        assert.equal(
          (
            await new Browser(world).send(method, `/panel/auth/${path}`, {
              ...(method === 'POST' && { body: {} }),
            })
          ).status,
          404,
          path,
        );
      }
    }
  });
});

/** Sends a different `Host`, which `fetch` does not allow. */
function sendAs(url: string, headers: Record<string, string>, body: object): Promise<number> {
  return new Promise((resolve, reject) => {
    request(`${url}/panel/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
    })
      .on('response', (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
      .on('error', reject)
      .end(JSON.stringify(body));
  });
}
