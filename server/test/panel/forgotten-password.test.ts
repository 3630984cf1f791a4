import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { insertOperator } from '../../src/accounts/people/people-store.ts';
import { newId } from '../../src/base/std/ids.ts';
import { describeEmail } from '../../src/notify/emails/describe-email.ts';
import { readEmail } from '../alerts/read-email.ts';
import { eventually } from '../http/support/requests.ts';
import { addPerson, Browser, openMember, openOperator, password, tokenOf } from './browser.ts';
import { addAuthenticator } from './support/authenticator.ts';
import { from, linkIn, openSignUpWorld, type SignUpWorld } from './support/sign-up.ts';

let open: SignUpWorld;
before(async () => {
  open = await openSignUpWorld({ mode: 'invited' }, { env: { DARKROOM_SECOND_FACTOR: 'nobody' } });
});
after(() => open[Symbol.asyncDispose]());

const newPassword = 'a kettle beside the harbour';

const forget = (email: string, network = 1) =>
  new Browser(open.world).try('POST /panel/sign-in/forgotten', { body: { email }, ...from(network) });

async function live(email: string): Promise<Browser> {
  const { world } = open;
  await addPerson(world, { email, accountId: world.accountId, emailConfirmed: true });
  const browser = new Browser(world);
  await browser.call('POST /panel/sign-in', { body: { email, password } });
  return browser;
}

async function linkTo(email: string): Promise<string> {
  assert.equal((await forget(email)).status, 204);
  return tokenOf(linkIn((await open.smtp.mailsTo(email, 1)).at(-1)));
}

const reset = (token: string, text = newPassword) =>
  new Browser(open.world).try('POST /panel/sign-in/reset', { body: { token, password: text } });

test('a forgotten password is replaced by email, once: all sessions end, and the person is notified', async () => {
  const { world } = open;
  const email = 'ada@forgot.example';
  const before = await live(email);
  const token = await linkTo(email);
  const look = await new Browser(world).call('POST /panel/links/look', { body: { token } });
  assert.deepEqual([look.kind, look.email], ['password_reset', email]);
  assert.equal((await before.try('GET /panel/session')).status, 200);
  const weak = await reset(token, 'ada@forgot.example');
  assert.equal(weak.status, 422, weak.text);
  const done = await reset(token);
  assert.deepEqual([done.status, done.body.next], [200, 'done'], done.text);
  assert.equal((await before.try('GET /panel/session')).status, 401);
  const signIn = (text: string) =>
    new Browser(world).try('POST /panel/sign-in', { body: { email, password: text } });
  assert.equal((await signIn(newPassword)).status, 200);
  assert.equal((await signIn(password)).status, 401);
  const [, told] = await open.smtp.mailsTo(email, 2);
  assert.match(readEmail(told?.content ?? '').headers, /^Subject: Your password was changed$/m);
  assert.equal((await reset(token)).body.code, 'panel_link_invalid');
});

test('the answer is the same for known, unknown and unconfirmed addresses, and only the first kind gets an email', async () => {
  const there = 'there@forgot.example';
  await live(there);
  const claimed = 'claimed@forgot.example';
  await openMember(open.world, { email: claimed });
  const replies = await Promise.all(
    [there, claimed, 'nobody@forgot.example', 'not an address'].map((email) => forget(email, 2)),
  );
  const shapes = replies.map(({ status, text, headers }) => [status, text, [...headers.keys()].sort()]);
  for (const shape of shapes) assert.deepEqual(shape, shapes[0]);
  await open.smtp.mailsTo(there, 1);
  // Later emails are sent after those three requests are handled.
  const last = 'last@forgot.example';
  await live(last);
  await forget(last, 3);
  await open.smtp.mailsTo(last, 1);
  assert.deepEqual(
    open.smtp.taken.filter(({ to }) => to[0] === claimed || to[0]?.startsWith('nobody')),
    [],
  );
});

test('a new password does not replace the authenticator', async () => {
  const email = 'guarded@forgot.example';
  const browser = await live(email);
  await addAuthenticator(browser);
  const done = await reset(await linkTo(email));
  assert.deepEqual([done.status, done.body], [200, { next: 'code_required' }]);
  assert.equal((await browser.try('GET /panel/session')).status, 401);
});

test('a link ends after an hour, and reveals nothing of a person whose address has changed', async () => {
  const email = 'moved@forgot.example';
  const browser = await live(email);
  const token = await linkTo(email);
  await browser.call('POST /panel/session/credentials', {
    body: { email: 'elsewhere@forgot.example', current_password: password },
  });
  assert.equal((await reset(token)).body.code, 'panel_link_invalid');
  const late = 'late@forgot.example';
  await live(late);
  const old = await linkTo(late);
  await open.world.elapse(61 * 60_000);
  assert.equal((await reset(old)).body.code, 'panel_link_invalid');
});

test('a person without a password gets none by email, and an operator only with an authenticator', async () => {
  const { world } = open;
  const { database } = world.app;
  const sso = 'sso@forgot.example';
  const ssoId = await addPerson(world, { email: sso, accountId: null, emailConfirmed: true });
  await database.transaction((tx) => tx.deleteFrom('sign_ins').where('person_id', '=', ssoId).execute());
  const bare = 'bare@forgot.example';
  await addPerson(world, { email: bare, accountId: null, role: 'support', emailConfirmed: true });
  const raised = 'raised@forgot.example';
  await live(raised);
  const early = await linkTo(raised);
  const person = await database.read
    .selectFrom('people')
    .select('id')
    .where('email', '=', raised)
    .executeTakeFirstOrThrow();
  await database.transaction((tx) => insertOperator(tx, person.id));
  assert.equal((await reset(early)).body.code, 'panel_link_invalid');

  assert.deepEqual([(await forget(sso, 4)).status, (await forget(bare, 4)).status], [204, 204]);
  const guarded = 'chief@forgot.example';
  await addPerson(world, { email: guarded, accountId: null, emailConfirmed: true });
  const browser = new Browser(world);
  await browser.call('POST /panel/sign-in', { body: { email: guarded, password } });
  await addAuthenticator(browser);
  await linkTo(guarded); // this email comes after the earlier ones
  assert.deepEqual(
    open.smtp.taken.filter(({ to }) => to[0] === sso || to[0] === bare),
    [],
  );
});

test('the new password signs in even while others try wrong ones', async () => {
  const email = 'tried@forgot.example';
  await live(email);
  const token = await linkTo(email);
  const wrong = () =>
    new Browser(open.world).try('POST /panel/sign-in', {
      body: { email, password: 'not this one at all' },
      ...from(5),
    });
  const tries = await Promise.all(Array.from({ length: 15 }, wrong));
  assert.ok(tries.some(({ status }) => status === 429));
  const done = await reset(token);
  assert.deepEqual([done.status, done.body.next], [200, 'done'], done.text);
});

test('a new password ends the person’s one-time links, and one set in the profile ends the mailed link', async () => {
  const { world } = open;
  const email = 'links@forgot.example';
  const browser = await live(email);
  const { person } = await browser.call('GET /panel/session');
  const token = await linkTo(email);
  const operator = await openOperator(world);
  const { url } = await operator.call('POST /panel/operator/people/:person_id/link', {
    params: { person_id: person.person_id },
  });
  assert.equal((await reset(token)).status, 200);
  const opened = await new Browser(world).try('POST /panel/links/open', { body: { token: tokenOf(url) } });
  assert.equal(opened.body.code, 'panel_link_invalid');

  const other = 'profile@forgot.example';
  const owner = await live(other);
  const mailed = await linkTo(other);
  await owner.call('POST /panel/session/credentials', {
    body: { password: 'ten quiet lanterns', current_password: password },
  });
  assert.equal((await reset(mailed)).body.code, 'panel_link_invalid');
});

test('an email that is not sent yet when the person sets a password in the profile is dropped', async () => {
  const { world, smtp } = open;
  const email = 'waiting@forgot.example';
  const owner = await live(email);
  smtp.hangs.add(email);
  await forget(email, 6);
  await smtp.hung(1);
  await owner.call('POST /panel/session/credentials', {
    body: { password: 'ten quiet lanterns', current_password: password },
  });
  await smtp.hung(2); // the second email reports the new password
  smtp.answer = '450 busy';
  smtp.release(email);
  smtp.answer = null;
  await eventually(
    async () => {
      await world.elapse(60_000);
      const { read } = world.app.database;
      return read.selectFrom('outgoing_emails').select('id').where('email', '=', email).execute();
    },
    (emails) => emails.length === 0,
  );
  const subjects = (await smtp.mailsTo(email, 1)).map(({ content }) => /^Subject: (.*)$/m.exec(content)?.[1]);
  assert.deepEqual(subjects, ['Your password was changed']);
});

test('no link is made for an email that a new password dropped while it was being written', async () => {
  const { database } = open.world.app;
  const context = {
    ...{ database, currency: 'USD', publicUrl: () => open.world.url, model: () => undefined },
    unsubscribeUrl: async () => undefined,
  };
  const email = 'written@forgot.example';
  await live(email);
  const person = await database.read
    .selectFrom('people')
    .select('id as personId')
    .where('email', '=', email)
    .executeTakeFirstOrThrow();
  const dropped = { id: newId(Date.now()), kind: 'password_reset' as const, email, ...person };
  assert.equal(await describeEmail(context, dropped), null);
});
