import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { changeMemberRole, removeMember } from '../../src/accounts/people/member-changes.ts';
import { noEmailDomain } from '../../src/accounts/people/person-row.ts';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { readConfig } from '../../src/config/config.ts';
import type { GuardrailPolicy } from '../../src/jobs/guardrails/guardrail-settings.ts';
import { deletePerson } from '../../src/jobs/upkeep/people/delete-person.ts';
import type { Delivery } from '../../src/notify/webhooks/deliveries/delivery-store.ts';
import { noteMail } from '../../src/notify/webhooks/mail/email-store.ts';
import { bearer } from '../http/support/requests.ts';
import { addPerson, openMember, password } from '../panel/browser.ts';
import { openWebhookWorld, type WebhookWorld } from '../webhooks/support/webhook-world.ts';
import { readEmail } from './read-email.ts';
import { type Mail, type SmtpServer, startSmtpServer } from './smtp-server.ts';

let smtp: SmtpServer;
let webhooks: WebhookWorld;
before(async () => {
  smtp = await startSmtpServer();
  const env = {
    SMTP_URL: `${smtp.url}?ignoreTLS=true`,
    DARKROOM_MAIL_FROM: 'Darkroom <darkroom@example.com>',
  };
  const guardrails: GuardrailPolicy = {
    usual: {
      ...{ url: null, stages: ['prompt'], timeoutMs: 5_000, whenDown: 'refuse' },
      ...{ blockWords: ['forbidden fruit'], maskWords: [] },
    },
    ...{ accounts: new Map(), keepPromptsDays: 0, key: null },
    strikes: { count: 1, withinMs: 60_000, action: 'slow' },
  };
  webhooks = await openWebhookWorld({ makesImages: true, env, config: { guardrails } });
});
after(async () => {
  await webhooks[Symbol.asyncDispose]();
  await smtp[Symbol.asyncDispose]();
});

/**
 * Two owners, one without an address, a billing member and a developer. The first image lowers the balance below the
 * alert.
 */
async function fallOf(name: string) {
  const { world } = webhooks;
  const { accountId, key } = await world.account(name, { creditMicros: 500_000n });
  const emails = { owner: `owner@${name}.test`, billing: `billing@${name}.test` };
  await openMember(world, { email: emails.owner, accountId, emailConfirmed: true });
  await openMember(world, { email: `none@${name}.test`, accountId });
  await world.app.database.transaction((tx) =>
    tx
      .updateTable('people')
      .set({ email: `${name}${noEmailDomain}` })
      .where('email', '=', `none@${name}.test`)
      .execute(),
  );
  const others = { billing: emails.billing, developer: `developer@${name}.test` } as const;
  for (const [role, email] of Object.entries(others)) {
    await openMember(world, { email, accountId, emailConfirmed: true });
    await world.app.database.transaction((tx) =>
      tx
        .updateTable('members')
        .set({ role: role as 'billing' | 'developer' })
        .where('person_id', 'in', tx.selectFrom('people').select('id').where('email', '=', email))
        .execute(),
    );
  }
  await webhooks.operations.changeAccountAlerts(accountId, { balance_low: '0.50' });
  await world.finished(await world.create(undefined, {}, bearer(key)), key);
  const deliveries = () => webhooks.deliveries(accountId);
  const tried = async (times: number) => {
    for (;;) {
      const emails = await deliveries();
      if (emails.length === 2 && emails.every(({ attempts }) => attempts.length === times)) return emails;
      await webhooks.nextAttempt();
    }
  };
  return { accountId, key, emails, tried };
}

const statesOf = (emails: readonly { status: string }[]) => emails.map(({ status }) => status);

const sentTo = (mails: readonly Mail[], name: string) =>
  mails.filter(({ to }) => to[0]?.endsWith(`@${name}.test`));

test('a low balance is emailed to owners and billing members, once each, in plain words with a link', async () => {
  const { accountId, emails, tried, key } = await fallOf('plain');
  assert.deepEqual(statesOf(await tried(1)), ['delivered', 'delivered']);
  const mails = sentTo(smtp.taken, 'plain');
  assert.deepEqual(mails.map(({ to }) => to[0]).sort(), [emails.billing, emails.owner]);
  const [{ content = '', from } = {}] = mails;
  assert.match(from ?? '', /darkroom@example\.com/);
  assert.match(content, /^Subject: Low balance: plain$/m);
  assert.match(content, /^From: Darkroom <darkroom@example\.com>$/m);
  assert.match(content, /^Auto-Submitted: auto-generated$/m);
  const { text, html } = readEmail(content);
  const page = `${webhooks.world.url}/accounts/${accountId}/balance`;
  assert.match(text, /^The balance of "plain" has fallen below 0\.50 USD: 0\.46 USD is left/);
  assert.ok(text.includes(`Balance, limits and alerts:\n${page}\n`));
  assert.match(html, /The balance of &quot;plain&quot; has fallen below 0\.50 USD/);
  assert.ok(html.includes(`<a class="fill" href="${page}"`));

  const { body } = await webhooks.world.send('GET', '/deliveries', { headers: bearer(key) });
  assert.deepEqual(
    (body.data as { url: string }[]).map(({ url }) => url).sort(),
    ['mailto:b…@plain.test', 'mailto:o…@plain.test'],
    'whoever has a key does not read addresses of people',
  );
  const [{ delivery_id: id } = {}] = body.data as { delivery_id: string }[];
  const again = await webhooks.world.send('POST', `/deliveries/${id}/replay`, { headers: bearer(key) });
  assert.equal(again.body.code, 'nothing_to_deliver');
});

test('an account’s name is escaped in HTML, and unchanged in the subject', async () => {
  const { world } = webhooks;
  const { accountId, key } = await world.account('hostile', { creditMicros: 500_000n });
  await openMember(world, { email: 'owner@hostile.test', accountId, emailConfirmed: true });
  const name = '<b onclick="x">Acme</b>\r\nBcc: all@example.com\u2028& Co';
  await world.app.database.transaction((tx) =>
    tx.updateTable('accounts').set({ name }).where('id', '=', accountId).execute(),
  );
  await webhooks.operations.changeAccountAlerts(accountId, { balance_low: '0.50' });
  await world.finished(await world.create(undefined, {}, bearer(key)), key);
  const [told] = await smtp.mailsTo('owner@hostile.test', 1);
  assert.deepEqual(told?.to, ['owner@hostile.test']);
  const { headers, html } = readEmail(told.content);
  assert.doesNotMatch(headers, /^Bcc:/m);
  assert.match(headers, /^Subject: Low balance: <b onclick="x">Acme<\/b> Bcc: all@example\.com & Co$/m);
  assert.doesNotMatch(html, /<b /);
  assert.match(html, /&lt;b onclick=&quot;x&quot;&gt;Acme&lt;\/b&gt;/);
});

test('a spend limit that stops images is emailed to them, with what is left and until when', async () => {
  const { world, operations } = webhooks;
  const { accountId, key } = await world.account('stopped', { creditMicros: 500_000n });
  await openMember(world, { email: 'owner@stopped.test', accountId, emailConfirmed: true });
  await operations.changeAccountLimits(accountId, { spend_month: '0.01' });
  const body = { prompt: 'a fox', aspect_ratio: '1:1' };
  const { status } = await world.send('POST', '/nb2/text-generations', { headers: bearer(key), body });
  assert.equal(status, 402);
  while (sentTo(smtp.taken, 'stopped').length === 0) await webhooks.nextAttempt();
  const { headers, text } = readEmail(sentTo(smtp.taken, 'stopped')[0]?.content ?? '');
  assert.match(headers, /^Subject: A spend limit stops new images: stopped$/m);
  assert.match(text, /^"stopped" may spend 0\.01 USD in a month, and has spent 0\.00 USD of it\./);
  assert.match(text, /are refused until 1 \w+ \d{4}, 00:00 UTC, when the limit resets\./);
});

test('many refusals are emailed to them as well, with when the account continues', async () => {
  const { world } = webhooks;
  const { accountId, key } = await world.account('struck', { creditMicros: 500_000n });
  await openMember(world, { email: 'owner@struck.test', accountId, emailConfirmed: true });
  const body = { prompt: 'forbidden fruit', aspect_ratio: '1:1' };
  const create = () => world.send('POST', '/nb2/text-generations', { headers: bearer(key), body });
  assert.equal((await create()).status, 422);
  const [told] = await smtp.mailsTo('owner@struck.test', 1);
  const { headers, text } = readEmail(told?.content ?? '');
  assert.match(headers, /^Subject: Requests refused by the policy: struck$/m);
  assert.doesNotMatch(headers, /^List-Unsubscribe/m, 'it is a duty');
  assert.match(text, /refused 1 requests or images of "struck"/);
  assert.match(text, /New images are refused until \d+ \w+ \d{4}, \d\d:\d\d UTC\./);
});

test('an email that the mail server does not accept now is retried as the same email; jobs continue meanwhile', async () => {
  await using _held = await webhooks.world.hold(); // without this, a slow machine may retry first
  smtp.answer = '451 try again later';
  const { tried } = await fallOf('later');
  const failed = await tried(1);
  assert.deepEqual(statesOf(failed), ['pending', 'pending']);
  assert.deepEqual(
    failed.map(({ attempts: [first] }) => [first?.status, first?.failure, first?.answer]),
    failed.map(() => [451, 'status', '451 try again later']),
  );
  smtp.answer = null;
  await webhooks.makeDue();
  assert.deepEqual(statesOf(await tried(2)), ['delivered', 'delivered']);
  const ids = sentTo(smtp.taken, 'later').map(({ content }) => /^Message-ID: (.*)$/m.exec(content)?.[1]);
  assert.equal(ids.length, 2);
  assert.match(ids[0] ?? '', /^<evt_[0-9a-f]{32}@example\.com>$/);
});

test('a deleted person gets no more emails about the account, and their address is gone', async () => {
  await using _held = await webhooks.world.hold(); // without this, a slow machine may retry first
  smtp.answer = '451 try again later';
  const { accountId, emails, tried } = await fallOf('leaving');
  await tried(1);
  await deletePerson(webhooks.world.app, { person: emails.billing }, commandLine);
  smtp.answer = null;
  await webhooks.makeDue();
  await smtp.mailsTo(emails.owner, 1);
  for (;;) {
    const left = await webhooks.deliveries(accountId);
    if (left.every(({ status }) => status !== 'pending')) break;
    await webhooks.nextAttempt();
  }
  assert.deepEqual(
    sentTo(smtp.taken, 'leaving').map(({ to }) => to[0]),
    [emails.owner],
  );
  const rows = await webhooks.world.app.database.read.selectFrom('deliveries').selectAll().execute();
  assert.ok(!JSON.stringify(rows).includes('billing%40leaving'));
});

test('a waiting email does not reach people who left, lost the role, changed the address or turned it off', async () => {
  await using _held = await webhooks.world.hold(); // without this, a slow machine may retry first
  smtp.answer = '451 try again later';
  const { world } = webhooks;
  const { database } = world.app;
  const { accountId, key } = await world.account('waiting', { creditMicros: 500_000n });
  const about = (name: string) => ({ email: `${name}@waiting.test`, accountId, emailConfirmed: true });
  const left = await addPerson(world, about('left'));
  const demoted = await addPerson(world, about('demoted'));
  const moved = await openMember(world, about('moved'));
  const weary = await openMember(world, about('weary'));
  const stays = await openMember(world, about('stays'));
  const ended = async (isEnded: (email: Delivery) => boolean) => {
    for (;;) {
      const emails = await webhooks.deliveries(accountId);
      if (emails.length === 5 && emails.every(isEnded)) return emails;
      await webhooks.nextAttempt();
    }
  };
  await webhooks.operations.changeAccountAlerts(accountId, { balance_low: '0.50' });
  await world.finished(await world.create(undefined, {}, bearer(key)), key);
  await ended(({ attempts }) => attempts.length === 1);

  const keepsOwner = { accountId, keepsOwner: true };
  await removeMember({ database }, { ...keepsOwner, personId: left }, commandLine);
  await changeMemberRole({ database }, { ...keepsOwner, personId: demoted, role: 'developer' }, commandLine);
  const body = { email: 'moved@elsewhere.test', current_password: password };
  await moved.call('POST /panel/session/credentials', { body });
  await weary.call('POST /panel/session/emails', { body: { off: ['balance'] } });
  await stays.call('POST /panel/session/emails', { body: { off: ['limits', 'keys'] } });
  smtp.answer = null;
  await webhooks.makeDue();
  const emails = await ended(({ status }) => status !== 'pending');
  assert.deepEqual(
    emails.map(({ url, status, failure }) => [url, status, failure]).sort(),
    [
      ['demoted', 'cancelled', 'email_unwanted'],
      ['left', 'cancelled', 'email_unwanted'],
      ['moved', 'cancelled', 'email_unwanted'],
      ['stays', 'delivered', null],
      ['weary', 'cancelled', 'email_unwanted'],
    ].map(([name, ...end]) => [`mailto:${name}%40waiting.test`, ...end]),
  );
  assert.deepEqual(
    sentTo(smtp.taken, 'waiting').map(({ to }) => to[0]),
    ['stays@waiting.test'],
  );
});

test('waiting emails are not cancelled while emails are off', async () => {
  await using _held = await webhooks.world.hold(); // without this, a slow machine may retry first
  smtp.answer = '451 try again later';
  const { tried } = await fallOf('off');
  await tried(1);
  const { database } = webhooks.world.app;
  await noteMail(database, false);
  await webhooks.makeDue();
  assert.deepEqual(statesOf(await tried(2)), ['pending', 'pending']);
  await noteMail(database, true);
  smtp.answer = null;
  await webhooks.makeDue();
  assert.deepEqual(statesOf(await tried(3)), ['delivered', 'delivered']);
});

test('an email that it refuses for good is not retried', async () => {
  smtp.recipientAnswer = '550 no such person';
  const { tried } = await fallOf('gone');
  const failed = await tried(1);
  assert.deepEqual(statesOf(failed), ['failed', 'failed']);
  smtp.recipientAnswer = null;
  assert.deepEqual(
    failed.map(({ failure }) => failure),
    ['mail_refused', 'mail_refused'],
  );
});

test('without a mail server no email is sent', async () => {
  await using without = await openWebhookWorld({ makesImages: true });
  const { world } = without;
  await openMember(world, { email: 'owner@none.test', emailConfirmed: true });
  await without.operations.changeAccountAlerts(world.accountId, { balance_low: '100' });
  await world.finished(await world.create());
  const { app } = world;
  assert.equal((await app.database.read.selectFrom('events').select('id').execute()).length, 2);
  assert.deepEqual(await without.deliveries(), []);
});

test('invalid mail settings are refused with what to write', () => {
  const from = 'Darkroom <darkroom@example.com>';
  for (const [env, says] of [
    [{ SMTP_URL: 'smtp://mail' }, /both, or neither/],
    [{ SMTP_URL: 'https://user:hidden@mail', DARKROOM_MAIL_FROM: from }, /must be an address such as smtp:/],
    [{ SMTP_URL: 'smtp://mail', DARKROOM_MAIL_FROM: 'somebody' }, /DARKROOM_MAIL_FROM is "somebody"/],
  ] as const)
    assert.throws(() => readConfig(env), { name: 'SettingError', message: says });
});
