import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { renewLink } from '../../src/accounts/people/first-operator.ts';
import { hashToken } from '../../src/accounts/people/panel-link.ts';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { freePort } from '../world/free-port.ts';
import { openWorld, type World } from '../world/world.ts';
import { addPerson, Browser, openMember, openOperator, password, sessionOf, tokenOf } from './browser.ts';
import { addAuthenticator } from './support/authenticator.ts';

const email = 'ada@example.com';

suite('first run', () => {
  test('the printed link signs in as the first operator, without email and password, and works once', async () => {
    await using world = await openWorld();
    const link = world.app.panelLink ?? '';
    assert.match(link, new RegExp(`^${world.url}/open#[\\w-]{43}$`));
    const browser = new Browser(world);
    const info = await browser.call('POST /panel/links/look', { body: { token: tokenOf(link) } });
    assert.deepEqual({ kind: info.kind, role: info.role }, { kind: 'sign_in', role: 'operator' });

    const session = await browser.call('POST /panel/links/open', { body: { token: tokenOf(link) } });
    assert.equal(session.operator, true);
    assert.equal(session.person.email, null);
    assert.equal(session.has_password, false);
    assert.equal(session.via, 'link');
    assert.deepEqual(
      session.accounts.map(({ name }) => name),
      ['demo', 'tests'],
    );

    const second = await new Browser(world).try('POST /panel/links/open', { body: { token: tokenOf(link) } });
    assert.deepEqual([second.status, second.body.code], [403, 'panel_link_invalid']);
    assert.equal((await browser.try('GET /panel/session')).status, 200);
  });

  test('the database has only the hash of a link', async () => {
    await using world = await openWorld();
    const token = tokenOf(world.app.panelLink ?? '');
    const rows = await world.app.database.read.selectFrom('panel_links').selectAll().execute();
    assert.deepEqual(
      rows.map((row) => row.token_hash),
      [hashToken(token)],
    );
    assert.ok(!JSON.stringify(rows).includes(token));
  });

  test('a link expires after a day, and every start before the first visit prints a new one', async () => {
    await using world = await openWorld();
    const old = tokenOf(world.app.panelLink ?? '');
    world.clock.advance(25 * 60 * 60 * 1000);
    if (world.app.database.kind === 'sqlite') {
      assert.equal(
        (await new Browser(world).try('POST /panel/links/open', { body: { token: old } })).status,
        403,
      );
    }
    await world.restart();
    await openOperator(world);
    await world.restart();
    assert.equal(world.app.panelLink, null);
  });

  test('if many browsers open a link at once, one gets in', async () => {
    await using world = await openWorld();
    const body = { token: tokenOf(world.app.panelLink ?? '') };
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => new Browser(world).try('POST /panel/links/open', { body })),
    );
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
  });
});

suite('after the first operator was removed', () => {
  test('the server starts without a link, even if that person was deleted', async () => {
    await using world = await openWorld({ worker: false });
    const { ada, params } = await replaceFirst(world);
    await ada.call('DELETE /admin/v1/people/:person', { params });
    await world.restart();
    assert.equal(world.app.panelLink, null);
  });

  test('the command line’s link signs in as another admin', async () => {
    await using world = await openWorld({ worker: false });
    const { ada, params } = await replaceFirst(world);
    const open = async () => {
      const { token } = await renewLink(
        { database: world.app.database, clock: world.clock },
        {},
        commandLine,
      );
      return (await new Browser(world).call('POST /panel/links/open', { body: { token } })).person.name;
    };
    assert.equal(await open(), 'Ada');
    await ada.call('DELETE /admin/v1/people/:person', { params });
    assert.equal(await open(), 'Ada');
  });
});

suite('signing in', () => {
  test('email and password, set after the link, open the panel in another browser', async () => {
    await using world = await openWorld();
    const browser = await openOperator(world);
    const session = await browser.call('POST /panel/session/credentials', {
      body: { name: 'Ada', email: 'Ada@Example.com', password },
    });
    assert.deepEqual([session.person.name, session.person.email, session.has_password], ['Ada', email, true]);

    const other = new Browser(world);
    const answer = await other.call('POST /panel/sign-in', {
      body: { email: ' ADA@example.com ', password },
    });
    assert.equal(answer.next, 'done');
    assert.equal((await other.call('GET /panel/session')).via, 'password');
  });

  test('a wrong password and an unknown email get the same answer', async () => {
    await using world = await openWorld();
    await addPerson(world, { email, accountId: world.accountId });
    const wrong = await new Browser(world).try('POST /panel/sign-in', {
      body: { email, password: 'wrong password' },
    });
    const unknown = await new Browser(world).try('POST /panel/sign-in', {
      body: { email: 'nobody@example.com', password },
    });
    const odd = await new Browser(world).try('POST /panel/sign-in', {
      body: { email: 'not an address', password },
    });
    for (const { status, body } of [wrong, unknown, odd])
      assert.deepEqual([status, body.code], [401, 'sign_in_refused']);
    assert.equal(wrong.body.detail, unknown.body.detail);
  });

  test('signing out ends the session on the server', async () => {
    await using world = await openWorld();
    const browser = await openMember(world, { email });
    const stolen = new Map(browser.cookies);
    await browser.call('POST /panel/sign-out');
    const thief = new Browser(world);
    for (const [name, value] of stolen) thief.cookies.set(name, value);
    assert.equal((await thief.try('GET /panel/session')).status, 401);
  });

  test('cookies are HttpOnly and SameSite, and if the public address is https also Secure and only for this host', async () => {
    for (const secure of [false, true]) {
      const port = String(await freePort());
      const publicUrl = secure ? 'https://darkroom.example.com' : `http://127.0.0.1:${port}`;
      await using world = await openWorld({ env: { PORT: port, DARKROOM_PUBLIC_URL: publicUrl } });
      await addPerson(world, { email, accountId: world.accountId });
      const browser = new Browser(world, `http://127.0.0.1:${port}`);
      const headers = { origin: publicUrl };
      const reply = await browser.try('POST /panel/sign-in', { body: { email, password }, headers });
      assert.equal(reply.status, 200);
      const cookies = reply.headers.getSetCookie();
      assert.ok(cookies.length >= 2, 'a session and a device');
      for (const cookie of cookies) {
        assert.match(cookie, /HttpOnly/i);
        assert.match(cookie, /SameSite=Lax/i);
        assert.equal(/; Secure/i.test(cookie), secure, cookie);
        assert.equal(cookie.startsWith('__Host-darkroom.'), secure, cookie);
        assert.match(cookie, /; Path=\/(;|$)/i);
        assert.doesNotMatch(cookie, /; Domain/i);
      }
      assert.equal((await browser.try('GET /panel/session')).status, 200);
    }
  });

  test('a new password needs the old one, except right after a link, and ends other sessions', async () => {
    await using world = await openWorld();
    const browser = await openMember(world, { email });
    const other = new Browser(world);
    await other.call('POST /panel/sign-in', { body: { email, password } });
    const refused = await browser.try('POST /panel/session/credentials', {
      body: { password: 'another long one' },
    });
    assert.deepEqual([refused.status, refused.body.code], [401, 'sign_in_refused']);
    await browser.call('POST /panel/session/credentials', {
      body: { password: 'another long one', current_password: password },
    });
    assert.equal((await other.try('GET /panel/session')).status, 401);
    assert.equal((await browser.try('GET /panel/session')).status, 200);
  });

  test('an operator resets a password with a link, which ends that person’s sessions', async () => {
    await using world = await openWorld();
    const operator = await openOperator(world);
    const member = await openMember(world, { email });
    const { person } = await member.call('GET /panel/session');
    const { url } = await operator.call('POST /panel/operator/people/:person_id/link', {
      params: { person_id: person.person_id },
    });
    assert.equal((await member.try('GET /panel/session')).status, 401);

    const session = await member.call('POST /panel/links/open', { body: { token: tokenOf(url) } });
    assert.equal(session.may_reset_password, true);
    await member.call('POST /panel/session/credentials', { body: { password: 'a forgotten one no more' } });
    const signedIn = await new Browser(world).try('POST /panel/sign-in', {
      body: { email, password: 'a forgotten one no more' },
    });
    assert.equal(signedIn.status, 200);
  });
});

suite('authenticator', () => {
  test('once one is confirmed, a password alone does not open a session; a code does, and a backup code does once', async () => {
    await using world = await openWorld();
    const browser = await openMember(world, { email });
    const { code, backupCodes } = await addAuthenticator(browser);
    assert.equal((await browser.call('GET /panel/session')).has_authenticator, true);

    const other = new Browser(world);
    assert.deepEqual(await other.call('POST /panel/sign-in', { body: { email, password } }), {
      next: 'code_required',
    });
    assert.equal((await other.try('GET /panel/session')).status, 401);
    const wrong = await other.try('POST /panel/sign-in/code', { body: { code: '000000' } });
    assert.deepEqual([wrong.status, wrong.body.code], [401, 'sign_in_refused']);
    const right = await other.try('POST /panel/sign-in/code', { body: { code: code() } });
    assert.equal(right.status, 200, right.text);
    assert.equal(sessionOf(right).person.email, email);

    for (const expected of [200, 401]) {
      const third = new Browser(world);
      await third.call('POST /panel/sign-in', { body: { email, password } });
      assert.equal(
        (await third.try('POST /panel/sign-in/code', { body: { code: backupCodes[0] } })).status,
        expected,
      );
    }
  });

  test('a code without an earlier right password is refused', async () => {
    await using world = await openWorld();
    await addPerson(world, { email, accountId: world.accountId });
    assert.equal(
      (await new Browser(world).try('POST /panel/sign-in/code', { body: { code: '123456' } })).status,
      401,
    );
  });
});

suite('limits of sign-in', () => {
  test('an address gets 429 after twenty wrong tries, whatever headers it sends, and even after a restart', async () => {
    await using world = await openWorld();
    await using _held = await world.hold();
    const statuses = await tryMany(world, 25, (index) => ({ email: `person-${index}@example.com` }));
    assert.deepEqual(statuses.slice(0, 20), Array(20).fill(401));
    assert.deepEqual(statuses.slice(20), Array(5).fill(429));
    await world.restart();
    const reply = await new Browser(world).try('POST /panel/sign-in', {
      body: { email: 'x@example.com', password: 'wrong' },
    });
    assert.equal(reply.status, 429);
    assert.ok(Number(reply.headers.get('retry-after')) > 0);
  });

  test('a one-time link works, whatever was tried from its address before', async () => {
    await using world = await openWorld();
    const link = world.app.panelLink ?? '';
    for (let index = 0; index < 30; index += 1) {
      const body = { token: String(index).padStart(tokenOf(link).length, 'x') };
      assert.equal((await new Browser(world).try('POST /panel/links/look', { body })).status, 403);
    }
    await new Browser(world).call('POST /panel/links/open', { body: { token: tokenOf(link) } });
  });

  test('a person under attack can sign in from a known browser, and with a link', async () => {
    await using world = await openWorld();
    const operator = await openOperator(world);
    const known = await openMember(world, { email });
    const { person } = await known.call('GET /panel/session');
    await known.call('POST /panel/sign-out');

    await using _held = await world.hold();
    const statuses = await tryMany(world, 12, () => ({ email }));
    assert.equal(statuses.at(-1), 429, 'the email is slowed down');
    assert.equal((await known.try('POST /panel/sign-in', { body: { email, password } })).status, 200);

    const { url } = await operator.call('POST /panel/operator/people/:person_id/link', {
      params: { person_id: person.person_id },
    });
    assert.equal(
      (await new Browser(world).try('POST /panel/links/open', { body: { token: tokenOf(url) } })).status,
      200,
    );
  });

  test('one person’s device cookie is worthless for another', async () => {
    await using world = await openWorld();
    const attacker = await openMember(world, { email: 'mallory@example.com' });
    await addPerson(world, { email, accountId: world.accountId });
    await using _held = await world.hold();
    const statuses: number[] = [];
    for (let index = 0; index < 12; index++) {
      statuses.push(
        (await attacker.try('POST /panel/sign-in', { body: { email, password: `guess ${index} guess` } }))
          .status,
      );
    }
    assert.equal(statuses.at(-1), 429);
  });

  test('a device cookie is worthless against another person who gave the same email', async () => {
    await using world = await openWorld();
    await addPerson(world, { email, accountId: world.accountId });
    const attacker = await openMember(world, { email: 'mallory@example.com' });
    const own = { email, password: 'a kettle beside the harbour' };
    const body = { ...own, current_password: password };
    await attacker.call('POST /panel/session/credentials', { body });
    await using _held = await world.hold();
    const statuses: number[] = [];
    for (let index = 0; index < 24; index++) {
      if (index % 8 === 0) await attacker.call('POST /panel/sign-in', { body: own });
      const guess = { email, password: `guess ${index} guess` };
      statuses.push((await attacker.try('POST /panel/sign-in', { body: guess })).status);
    }
    assert.deepEqual(statuses.slice(0, 10), Array(10).fill(401));
    assert.deepEqual(statuses.slice(10), Array(14).fill(429));
    assert.equal((await attacker.try('POST /panel/sign-in', { body: own })).status, 200);
  });

  test('codes cannot be guessed: five tries per password, and then the person is slowed down', async () => {
    await using world = await openWorld();
    const browser = await openMember(world, { email });
    const authenticator = await addAuthenticator(browser);
    await using _held = await world.hold();
    const statuses: number[] = [];
    for (let round = 0; round < 3; round++) {
      const attacker = new Browser(world);
      await attacker.call('POST /panel/sign-in', { body: { email, password } });
      for (let guess = 0; guess < 5; guess++) {
        const code = String(guess).padStart(6, '9');
        statuses.push((await attacker.try('POST /panel/sign-in/code', { body: { code } })).status);
      }
      const sixth = await attacker.try('POST /panel/sign-in/code', { body: { code: authenticator.code() } });
      assert.notEqual(sixth.status, 200, 'the sixth code of a password is refused even when it is right');
    }
    assert.equal(statuses.at(-1), 429);
  });

  test('right passwords do not use up tries', async () => {
    await using world = await openWorld();
    await addPerson(world, { email, accountId: world.accountId });
    for (let index = 0; index < 12; index++) {
      assert.equal(
        (await new Browser(world).try('POST /panel/sign-in', { body: { email, password } })).status,
        200,
      );
    }
  });
});

async function tryMany(
  world: World,
  count: number,
  who: (index: number) => { email: string },
): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count; index++) {
    const reply = await new Browser(world).try('POST /panel/sign-in', {
      body: { ...who(index), password: 'a wrong password' },
      headers: {
        'x-forwarded-for': `198.51.100.${index}`,
        'x-darkroom-socket-address': `198.51.100.${index}`,
      },
    });
    statuses.push(reply.status);
  }
  return statuses;
}

/** Ada joins as an admin and removes the first operator. */
async function replaceFirst(world: World) {
  const first = await openOperator(world);
  const { person } = await first.call('GET /panel/session');
  const { url } = await first.call('POST /panel/operator/operators/invite', { body: {} });
  const ada = new Browser(world);
  const body = { token: tokenOf(url), name: 'Ada', email: 'ada@example.com', password };
  await ada.call('POST /panel/links/open', { body });
  const params = { person_id: person.person_id };
  await ada.call('POST /panel/operator/operators/:person_id/remove', { params });
  return { ada, params: { person: person.person_id } };
}
