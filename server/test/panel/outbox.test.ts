import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { after, before, test } from 'node:test';
import { type EmailKind, insertEmail } from '../../src/accounts/people/outbox-store.ts';
import { startApp } from '../../src/app.ts';
import { ownBrand } from '../../src/base/brand/brand.ts';
import { newId } from '../../src/base/std/ids.ts';
import { createMailer, type MailerContext } from '../../src/notify/webhooks/mail/mailer.ts';
import { startEmailer } from '../../src/notify/webhooks/start-emailer.ts';
import { readEmail } from '../alerts/read-email.ts';
import { startSmtpServer } from '../alerts/smtp-server.ts';
import { bearer, eventually } from '../http/support/requests.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld, type World } from '../world/world.ts';
import { openSignUpWorld, type SignUpWorld } from './support/sign-up.ts';

let open: SignUpWorld;
before(async () => {
  open = await openSignUpWorld();
});
after(() => open[Symbol.asyncDispose]());

const put = ({ app, clock }: World, kind: string, email: string) =>
  app.database.transaction((tx) =>
    insertEmail(tx, { id: newId(clock.nowMs()), kind: kind as EmailKind, email, personId: null }),
  );

const attemptsAt = async ({ app }: World, email: string) => {
  const rows = app.database.read.selectFrom('outgoing_emails').select('attempt').where('email', '=', email);
  return (await rows.execute()).map(({ attempt }) => Number(attempt));
};

test('an email of a kind that only a newer version knows is left to that version', async () => {
  const { world } = open;
  await put(world, 'of_tomorrow', 'tomorrow@signs.example');
  await open.askFor('today@signs.example');
  assert.deepEqual(await attemptsAt(world, 'tomorrow@signs.example'), [0]);
});

test('a person who has signed up by an earlier link gets no second link, which would open nothing', async () => {
  const { world } = open;
  const email = 'quick@signs.example';
  await open.join(email);
  await put(world, 'sign_up', email);
  const [, told] = await open.smtp.mailsTo(email, 2);
  const { headers, text } = readEmail(told?.content ?? '');
  assert.match(headers, /^Subject: You have an account already$/m);
  assert.doesNotMatch(text, /\/open#/);
  assert.doesNotMatch(headers, /^List-Unsubscribe/m, 'it is a duty');
});

test('a person who signed up is welcomed once, with where to create a key and a request that works', async () => {
  const { world, smtp } = open;
  const email = 'new@signs.example';
  const browser = await open.join(email);
  const { accounts } = await browser.call('GET /panel/session');
  const accountId = accounts[0]?.account_id;
  const [told] = await smtp.welcomesTo(email, 1);
  const { headers, text } = readEmail(told?.content ?? '');
  const [, off = ''] = /^List-Unsubscribe: <(.*)>$/m.exec(headers) ?? [];
  assert.match(await (await fetch(off)).text(), /a low balance, spend limits and API keys that end soon\?/);
  assert.ok(text.includes(`Create an API key:\n${world.url}/accounts/${accountId}/keys?new=yes\n`), text);
  const [, path, body] = /curl -sS (\S+) .*-d '(.*)'/s.exec(text) ?? [];
  const { key } = await browser.call('POST /api/v1/keys', {
    body: { name: 'first' },
    headers: browser.asPage(accountId),
  });
  const asked = await fetch(path ?? '', {
    method: 'POST',
    headers: { ...bearer(key), 'content-type': 'application/json' },
    body: body ?? '',
  });
  assert.equal(((await asked.json()) as { code?: string }).code, 'insufficient_funds', 'it is understood');

  await put(world, 'welcome', 'nobody@signs.example');
  await open.askFor('later@signs.example');
  // The two are sent at the same time, and either may end first.
  await eventually(
    () => attemptsAt(world, 'nobody@signs.example'),
    (attempts) => attempts.length === 0,
  );
  assert.equal((await smtp.welcomesTo(email, 1)).length, 1);
});

test('a process without a mail server leaves emails to one that has one', async () => {
  await using smtp = await startSmtpServer();
  await using world = await openWorld();
  await put(world, 'sign_up', 'wait@signs.example');
  const mail = { url: `${smtp.url}?ignoreTLS=true`, from: 'darkroom@example.com' };
  await using _ = await startApp({ ...world.config, mail }, { clock: world.clock, log: silentLog });
  assert.deepEqual((await smtp.got(1))[0]?.to, ['wait@signs.example']);
});

/** Less than the 15 s after which an exchange that hangs is given up. */
const beforeGivenUpMs = 10_000;

test('emails that hang delay no others', async () => {
  const { world, smtp } = open;
  const hanging = ['a', 'b', 'c'].map((name) => `${name}@hang.example`);
  for (const email of hanging) {
    smtp.hangs.add(email);
    await put(world, 'password_changed', email);
  }
  await smtp.hung(3);
  const began = performance.now();
  for (const email of ['next@signs.example', 'after@signs.example']) {
    await put(world, 'password_changed', email);
    await open.smtp.mailsTo(email, 1);
  }
  assert.ok(performance.now() - began < beforeGivenUpMs);
  for (const email of hanging) smtp.release(email);
});

function mailerTo({ url }: { url: string }, unsubscribeUrl: MailerContext['unsubscribeUrl']) {
  return createMailer(
    { url: `${url}?ignoreTLS=true`, from: 'darkroom@example.com' },
    {
      ...{
        currency: 'USD',
        takesPayments: () => false,
        languageOf: async () => undefined,
        brand: () => ownBrand,
      },
      ...{ publicUrl: () => 'https://darkroom.example', unsubscribeUrl },
    },
  );
}

test('emails are sent again after the mail library could not be loaded once', async () => {
  const { smtp } = open;
  using mailer = mailerTo(smtp, async () => undefined);
  const email = {
    id: 'after_a_failed_load',
    content: { subject: 'A test', said: ['One email.'], why: 'It is a test.' },
  };
  const post = () => mailer.post(email, 'loaded@example.com', AbortSignal.timeout(10_000));
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'nodemailer') throw new Error('too many open files');
      return next(specifier, context);
    },
  });
  const failed = await post();
  hooks.deregister();
  assert.deepEqual([failed.status, failed.answer], [null, 'too many open files']);
  assert.equal((await post()).status, 250);
});

test('an email is sent while the database is down, but not after its time', { timeout: 10_000 }, async () => {
  const { smtp } = open;
  const data = { account_id: 'a', account_name: 'a', threshold: '1.00', balance: '0.50' };
  const event = {
    ...{ id: 'evt_1', type: 'balance.low', createdAt: 0, requestId: null, keyId: null, jobId: null, data },
  };
  using away = mailerTo(smtp, () => Promise.reject(new Error('away')));
  const { signal } = new AbortController();
  assert.equal((await away.send(event, 'away@signs.example', signal)).failure, null);
  const [mail] = await smtp.mailsTo('away@signs.example', 1);
  assert.doesNotMatch(mail?.content ?? '', /List-Unsubscribe/);

  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<undefined>();
  using slow = mailerTo(smtp, () => {
    asked.resolve();
    return answer.promise;
  });
  const stop = new AbortController();
  const sent = slow.send(event, 'slow@emails.example', stop.signal);
  await asked.promise;
  stop.abort();
  assert.equal((await sent).failure, 'interrupted');
  answer.resolve(undefined);
  assert.equal((await away.send(event, 'after@emails.example', signal)).failure, null);
  assert.deepEqual(await smtp.mailsTo('slow@emails.example', 0), []);
});

test('a stopping process lets exchanges end, and leaves one that hangs to the next process', async () => {
  await using smtp = await startSmtpServer();
  await using world = await openWorld();
  using mailer = mailerTo(smtp, async () => undefined);
  const describe = async () => ({ subject: 'A test', said: ['One email.'], why: 'It is a test.' });
  const { database } = world.app;
  const [slow, stuck] = ['slow@signs.example', 'stuck@signs.example'] as const;
  smtp.hangs = new Set([slow, stuck]);
  await put(world, 'sign_up', slow);
  await put(world, 'sign_up', stuck);
  const emailer = startEmailer({ database, log: silentLog, mailer, describe });
  await smtp.hung(2);
  const began = performance.now();
  const stopped = emailer[Symbol.asyncDispose]();
  smtp.release(slow);
  await stopped;
  assert.ok(performance.now() - began < beforeGivenUpMs);
  assert.deepEqual([await attemptsAt(world, slow), await attemptsAt(world, stuck)], [[], [1]]);
  assert.deepEqual(
    smtp.taken.map(({ to }) => to[0]),
    [slow],
  );
});
