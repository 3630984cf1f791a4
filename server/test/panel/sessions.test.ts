import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { openRawClient, rawRequest } from '../http/support/raw-client.ts';
import { openWorld, type World } from '../world/world.ts';
import { addPerson, Browser, openMember, openOperator, password } from './browser.ts';
import { addAuthenticator } from './support/authenticator.ts';

const email = 'ada@example.com';
const day = 24 * 60 * 60 * 1000;

suite('sessions', () => {
  test('end after thirty days, however much they are used, and after seven without use', async () => {
    await using world = await openWorld();
    const browser = await openMember(world, { email });
    await began(world, Date.now() - 29.5 * day);
    const { expires_at } = await browser.call('GET /panel/session');
    assert.ok(Date.parse(expires_at) < Date.now() + day, expires_at);
    await began(world, Date.now() - 30 * day);
    assert.equal((await browser.try('GET /panel/session')).status, 401);

    const idle = new Browser(world);
    await idle.call('POST /panel/sign-in', { body: { email, password } });
    const rows = await world.app.database.read.selectFrom('sessions').select('expires_at').execute();
    assert.equal(rows.length, 1, 'a new one clears old ones away');
    assert.ok(Date.parse(rows[0]?.expires_at ?? '') <= Date.now() + 7 * day);
  });

  test('are listed with where and when they began, and can be ended one by one', async () => {
    await using world = await openWorld();
    const laptop = await openMember(world, { email });
    const phone = new Browser(world);
    const headers = { 'user-agent': 'a phone' };
    await phone.call('POST /panel/sign-in', { body: { email, password }, headers });
    using client = await openRawClient(world.url);
    const body = JSON.stringify({ email, password });
    client.write(rawRequest('POST', '/panel/sign-in', { headers: { origin: world.url }, body }));
    assert.equal((await client.next())?.status, 200);
    const { data } = await laptop.call('GET /panel/session/sessions');
    assert.deepEqual(
      data.map(({ current, browser, address, via }) => [current, browser, address, via]),
      [
        [false, '', '127.0.0.1', 'password'],
        [false, 'a phone', '127.0.0.1', 'password'],
        [true, 'node', '127.0.0.1', 'password'],
      ],
    );
    assert.ok(
      !JSON.stringify(data).includes([...phone.cookies.values()][0]?.split('.')[0] ?? ''),
      'no token',
    );

    const params = { session_id: data[1]?.session_id ?? '' };
    const stranger = await openMember(world, { email: 'mallory@example.com' });
    const end = 'POST /panel/session/sessions/:session_id/end';
    for (const wrong of [params, { session_id: 'x' }])
      assert.equal((await stranger.try(end, { params: wrong, body: {} })).status, 404);
    await laptop.call(end, { params, body: {} });
    assert.equal((await phone.try('GET /panel/session')).status, 401);
    assert.equal((await laptop.try('GET /panel/session')).status, 200);
    assert.equal((await laptop.try(end, { params, body: {} })).status, 404);
  });

  test('an older session ends others only with the password', async () => {
    await using world = await openWorld();
    const browser = await openMember(world, { email });
    const other = new Browser(world);
    await other.call('POST /panel/sign-in', { body: { email, password } });
    await began(world, Date.now() - 16 * 60 * 1000);
    const [first] = (await browser.call('GET /panel/session/sessions')).data;
    const params = { session_id: first?.session_id ?? '' };
    for (const call of [
      'POST /panel/session/end-others',
      'POST /panel/session/sessions/:session_id/end',
    ] as const) {
      for (const body of [{}, { current_password: 'a wrong password' }]) {
        const reply = await browser.try(call, { params, body });
        assert.deepEqual([reply.status, reply.body.code], [401, 'sign_in_refused']);
      }
    }
    await browser.call('POST /panel/session/end-others', { body: { current_password: password } });
    assert.equal((await other.try('GET /panel/session')).status, 401);
    assert.equal((await browser.try('GET /panel/session')).status, 200);
  });

  test('without a password, a new email or password needs a session minutes old, and a new password is reported by email', async () => {
    await using world = await openWorld({ worker: false });
    const browser = await openOperator(world);
    const change = (body: Record<string, string>) => browser.try('POST /panel/session/credentials', { body });
    // Longer than the time in which a one-time link allows setting a password.
    await began(world, Date.now() - 61 * 60 * 1000);
    assert.equal((await browser.call('GET /panel/session')).has_password, false);
    for (const body of [{ password }, { email }]) {
      const { status, text } = await change(body);
      assert.equal(status, 401);
      assert.match(text, /Sign out and in again/);
    }
    assert.equal((await change({ name: 'Ada' })).status, 200, 'a name is no way in');
    await browser.call('POST /panel/session/end-others', { body: {} });
    await began(world, Date.now() - 14 * 60 * 1000);
    assert.equal((await change({ email })).status, 200);
    assert.equal((await change({ password })).status, 200);
    const emails = await world.app.database.read
      .selectFrom('outgoing_emails')
      .select(['kind', 'email'])
      .execute();
    assert.deepEqual(
      emails.map((told) => [told.kind, told.email]),
      [['password_changed', email]],
    );
  });

  test('other sessions end with a new email, a new password, and an authenticator or its removal, but not with a new name', async () => {
    await using world = await openWorld();
    const accountId = world.accountId;
    const changes: [what: string, change: (browser: Browser) => Promise<unknown>][] = [
      ['email', (browser) => set(browser, { email: 'new@example.com', current_password: password })],
      ['password', (browser) => set(browser, { password: 'another long one', current_password: password })],
      ['authenticator', (browser) => addAuthenticator(browser)],
    ];
    for (const [what, change] of changes) {
      const address = `${what}@example.com`;
      await addPerson(world, { email: address, accountId });
      const [browser, other] = [new Browser(world), new Browser(world)];
      for (const one of [browser, other])
        await one.call('POST /panel/sign-in', { body: { email: address, password } });
      await set(browser, { name: 'Ada' });
      assert.equal((await other.try('GET /panel/session')).status, 200, 'a name');
      await change(browser);
      assert.equal((await other.try('GET /panel/session')).status, 401, what);
      assert.equal((await browser.try('GET /panel/session')).status, 200, what);
    }

    const browser = await openMember(world, { email });
    const { code } = await addAuthenticator(browser);
    const other = new Browser(world);
    await other.call('POST /panel/sign-in', { body: { email, password } });
    await other.call('POST /panel/sign-in/code', { body: { code: code() } });
    await browser.call('POST /panel/session/authenticator/remove', { body: { password } });
    assert.equal((await other.try('GET /panel/session')).status, 401, 'the removal');
    assert.equal((await browser.try('GET /panel/session')).status, 200);
  });
});

function set(browser: Browser, body: Record<string, string>) {
  return browser.call('POST /panel/session/credentials', { body });
}

/** Sets when every session began; the sign-in library has no clock that a test could set. */
async function began(world: World, ms: number): Promise<void> {
  const created_at = new Date(ms).toISOString();
  await world.app.database.transaction((tx) => tx.updateTable('sessions').set({ created_at }).execute());
}
