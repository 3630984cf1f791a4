import assert from 'node:assert/strict';
import { request } from 'node:http';
import { suite, test } from 'node:test';
import { openWorld } from '../world/world.ts';
import { addPerson, Browser, openMember, openOperator, password, tokenOf } from './browser.ts';

const email = 'ada@example.com';

suite('attacks on the panel', () => {
  test('a POST from another site is refused, with every way to say where it comes from', async () => {
    await using world = await openWorld();
    const browser = await openMember(world, { email });
    const path = `/panel/accounts/${world.accountId}/keys`;
    const body = { name: 'stolen', models: null, expires_at: null };
    const evil: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: '' },
      { origin: `${world.url}.evil.example` },
      { origin: world.url, 'sec-fetch-site': 'cross-site' },
      { origin: world.url, 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of evil) {
      const reply = await browser.send('POST', path, { body, headers });
      assert.deepEqual([reply.status, reply.body.code], [403, 'origin_refused'], JSON.stringify(headers));
    }
    const form = await browser.send('POST', path, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    assert.equal(form.status, 415);
    assert.deepEqual(
      (await browser.call('GET /panel/accounts/:account_id/keys')).data.length,
      1,
      'only the key of the test',
    );
  });

  test('a page under a name of its own that leads here (DNS rebinding) may not send anything', async () => {
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

  test('the public API never takes a session, and the panel never takes a key', async () => {
    await using world = await openWorld();
    const browser = await openOperator(world);
    for (const path of ['/api/v1/balance', '/api/v1/jobs', '/api/v1/models']) {
      assert.equal((await browser.send('GET', path)).status, 401);
    }
    const withKey = await new Browser(world).send('GET', `/panel/accounts/${world.accountId}/balance`, {
      headers: { authorization: `Bearer ${world.key}` },
    });
    assert.equal(withKey.status, 401);
  });

  test('a member sees nothing of another account: every call answers as if it did not exist', async () => {
    await using world = await openWorld();
    const other = await world.account('other', { creditMicros: 5_000_000n });
    const jobId = await world.create();
    await world.finished(jobId);
    const member = await openMember(world, { email, accountId: other.accountId });
    const foreign = {
      account_id: world.accountId,
      job_id: jobId,
      index: '0',
      key_id: other.keyId,
      delivery_id: '1',
      endpoint_id: other.keyId,
    };
    for (const call of accountCalls) {
      const reply = await member.try(call, { params: foreign, ...(call.startsWith('POST') && { body: {} }) });
      assert.deepEqual([reply.status, reply.body.code], [404, 'not_found'], call);
    }
    const own = { ...foreign, account_id: other.accountId };
    for (const call of [
      'GET /panel/accounts/:account_id/jobs/:job_id',
      'POST /panel/accounts/:account_id/jobs/:job_id/again',
      'POST /panel/accounts/:account_id/jobs/:job_id/cancel',
    ] as const) {
      assert.equal(
        (await member.try(call, { params: own })).status,
        404,
        `${call} with another account's job`,
      );
    }
    const [key] = (await (await openOperator(world)).call('GET /panel/accounts/:account_id/keys')).data;
    const keyParams = { account_id: other.accountId, key_id: key?.key_id ?? '' };
    assert.equal(
      (await member.try('POST /panel/accounts/:account_id/keys/:key_id/disable', { params: keyParams }))
        .status,
      404,
    );
    const stolen = await member.try('POST /panel/accounts/:account_id/jobs', {
      params: own,
      body: { model: 'nb', prompt: 'mine now', aspect_ratio: '1:1', inputs: [{ job_id: jobId }] },
    });
    assert.equal(stolen.status, 404, 'another account’s image as input');
  });

  test('a member of a disabled account may look and do nothing else: no key, no secret, no webhook', async () => {
    await using world = await openWorld({ worker: false });
    const operator = await openOperator(world);
    const member = await openMember(world, { email });
    const job_id = await world.create();
    const [key] = (await member.call('GET /panel/accounts/:account_id/keys')).data;
    await operator.call('POST /panel/operator/accounts/:account_id/disable', { body: { reason: 'unpaid' } });
    const params = { job_id, key_id: key?.key_id ?? '', index: '0', delivery_id: '1', endpoint_id: job_id };
    for (const call of accountCalls) {
      const body = bodies[call];
      const reply = await member.try(call, { params, ...(body && { body }) });
      if (call.startsWith('GET')) assert.notEqual(reply.status, 403, call);
      else assert.deepEqual([reply.status, reply.body.code], [403, 'account_disabled'], call);
    }
    const made = { name: 'for later', models: null, expires_at: null };
    await operator.call('POST /panel/accounts/:account_id/keys', { body: made });
    await operator.call('POST /panel/operator/accounts/:account_id/enable');
    await member.call('POST /panel/accounts/:account_id/keys', { body: made });
  });

  test('a member is refused by every call of operators', async () => {
    await using world = await openWorld();
    const member = await openMember(world, { email });
    for (const call of operatorCalls) {
      const reply = await member.try(call, {
        params: { scope: 'nb', person_id: world.accountId, route_id: 'nb/test' },
        ...(call.startsWith('POST') && { body: {} }),
      });
      assert.deepEqual([reply.status, reply.body.code], [403, 'operator_required'], call);
    }
  });

  test('nobody without a session is told anything', async () => {
    await using world = await openWorld();
    for (const call of [
      ...accountCalls,
      ...operatorCalls,
      'GET /panel/session',
      'POST /panel/sign-out',
    ] as const) {
      const reply = await new Browser(world).try(call, {
        params: { job_id: world.accountId },
        ...(call.startsWith('POST') && { body: {} }),
      });
      assert.deepEqual([reply.status, reply.body.code], [401, 'session_missing'], call);
    }
  });

  test('somebody who was removed from an account is out at once', async () => {
    await using world = await openWorld();
    const operator = await openOperator(world);
    const member = await openMember(world, { email });
    const { person } = await member.call('GET /panel/session');
    await operator.call('POST /panel/operator/accounts/:account_id/members/:person_id/remove', {
      params: { person_id: person.person_id },
    });
    assert.equal((await member.try('GET /panel/accounts/:account_id/balance')).status, 404);
  });

  test('scripts in prompts and names come back as the JSON text they are', async () => {
    await using world = await openWorld();
    const browser = await openOperator(world);
    const script = '</script><script>alert(1)</script><img src=x onerror=alert(1)>';
    const { job_id } = await browser.call('POST /panel/accounts/:account_id/jobs', {
      body: { model: 'nb', prompt: script, aspect_ratio: '1:1' },
    });
    await world.finished(job_id);
    await browser.call('POST /panel/accounts/:account_id/keys', {
      body: { name: script.slice(0, 90), models: null, expires_at: null },
    });
    for (const path of [`jobs`, `jobs/${job_id}`, 'keys']) {
      const reply = await browser.send('GET', `/panel/accounts/${world.accountId}/${path}`);
      assert.match(reply.headers.get('content-type') ?? '', /^application\/json/);
      assert.equal(reply.headers.get('x-content-type-options'), 'nosniff');
      assert.ok(reply.text.includes('<script>'), 'kept as it was typed');
    }
    const table = await browser.send('GET', `/panel/accounts/${world.accountId}/jobs.csv`);
    assert.match(table.headers.get('content-type') ?? '', /^text\/csv/);
    assert.match(table.headers.get('content-disposition') ?? '', /^attachment/);
  });

  test('a cell that a spreadsheet would run is text in the CSV', async () => {
    await using world = await openWorld();
    const browser = await openMember(world, { email });
    await browser.call('POST /panel/accounts/:account_id/jobs', {
      body: { model: 'nb', prompt: '=HYPERLINK("http://evil.example")', aspect_ratio: '1:1' },
    });
    const { text } = await browser.send('GET', `/panel/accounts/${world.accountId}/jobs.csv`);
    assert.ok(text.includes(`"'=HYPERLINK(""http://evil.example"")"`), text);
  });

  test('an identity provider cannot be made to send anybody elsewhere', async () => {
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

  test('no route of the sign-in library is open but the return from the identity provider', async () => {
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

const accountCalls = [
  'GET /panel/accounts/:account_id/overview',
  'GET /panel/accounts/:account_id/models',
  'GET /panel/accounts/:account_id/jobs',
  'GET /panel/accounts/:account_id/jobs.csv',
  'GET /panel/accounts/:account_id/jobs.zip',
  'GET /panel/accounts/:account_id/tags',
  'POST /panel/accounts/:account_id/jobs/tags',
  'GET /panel/accounts/:account_id/shares',
  'POST /panel/accounts/:account_id/shares',
  'POST /panel/accounts/:account_id/shares/:token/revoke',
  'GET /panel/accounts/:account_id/jobs/changes',
  'GET /panel/accounts/:account_id/jobs/:job_id',
  'GET /panel/accounts/:account_id/jobs/:job_id/inputs/:index',
  'GET /panel/accounts/:account_id/estimate',
  'POST /panel/accounts/:account_id/jobs',
  'POST /panel/accounts/:account_id/jobs/:job_id/again',
  'POST /panel/accounts/:account_id/jobs/:job_id/cancel',
  'GET /panel/accounts/:account_id/keys',
  'GET /panel/accounts/:account_id/keys/:key_id',
  'POST /panel/accounts/:account_id/keys',
  'POST /panel/accounts/:account_id/keys/:key_id/disable',
  'POST /panel/accounts/:account_id/keys/:key_id/roll',
  'GET /panel/accounts/:account_id/balance',
  'GET /panel/accounts/:account_id/entries',
  'GET /panel/accounts/:account_id/entries.csv',
  'GET /panel/accounts/:account_id/usage',
  'GET /panel/accounts/:account_id/usage.csv',
  'GET /panel/accounts/:account_id/endpoints',
  'POST /panel/accounts/:account_id/endpoints',
  'GET /panel/accounts/:account_id/endpoints/:endpoint_id',
  'POST /panel/accounts/:account_id/endpoints/:endpoint_id',
  'POST /panel/accounts/:account_id/endpoints/:endpoint_id/remove',
  'POST /panel/accounts/:account_id/endpoints/:endpoint_id/test',
  'POST /panel/accounts/:account_id/signing-secret/reveal',
  'POST /panel/accounts/:account_id/signing-secret/rotate',
  'GET /panel/accounts/:account_id/deliveries',
  'GET /panel/accounts/:account_id/deliveries/:delivery_id',
  'POST /panel/accounts/:account_id/deliveries/:delivery_id/replay',
  'POST /panel/accounts/:account_id/deliveries/replay-failed',
] as const;

/** Good ones, so that nothing but the account refuses them. */
const bodies: Record<string, object> = {
  'POST /panel/accounts/:account_id/jobs': { model: 'nb', prompt: 'a fox', aspect_ratio: '1:1' },
  'POST /panel/accounts/:account_id/keys': { name: 'ci', models: null, expires_at: null },
  'POST /panel/accounts/:account_id/keys/:key_id/roll': { overlap: 'now' },
  'POST /panel/accounts/:account_id/endpoints': { url: 'https://example.com/hook', events: null },
  'POST /panel/accounts/:account_id/endpoints/:endpoint_id': { enabled: true },
  'POST /panel/accounts/:account_id/signing-secret/reveal': { endpoint_id: null },
  'POST /panel/accounts/:account_id/signing-secret/rotate': { endpoint_id: null, leaked: false },
  'POST /panel/accounts/:account_id/deliveries/replay-failed': {
    since: '2026-01-01T00:00:00Z',
    endpoint_id: null,
  },
};

const operatorCalls = [
  'GET /panel/operator/accounts',
  'POST /panel/operator/accounts',
  'GET /panel/operator/accounts/:account_id',
  'POST /panel/operator/accounts/:account_id/credit',
  'POST /panel/operator/accounts/:account_id/disable',
  'POST /panel/operator/accounts/:account_id/enable',
  'POST /panel/operator/accounts/:account_id/invite',
  'POST /panel/operator/accounts/:account_id/members/:person_id/remove',
  'GET /panel/operator/operators',
  'POST /panel/operator/operators/invite',
  'POST /panel/operator/operators/:person_id/remove',
  'POST /panel/operator/people/:person_id/link',
  'POST /panel/operator/people/:person_id/confirm-email',
  'POST /panel/operator/invitations/:invitation_id/revoke',
  'POST /panel/operator/invitations/:invitation_id/renew',
  'GET /panel/operator/models',
  'POST /panel/operator/pauses/:scope',
  'POST /panel/operator/pauses/:scope/resume',
  'POST /panel/operator/routes/:route_id/check',
  'GET /panel/operator/system',
  'POST /panel/operator/self-check',
  'GET /panel/operator/audit',
  'GET /panel/operator/audit/choices',
  'GET /panel/operator/audit.csv',
  'GET /panel/operator/audit.jsonl',
] as const;

/** With a `Host` of its own, which `fetch` does not allow. */
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
