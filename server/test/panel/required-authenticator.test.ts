import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { openWorld, type World } from '../world/world.ts';
import { addPerson, Browser, openOperator, password } from './browser.ts';
import { addAuthenticator } from './support/authenticator.ts';
import { signIn as signInAtProvider, startProvider } from './support/oidc.ts';

suite('an authenticator that is required', () => {
  test('of operators: a password alone opens only the pages to set one up', async () => {
    await using world = await openWorld({ env: { DARKROOM_SECOND_FACTOR: 'operators' } });
    const operator = await signIn(world, 'ada@example.com', null);
    const session = await operator.call('GET /panel/session');
    assert.deepEqual([session.operator, session.must_set_up_authenticator], [true, true]);
    for (const call of ['GET /admin/v1/server', 'GET /api/v1/keys'] as const) {
      const reply = await operator.try(call);
      assert.deepEqual([reply.status, reply.body.code], [403, 'second_factor_required'], call);
    }
    const body = { name: 'stolen', models: null };
    assert.equal((await operator.try('POST /api/v1/keys', { body })).status, 403);

    await addAuthenticator(operator);
    assert.equal((await operator.call('GET /panel/session')).must_set_up_authenticator, false);
    assert.equal((await operator.try('GET /admin/v1/server')).status, 200);
    await operator.call('POST /panel/session/authenticator/remove', { body: { password } });
    assert.equal((await operator.try('GET /admin/v1/server')).status, 403, 'and asked for again');

    const member = await signIn(world, 'grace@example.com', world.accountId);
    assert.equal((await member.try('GET /api/v1/keys')).status, 200);
    const byLink = await openOperator(world);
    assert.equal((await byLink.try('GET /admin/v1/server')).status, 200, 'a one-time link is enough');
  });

  test('of everyone: single sign-on stays single sign-on when an authenticator is added and removed', async () => {
    const email = 'ada@example.com';
    await using provider = await startProvider({ email, verified: true });
    await using world = await openWorld({ env: { ...provider.env, DARKROOM_SECOND_FACTOR: 'everyone' } });
    await addPerson(world, { email, accountId: world.accountId, emailConfirmed: true });
    const browser = new Browser(world);
    await signInAtProvider(world, browser, '/');
    await addAuthenticator(browser);
    assert.equal((await browser.call('GET /panel/session')).via, 'oidc');
    await browser.call('POST /panel/session/authenticator/remove', { body: { password } });
    const session = await browser.call('GET /panel/session');
    assert.deepEqual([session.via, session.must_set_up_authenticator], ['oidc', false]);
    assert.equal((await browser.try('GET /api/v1/keys')).status, 200);
  });

  test('of everyone, and of nobody', async () => {
    for (const [DARKROOM_SECOND_FACTOR, expected] of [
      ['everyone', 403],
      ['nobody', 200],
    ] as const) {
      await using world = await openWorld({ env: { DARKROOM_SECOND_FACTOR } });
      const member = await signIn(world, 'grace@example.com', world.accountId);
      assert.equal((await member.try('GET /api/v1/keys')).status, expected);
      const operator = await signIn(world, 'ada@example.com', null);
      assert.equal((await operator.try('GET /admin/v1/server')).status, expected);
    }
  });

  test('by default: of operators, if the server listens to other machines', () => {
    const policyOf = (env: Record<string, string>) => readConfig(env).secondFactor;
    for (const HOST of ['', '127.0.0.1', '::1', 'localhost'])
      assert.equal(policyOf({ HOST }), 'nobody', HOST);
    for (const HOST of ['0.0.0.0', '::', '10.0.0.7']) assert.equal(policyOf({ HOST }), 'operators', HOST);
    assert.equal(policyOf({ DARKROOM_PUBLIC_URL: 'https://images.example.com' }), 'operators');
    assert.equal(policyOf({ DARKROOM_PUBLIC_URL: 'http://localhost:3000' }), 'nobody');
    assert.equal(policyOf({ HOST: '0.0.0.0', DARKROOM_PUBLIC_URL: 'http://localhost:3000' }), 'operators');
    assert.equal(policyOf({ DARKROOM_TRUSTED_PROXIES: '127.0.0.1' }), 'operators');
    assert.throws(() => policyOf({ DARKROOM_SECOND_FACTOR: 'some' }), /DARKROOM_SECOND_FACTOR/);
  });
});

async function signIn(world: World, email: string, accountId: string | null): Promise<Browser> {
  await addPerson(world, { email, accountId });
  const browser = new Browser(world);
  await browser.call('POST /panel/sign-in', { body: { email, password } });
  return browser;
}
