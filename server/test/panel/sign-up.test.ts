import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import { giveEmail } from '../../src/accounts/people/email-store.ts';
import { hashToken } from '../../src/accounts/people/panel-link.ts';
import { takeFreeCredit } from '../../src/accounts/sign-up/free-credit.ts';
import { startApp } from '../../src/app.ts';
import { followClock } from '../../src/base/db/follow-clock.ts';
import { readConfig } from '../../src/config/config.ts';
import { readEmail } from '../alerts/read-email.ts';
import { eachOf } from '../processes/support/client.ts';
import { recordTime } from '../world/record-time.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld } from '../world/world.ts';
import { addPerson, Browser, openOperator, tokenOf } from './browser.ts';
import {
  from,
  linkIn,
  openSignUpWorld,
  ownPassword,
  requestSignUp,
  type SignUpWorld,
} from './support/sign-up.ts';

let open: SignUpWorld;
before(async () => {
  open = await openSignUpWorld({}, { env: { DARKROOM_SECOND_FACTOR: 'nobody' } });
});
after(() => open[Symbol.asyncDispose]());

const confirm = 'POST /panel/sign-up/confirm';
const day = 24 * 60 * 60 * 1000;

async function rows() {
  const { read } = open.world.app.database;
  const tables = ['people', 'accounts', 'api_keys', 'sessions', 'outgoing_emails', 'address_links'] as const;
  const counts = await Promise.all(
    tables.map(
      async (table) =>
        (
          await read
            .selectFrom(table)
            .select((eb) => eb.lit(1).as('one'))
            .execute()
        ).length,
    ),
  );
  return Object.fromEntries(tables.map((table, index) => [table, counts[index]]));
}

test('a stranger becomes an account’s owner by a link to their address, and nothing is created before', async () => {
  const { world } = open;
  const email = 'ada@signs.example';
  const was = await rows();
  const link = await open.askFor(email);
  assert.match(link, new RegExp(`^${world.url}/open#[\\w-]{43}$`));
  const { outgoing_emails: _, address_links: links, ...made } = await rows();
  const { outgoing_emails: __, address_links: linksWere, ...madeBefore } = was;
  assert.deepEqual([made, links], [madeBefore, Number(linksWere) + 1]);

  const browser = new Browser(world);
  const look = await browser.call('POST /panel/links/look', { body: { token: tokenOf(link) } });
  assert.deepEqual([look.kind, look.email], ['sign_up', email]);
  const session = await browser.call(confirm, {
    body: { token: tokenOf(link), name: 'Ada', password: ownPassword },
  });
  const { person, accounts, operator } = session;
  assert.deepEqual(
    [person.name, person.email, person.email_confirmed, operator],
    ['Ada', email, true, false],
  );
  assert.deepEqual(
    accounts.map(({ name, rights }) => [name, rights.includes('manage_people')]),
    [[email, true]],
  );
  const key = await browser.call('POST /api/v1/keys', {
    body: { name: 'first' },
    headers: browser.asPage(accounts[0]?.account_id),
  });
  assert.ok(key.key);
  const again = await new Browser(world).try('POST /panel/sign-in', {
    body: { email, password: ownPassword },
  });
  assert.equal(again.status, 200);

  const operators = await openOperator(world);
  const { data } = await operators.call('GET /admin/v1/audit', { query: { limit: '10' } });
  const done = data
    .filter(({ person: by }) => by?.person_id === person.person_id)
    .map(({ action }) => action);
  assert.deepEqual(done, ['person.signed_in', 'key.created', 'account.created']);
});

test('a link works once and for a day, only its hash is stored, and the address’s other links end with it', async () => {
  const { world } = open;
  const email = 'once@signs.example';
  const first = tokenOf(await open.askFor(email));
  const second = tokenOf(await open.askFor(email));
  const stored = await world.app.database.read.selectFrom('address_links').selectAll().execute();
  assert.ok(stored.some((row) => row.token_hash === hashToken(first)));
  assert.ok(!JSON.stringify(stored).includes(first));
  const opened = await new Browser(world).try('POST /panel/links/open', { body: { token: second } });
  assert.equal(opened.body.code, 'panel_link_invalid', 'it is no link that signs in');
  const use = (token: string) =>
    new Browser(world).try(confirm, { body: { token, password: ownPassword, name: 'Once' } });
  const both = await Promise.all([use(second), use(second), use(second)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 403, 403]);
  assert.deepEqual((await use(first)).body.code, 'panel_link_invalid');

  const late = tokenOf(await open.askFor('late@signs.example'));
  await world.elapse(day + 60_000);
  assert.deepEqual((await use(late)).body.code, 'panel_link_invalid');
  assert.equal(
    (await new Browser(world).try('POST /panel/links/look', { body: { token: late } })).status,
    403,
  );
});

test('an address that has an account gets the same answer, and an email that says so', async () => {
  const { world } = open;
  const email = 'known@signs.example';
  await open.join(email);
  const known = await requestSignUp(world, email);
  const stranger = await requestSignUp(world, 'unknown@signs.example');
  const shown = ({ status, text, headers }: typeof known) => [status, text, [...headers.keys()].sort()];
  assert.deepEqual(shown(known), shown(stranger));
  const [, told] = await open.smtp.mailsTo(email, 2);
  const { headers, text } = readEmail(told?.content ?? '');
  assert.match(headers, /^Subject: You have an account already$/m);
  assert.doesNotMatch(text, /\/open#/);
});

test('an address that somebody took without confirming it can be used to sign up', async () => {
  const email = 'taken@signs.example';
  const personId = await addPerson(open.world, { email, accountId: open.world.accountId });
  const browser = await open.join(email);
  const { person } = await browser.call('GET /panel/session');
  assert.deepEqual([person.email, person.email_confirmed], [email, true]);
  const given = await open.world.app.database.transaction((tx) => giveEmail(tx, personId, email));
  assert.equal(given, false);
});

test('a bad address and a weak password are refused with what is wrong, and the link stays', async () => {
  const { world } = open;
  const bad = await requestSignUp(world, 'nobody');
  assert.deepEqual([bad.status, bad.body.code], [422, 'invalid_request']);
  const token = tokenOf(await open.askFor('weak@signs.example'));
  const weak = await new Browser(world).try(confirm, { body: { token, password: 'weak@signs.example' } });
  assert.equal(weak.status, 422);
  const good = await new Browser(world).try(confirm, { body: { token, password: ownPassword } });
  assert.equal(good.status, 200);
});

test('a link cannot be used to have passwords hashed without limit', async () => {
  const email = 'busy@signs.example';
  const token = tokenOf(await open.askFor(email, 500));
  const answers = await Promise.all(
    Array.from({ length: 40 }, () =>
      new Browser(open.world).try(confirm, { body: { token, password: email }, ...from(501) }),
    ),
  );
  const statuses = new Set(answers.map(({ status }) => status));
  assert.deepEqual(statuses, new Set([422, 429]));
  const elsewhere = await new Browser(open.world).try(confirm, {
    body: { token, password: ownPassword },
    ...from(502),
  });
  assert.equal(elsewhere.status, 200, elsewhere.text);
});

test('free credit is given once per address, and only to a number of people per day', async () => {
  const logged: string[] = [];
  const log = { ...silentLog, warn: (event: string) => void logged.push(event) };
  const perDay = { freeCreditMicros: 500_000n, freeCreditsPerDay: 2 };
  await using giving = await openSignUpWorld(perDay, { replacements: { log } });
  const { world } = giving;
  const balanceOf = async (browser: Browser) => {
    const { accounts } = await browser.call('GET /panel/session');
    const headers = browser.asPage(accounts[0]?.account_id);
    return Number((await browser.call('GET /api/v1/balance', { headers })).balance);
  };
  const join = async (email: string) => balanceOf(await giving.join(email));
  const [zero, half] = [0, 0.5];
  assert.equal(await join('first@gift.example'), half);
  assert.equal(await join('first+again@gift.example'), zero);
  const others = await Promise.all(['a', 'b', 'c'].map((name) => join(`${name}@gift.example`)));
  assert.deepEqual(others.sort(), [zero, zero, half]);
  assert.equal(logged.filter((event) => event === 'free_credit.withheld').length, 2);
  await world.elapse(day);
  assert.equal(await join('late@gift.example'), half);
});

test('the number of free credits is for any 24 hours, also if the clock is set back within them', async () => {
  await using world = await openWorld();
  const { database } = world.app;
  const hour = day / 24;
  const take = (name: string) =>
    database.transaction((tx) => takeFreeCredit(tx, { addressHash: name, perDay: 2 }));
  const outcomes: string[] = [await take('first')];
  await world.elapse(23 * hour);
  outcomes.push(await take('second'), await take('third'));
  await world.elapse(hour);
  outcomes.push(await take('fourth'), await take('fifth'));
  assert.deepEqual(outcomes, ['given', 'given', 'too_many', 'given', 'too_many']);
  await recordTime(world);
  await world.jump(-30 * day);
  await followClock(database);
  assert.equal(await take('sixth'), 'too_many');
  await world.elapse(day);
  assert.equal(await take('seventh'), 'given');
});

suite('emails that strangers cause', () => {
  test('are few per day and address, whatever its spelling, and few per network', async () => {
    const { world } = open;
    const spellings = ['m.any@gmail.com', 'many@gmail.com', 'many+1@googlemail.com', 'ma.ny+2@gmail.com'];
    const statuses: number[] = [];
    for (const [index, email] of spellings.entries())
      statuses.push((await requestSignUp(world, email, 100 + index)).status);
    assert.deepEqual(
      statuses,
      [204, 204, 204, 204],
      'whoever asks in the place of somebody locks nobody out',
    );
    await open.askFor('after@signs.example', 120); // sent after those requests are handled
    assert.equal(open.smtp.taken.filter(({ to }) => to[0] === spellings[3]).length, 0);

    const others = [];
    for (let index = 0; index < 11; index += 1)
      others.push((await requestSignUp(world, `person-${index}@signs.example`, 200)).status);
    assert.deepEqual(others, [...Array<number>(10).fill(204), 429]);
  });

  test('are limited even if all requests come at the same time', async () => {
    const asked = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        requestSignUp(open.world, 'parallel@signs.example', 300 + index),
      ),
    );
    assert.deepEqual(new Set(asked.map(({ status }) => status)), new Set([204]));
    await open.askFor('last@signs.example', 350); // sent after those requests are handled
    assert.equal((await open.smtp.mailsTo('parallel@signs.example', 3)).length, 3);
  });

  test('are tried again while the mail server accepts nothing', async () => {
    open.smtp.answer = '451 later';
    const email = 'patient@signs.example';
    assert.equal((await requestSignUp(open.world, email, 400)).status, 204);
    for (;;) {
      const row = await open.world.app.database.read
        .selectFrom('outgoing_emails')
        .select('attempt')
        .where('email', '=', email)
        .executeTakeFirst();
      if ((row?.attempt ?? 0) >= 1) break;
      await turn();
    }
    open.smtp.answer = null;
    await open.world.elapse(60_000);
    assert.ok(linkIn((await open.smtp.mailsTo(email, 1))[0]));
  });
});

const floodTries = Number(process.env.SIGN_UP_FLOOD ?? 300);

test(`a flood of ${floodTries} addresses from many networks on two processes sends few emails, blocks nobody’s new password, and leaves no rows`, async (t) => {
  await using flooded = await openSignUpWorld();
  const { world, smtp } = flooded;
  const http = { ...world.config.http, port: 0, publicUrl: null };
  await using second = await startApp({ ...world.config, http }, { clock: world.clock, log: silentLog });
  const browsers = [world.url, second.url ?? ''].map((url) => new Browser(world, url));
  // Enough networks that no network's limit is reached.
  const networks = Math.ceil(floodTries / 7.5);
  const flood = async (call: 'POST /panel/sign-up' | 'POST /panel/sign-in/forgotten') => {
    const statuses: (number | undefined)[] = [];
    await eachOf(Array(floodTries).keys(), 300, async (nth) => {
      const body = { email: `flood-${nth}@signs.example` };
      // A flood may cut connections; then it is unknown whether an email was sent.
      const reply = await browsers[nth % 2]?.try(call, { body, ...from(nth % networks) }).catch(() => null);
      statuses.push(reply?.status);
    });
    return statuses;
  };
  const count = (statuses: unknown[], status: number) => statuses.filter((one) => one === status).length;
  const forgotten = await flood('POST /panel/sign-in/forgotten');
  assert.equal(count(forgotten, 429), 0, 'nobody is there, so nothing is sent or counted');
  const began = performance.now();
  const asked = await flood('POST /panel/sign-up');
  const seconds = (performance.now() - began) / 1000;
  const taken = count(asked, 204);
  assert.ok(taken > 0 && taken < 130 + seconds / 10, `${taken}`); // a hundred, plus one every ten seconds
  // A server that is late says so, and has sent nothing; so does one whose request's body arrived late.
  const refused = count(asked, 429);
  const late = count(asked, 503) + count(asked, 408);
  const cut = asked.filter((status) => status === undefined).length;
  assert.equal(taken + refused + late + cut, floodTries, [...new Set(asked)].join());
  assert.ok((await smtp.got(taken)).length <= taken + cut);
  t.diagnostic(
    `${floodTries} in ${seconds.toFixed(1)} s: ${taken} emails, ${refused} refused, ${late} told to wait, ${cut} cut off`,
  );

  const untilEmpty = async (table: 'sign_in_limits' | 'outgoing_emails' | 'address_links') => {
    const rows = () => world.app.database.read.selectFrom(table).select(sql.lit(1).as('one')).execute();
    for (; (await rows()).length > 0; await turn()) await hurry();
  };
  /** Makes failed emails due at once; a busy machine would wait minutes. An email being sent has a lease of 40 s. */
  const hurry = () =>
    world.app.database.transaction((tx) =>
      tx
        .updateTable('outgoing_emails')
        .set({ claimable_at: 0 })
        .where('claimable_at', '>', world.clock.nowMs() + 45_000)
        .execute(),
    );
  // The last emails are sent but not yet recorded: a day later, they would be sent again, with new links.
  await untilEmpty('outgoing_emails');
  await world.elapse(25 * 60 * 60_000);
  await world.restart();
  for (const table of ['sign_in_limits', 'address_links'] as const) await untilEmpty(table);
});

test('if sign-up is off, no part of it exists, and if it is for the invited, nobody can begin it themselves', async () => {
  await using off = await openWorld({ worker: false });
  const options = await new Browser(off).call('GET /panel/sign-in');
  assert.deepEqual([options.sign_up, options.forgotten], [null, false]);
  assert.equal((await requestSignUp(off, 'x@example.com')).status, 404);
  const forgotten = await new Browser(off).try('POST /panel/sign-in/forgotten', {
    body: { email: 'x@example.com' },
  });
  assert.equal(forgotten.status, 404);
});

test('if sign-up is for the invited, strangers sign up by an operator’s email, and owners invite others to their account', async () => {
  await using invited = await openSignUpWorld({ mode: 'invited', freeCreditMicros: 500_000n });
  const { world, smtp } = invited;
  assert.equal((await requestSignUp(world, 'x@example.com')).status, 404);
  const operator = await openOperator(world);
  const email = 'stranger@example.com';
  const invite = (to: string) =>
    operator.try('POST /panel/operator/customers/invite', { body: { email: to } });
  assert.equal((await invite(email)).status, 204);
  const noted = world.app.database.read.selectFrom('audit_log').select('detail');
  const [entry] = await noted.where('action', '=', 'customer.invited').execute();
  assert.equal(entry?.detail, '{}', 'the log outlasts what people want forgotten');
  const [told] = await smtp.mailsTo(email, 1);
  assert.match(readEmail(told?.content ?? '').headers, /^Subject: You are invited to sign up$/m);
  await world.elapse(6 * day);
  const owner = new Browser(world);
  const token = tokenOf(linkIn(told));
  const { accounts, person } = await owner.call(confirm, { body: { token, password: ownPassword } });
  assert.deepEqual([accounts.map(({ name }) => name), person.email_confirmed], [[email], true]);
  const asOwner = { headers: owner.asPage(accounts[0]?.account_id) };
  assert.equal((await owner.call('GET /api/v1/balance', asOwner)).balance, '0.50');
  assert.equal((await invite(email)).body.code, 'invalid_request', 'they have an account');
  assert.equal((await invite('no address')).body.code, 'invalid_request');

  const { url } = await owner.call('POST /api/v1/invitations', { body: { role: 'developer' }, ...asOwner });
  const joined = await new Browser(world).call('POST /panel/links/open', {
    body: { token: tokenOf(url), email: 'guest@example.com', password: ownPassword },
  });
  assert.deepEqual(
    joined.accounts.map(({ name }) => name),
    [email],
  );
});

test('invalid settings are refused with what to write', () => {
  assert.throws(() => readConfig({ DARKROOM_SIGN_UP: 'on' }), /must be one of off, invited, open/);
  assert.throws(() => readConfig({ DARKROOM_SIGN_UP: 'open' }), /set SMTP_URL/);
  const mail = { SMTP_URL: 'smtp://127.0.0.1:1', DARKROOM_MAIL_FROM: 'darkroom@example.com' };
  assert.throws(() => readConfig({ DARKROOM_SIGN_UP: 'open', ...mail }), /set DARKROOM_PUBLIC_URL/);
});
