import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { decideCode, maxWrongCodes, waitAfterWrongCodes } from '../../src/accounts/sign-in/decide-code.ts';
import { followClock } from '../../src/base/db/follow-clock.ts';
import { recordTime } from '../world/record-time.ts';
import { openWorld, type World } from '../world/world.ts';
import { Browser, openMember, openOperator, password, sessionOf, tokenOf } from './browser.ts';
import { addAuthenticator, createCodes } from './support/authenticator.ts';

const email = 'ada@example.com';
const attackerEmail = 'mallory@example.com';
const enter = 'POST /panel/sign-in/code';
const minute = 60_000;

suite('the second factor', () => {
  test('300 guesses with two people’s cookies mixed open nothing, and neither does the right code after them', async () => {
    await using world = await openWorld();
    const { code } = await addAuthenticator(await openMember(world, { email }));
    const devices = await devicesOf(world, attackerEmail, 30);
    await addAuthenticator(devices[0] ?? assert.fail());
    await using _held = await world.hold(); // half a minute later, one more guess would be checked

    const answers = new Map<number, number>();
    const own = await owing(world, attackerEmail);
    const mixed = await owing(world, email);
    take(mixed, own, 'darkroom.code_for');
    for (const device of devices) {
      take(mixed, device, 'darkroom.device');
      for (let guess = 0; guess < 10; guess++) {
        const { status } = await mixed.try(enter, { body: { code: wrongCode(guess) } });
        answers.set(status, (answers.get(status) ?? 0) + 1);
      }
    }
    assert.deepEqual(Object.fromEntries(answers), { 401: 5, 429: 295 });

    const body = { code: code() };
    assert.notEqual((await mixed.try(enter, { body })).status, 200);
    const right = await (await owing(world, email)).try(enter, { body });
    assert.equal(right.status, 200, 'and the failures of one person are not those of another');
  });

  test('guesses count per person, whatever challenge, session and device they are sent with', async () => {
    await using world = await openWorld();
    const victim = await openMember(world, { email });
    const { code } = await addAuthenticator(victim);
    const attacker = await openMember(world, { email: attackerEmail });
    await using _held = await world.hold();
    const statuses: number[] = [];
    for (let guess = 0; guess < 12; guess++) {
      const browser = await owing(world, email);
      if (guess % 3 === 1) take(browser, attacker, 'darkroom.session_token', 'darkroom.device');
      if (guess % 3 === 2) take(browser, victim, 'darkroom.device');
      statuses.push((await browser.try(enter, { body: { code: wrongCode(guess) } })).status);
    }
    assert.deepEqual(statuses, [...Array(5).fill(401), ...Array(7).fill(429)]);

    const browser = await owing(world, email);
    const reply = await browser.try(enter, { body: { code: code() } });
    assert.equal(reply.status, 429, 'the right code is not looked at either');
    assert.ok(Number(reply.headers.get('retry-after')) > 0);
    world.clock.advance(minute);
    assert.equal((await browser.try(enter, { body: { code: code() } })).status, 200);
  });

  test('of many guesses at once, five are checked', async () => {
    await using world = await openWorld();
    const known = await openMember(world, { email });
    await addAuthenticator(known);
    const browser = await owing(world, email);
    take(browser, known, 'darkroom.device');
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, guess) => browser.try(enter, { body: { code: wrongCode(guess) } })),
    );
    assert.equal(replies.filter(({ status }) => status === 401).length, 5);
  });

  test('a one-time link from an operator ends the wait', async () => {
    await using world = await openWorld();
    const operator = await openOperator(world);
    const victim = await openMember(world, { email });
    const { code } = await addAuthenticator(victim);
    const { person } = await victim.call('GET /panel/session');
    const browser = await owing(world, email);
    for (let guess = 0; guess < 5; guess++) await browser.try(enter, { body: { code: wrongCode(guess) } });
    const body = { code: code() };
    assert.equal((await browser.try(enter, { body })).status, 429);
    const { url } = await operator.call('POST /panel/operator/people/:person_id/link', {
      params: { person_id: person.person_id },
    });
    await victim.call('POST /panel/links/open', { body: { token: tokenOf(url) } });
    assert.equal((await (await owing(world, email)).try(enter, { body })).status, 200);
  });

  test('a code works once: not in another browser, not at the same moment, and not after it was confirmed', async () => {
    await using world = await openWorld();
    const member = await openMember(world, { email });
    const { code, last } = await addAuthenticator(member);
    const confirmed = await (await owing(world, email)).try(enter, { body: { code: last() } });
    assert.equal(confirmed.status, 401, 'it has set the authenticator up');

    const browsers = await Promise.all(Array.from({ length: 4 }, () => owing(world, email)));
    const body = { code: code() };
    const replies = await Promise.all(browsers.map((browser) => browser.try(enter, { body })));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401, 401, 401]);
  });

  test('a backup code that is sent four times at once opens one session', async () => {
    await using world = await openWorld();
    const { backupCodes } = await addAuthenticator(await openMember(world, { email }));
    const browsers = await Promise.all(Array.from({ length: 4 }, () => owing(world, email)));
    const body = { code: backupCodes[3] };
    const replies = await Promise.all(browsers.map((browser) => browser.try(enter, { body })));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401, 401, 401]);
  });

  test('one person’s session with another’s challenge is neither a session nor a known device of the other', async () => {
    await using world = await openWorld();
    await addAuthenticator(await openMember(world, { email }));
    const attacker = await openMember(world, { email: attackerEmail });
    const own = await addAuthenticator(attacker);
    const device = attacker.cookies.get('darkroom.device');
    take(attacker, await owing(world, email), 'darkroom.code_for');
    const reply = await attacker.try(enter, { body: { code: own.code() } });
    assert.deepEqual([reply.status, reply.body.code], [401, 'sign_in_refused']);
    assert.deepEqual(reply.headers.getSetCookie(), []);
    assert.equal(attacker.cookies.get('darkroom.device'), device);
    assert.equal((await attacker.call('GET /panel/session')).person.email, attackerEmail);
  });

  test('a code signs in the person it belongs to, whoever was signed in before', async () => {
    await using world = await openWorld();
    const { code } = await addAuthenticator(await openMember(world, { email }));
    const shared = await openMember(world, { email: attackerEmail });
    await shared.call('POST /panel/sign-in', { body: { email, password } });
    const reply = await shared.try(enter, { body: { code: code() } });
    assert.equal(sessionOf(reply).person.email, email);
    assert.equal((await shared.call('GET /panel/session')).person.email, email);
  });

  test('a challenge is valid for one person, for ten minutes and for the password that earned it', async () => {
    await using world = await openWorld();
    const member = await openMember(world, { email });
    const { code } = await addAuthenticator(member);
    const body = { code: code() };
    const other = await openMember(world, { email: attackerEmail });
    const { person } = await other.call('GET /panel/session');

    const forged = await owing(world, email);
    const challenge = forged.cookies.get('darkroom.code_for') ?? '';
    const [, ...rest] = challenge.split('.');
    for (const text of ['', 'x', `${person.person_id}.${rest.join('.')}`, `${challenge}x`, '.'.repeat(9)]) {
      forged.cookies.set('darkroom.code_for', text);
      assert.equal((await forged.try(enter, { body })).status, 401, text);
    }

    const late = await owing(world, email);
    const overtaken = await owing(world, email);
    world.clock.jump(11 * minute);
    assert.equal((await late.try(enter, { body })).status, 401);
    world.clock.jump(-11 * minute);
    await member.call('POST /panel/session/credentials', {
      body: { password: 'another long one', current_password: password },
    });
    assert.equal((await overtaken.try(enter, { body })).status, 401);
    const fresh = new Browser(world);
    await fresh.call('POST /panel/sign-in', { body: { email, password: 'another long one' } });
    assert.equal((await fresh.try(enter, { body })).status, 200, 'it was not the code that was wrong');
  });

  test('confirming an authenticator again is refused, and guesses at it are counted too', async () => {
    await using world = await openWorld();
    const member = await openMember(world, { email });
    const confirm = 'POST /panel/session/authenticator/confirm';
    await member.call('POST /panel/session/authenticator', { body: { password } });
    const statuses: number[] = [];
    for (let guess = 0; guess < 7; guess++) {
      statuses.push((await member.try(confirm, { body: { code: wrongCode(guess) } })).status);
    }
    assert.deepEqual(statuses, [...Array(5).fill(401), 429, 429]);

    const second = await openMember(world, { email: attackerEmail });
    const { code } = await addAuthenticator(second);
    assert.equal((await second.try(confirm, { body: { code: code() } })).status, 401);
  });

  test('removing an authenticator needs the password and an authenticator, and is audited once', async () => {
    await using world = await openWorld();
    const member = await openMember(world, { email });
    const remove = (text: string) =>
      member.try('POST /panel/session/authenticator/remove', { body: { password: text } });
    assert.equal((await remove(password)).status, 422);
    await member.call('POST /panel/session/authenticator', { body: { password } });
    assert.equal((await remove(password)).status, 422, 'it is not confirmed');
    await addAuthenticator(member);
    assert.equal((await remove('not this one at all')).status, 401);
    assert.equal((await remove(password)).status, 200);
    assert.equal((await remove(password)).status, 422);
    const { read } = world.app.database;
    const audited = read
      .selectFrom('audit_log')
      .select('action')
      .where('action', '=', 'authenticator.removed');
    assert.equal((await audited.execute()).length, 1);
  });

  test('an authenticator that is confirmed and removed at once is wholly there or wholly gone', async () => {
    await using world = await openWorld();
    const { read } = world.app.database;
    for (let round = 0; round < 3; round++) {
      const who = `round${round}@example.com`;
      const member = await openMember(world, { email: who });
      await addAuthenticator(member, (options) =>
        Promise.all([
          member.try('POST /panel/session/authenticator/confirm', options),
          member.try('POST /panel/session/authenticator/remove', { body: { password } }),
        ]),
      );
      const person = read.selectFrom('people').where('email', '=', who);
      const { has } = await person.select('has_authenticator as has').executeTakeFirstOrThrow();
      const authenticators = await read
        .selectFrom('authenticators')
        .select('verified')
        .where('person_id', 'in', person.select('id'))
        .execute();
      assert.deepEqual(authenticators.filter(({ verified }) => verified !== 0).length, has, `round ${round}`);
    }
  });

  test('of set-ups that several tabs confirm at once, the confirmed one signs in', async () => {
    await using world = await openWorld();
    for (let round = 0; round < 4; round++) {
      const who = `round${round}@example.com`;
      const member = await openMember(world, { email: who });
      const confirmed: (() => string)[] = [];
      const setUp = async () => {
        const { status, body } = await member.try('POST /panel/session/authenticator', {
          body: { password },
        });
        if (status !== 200) return;
        const code = createCodes(new URL(String(body.uri)).searchParams.get('secret') ?? '', () =>
          world.clock.nowMs(),
        );
        const confirm = 'POST /panel/session/authenticator/confirm';
        if ((await member.try(confirm, { body: { code: code() } })).status === 200) confirmed.push(code);
      };
      await Promise.all([setUp(), setUp(), setUp(), setUp()]);
      const [code, ...more] = confirmed;
      assert.equal(more.length, 0, 'one at most');
      const browser = new Browser(world);
      const { next } = await browser.call('POST /panel/sign-in', { body: { email: who, password } });
      assert.equal(next, code ? 'code_required' : 'done', `round ${round}`);
      if (code) assert.equal((await browser.try(enter, { body: { code: code() } })).status, 200);
    }
  });

  test('a wrong code locks nobody out after the clock was set back', async () => {
    await using world = await openWorld();
    const { code } = await addAuthenticator(await openMember(world, { email }));
    await world.jump(60 * minute);
    const early = await owing(world, email);
    for (let guess = 0; guess < 5; guess++)
      assert.equal((await early.try(enter, { body: { code: wrongCode(guess) } })).status, 401);
    assert.equal((await early.try(enter, { body: { code: wrongCode(5) } })).status, 429);
    await recordTime(world);
    await world.jump(-60 * minute);
    await followClock(world.app.database);
    const reply = await (await owing(world, email)).try(enter, { body: { code: code() } });
    assert.equal(reply.status, 200, reply.text);
  });

  test('the wait doubles from half a minute to an hour, and a hundred wrong codes in a row end it', () => {
    assert.deepEqual([1, 4, 5, 6, 7, 11, 12, 99].map(waitAfterWrongCodes), [
      0,
      0,
      minute / 2,
      minute,
      2 * minute,
      32 * minute,
      60 * minute,
      60 * minute,
    ]);
    const state = { failures: maxWrongCodes, lockedUntil: 0, lastStep: 0 };
    const given = { code: 'a backup code', secret: 'x', isBackupCode: true, nowMs: Date.now() };
    assert.equal(decideCode(state, given).verdict, 'barred');
    assert.equal(decideCode({ ...state, failures: maxWrongCodes - 1 }, given).verdict, 'right');
    const waiting = { failures: 5, lockedUntil: given.nowMs + minute, lastStep: 0 };
    assert.equal(decideCode(waiting, given).verdict, 'too_early', 'of another server, whose clock is ahead');
  });
});

async function devicesOf(world: World, who: string, count: number): Promise<Browser[]> {
  const first = await openMember(world, { email: who });
  const devices = [first];
  while (devices.length < count) {
    const browser = new Browser(world);
    await browser.call('POST /panel/sign-in', { body: { email: who, password } });
    devices.push(browser);
  }
  return devices;
}

async function owing(world: World, who: string): Promise<Browser> {
  const browser = new Browser(world);
  const answer = await browser.call('POST /panel/sign-in', { body: { email: who, password } });
  assert.equal(answer.next, 'code_required');
  return browser;
}

function take(to: Browser, from: Browser, ...names: string[]): void {
  for (const name of names) to.cookies.set(name, from.cookies.get(name) ?? assert.fail(`no ${name}`));
}

function wrongCode(guess: number): string {
  return `x${String(guess).padStart(5, '0')}`;
}
