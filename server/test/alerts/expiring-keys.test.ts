import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { tellExpiringKeys } from '../../src/notify/alerts/tell-expiring-keys.ts';
import { openMember } from '../panel/browser.ts';
import { openWebhookWorld, type WebhookWorld } from '../webhooks/support/webhook-world.ts';
import { readEmail } from './read-email.ts';
import { type SmtpServer, startSmtpServer } from './smtp-server.ts';

const dayMs = 24 * 60 * 60 * 1000;

let smtp: SmtpServer;
let webhooks: WebhookWorld;
before(async () => {
  smtp = await startSmtpServer();
  const env = { SMTP_URL: `${smtp.url}?ignoreTLS=true`, DARKROOM_MAIL_FROM: 'darkroom@example.com' };
  webhooks = await openWebhookWorld({ env });
});
after(async () => {
  await webhooks[Symbol.asyncDispose]();
  await smtp[Symbol.asyncDispose]();
});

async function told(accountId: string) {
  const rows = await webhooks.world.app.database.read
    .selectFrom('events')
    .select('data')
    .where('type', '=', 'key.expiring')
    .where('account_id', '=', accountId)
    .orderBy('seq')
    .execute();
  return rows.map(({ data }): Record<string, unknown> => JSON.parse(data ?? ''));
}

test('a key that ends within a week is reported once, and emailed to owners with where to replace it', async () => {
  const { world, operations } = webhooks;
  const { accountId } = await world.account('expiring', { creditMicros: 0n });
  await openMember(world, { email: 'owner@expiring.test', accountId, emailConfirmed: true });
  const make = (name: string, days: number) =>
    operations.createKey(accountId, { name, expires_in: (days * dayMs) / 1000 });
  const month = await make('month', 30);
  await make('year', 365);
  await make('short', 2);
  const rolled = await make('rolled', 300);
  const stopped = await make('stopped', 30);
  await operations.rollKey(rolled.key_id, { overlap: dayMs / 1000 });
  await operations.disableKey(stopped.key_id);

  await world.elapse(22 * dayMs);
  await tellExpiringKeys(world.app.database);
  assert.deepEqual(await told(accountId), [], 'eight days are left');

  await world.elapse(1.5 * dayMs);
  const { app } = world;
  await Promise.all([tellExpiringKeys(app.database), tellExpiringKeys(app.database)]);
  const [mail] = await smtp.mailsTo('owner@expiring.test', 1);
  const [one, ...more] = await told(accountId);
  assert.deepEqual(more, []);
  assert.deepEqual(
    [one?.name, one?.key_id, one?.account_name, one?.hint, one?.expires_at, one?.last_used_at],
    ['month', month.key_id, 'expiring', month.hint, month.expires_at, null],
  );
  assert.deepEqual(mail?.to, ['owner@expiring.test']);
  const { headers, text } = readEmail(mail?.content ?? '');
  assert.match(headers, /^Subject: An API key expires soon: month$/m);
  assert.match(text, /^An API key of "expiring" expires on \d+ \w+ \d{4}, \d\d:\d\d UTC\./);
  assert.ok(text.includes(`Create a key:\n${world.url}/accounts/${accountId}/keys\n`), text);

  await world.elapse(335 * dayMs);
  await world.restart();
  const mails = await smtp.mailsTo('owner@expiring.test', 2);
  assert.deepEqual(
    mails.map(({ content }) => /^Subject: .*: (\w+)$/m.exec(content)?.[1]),
    ['month', 'year'],
  );
});

test('owners get one email about all keys of their account, which names the first keys', async () => {
  const { world, operations } = webhooks;
  const { database } = world.app;
  const { accountId } = await world.account('many', { creditMicros: 0n });
  const { accountId: goneId } = await world.account('gone', { creditMicros: 0n });
  await openMember(world, { email: 'owner@many.test', accountId, emailConfirmed: true });
  const make = (name: string, days: number, id = accountId) =>
    operations.createKey(id, { name, expires_in: (days * dayMs) / 1000 });
  for (let nth = 1; nth <= 8; nth++) await make(`key ${nth}`, 30 + nth / 100);
  await make('of nobody', 30, goneId);
  await operations.disableAccount(goneId, { reason: 'unpaid' });
  await world.elapse(25 * dayMs);
  await Promise.all([tellExpiringKeys(database), tellExpiringKeys(database)]);
  assert.equal(await tellExpiringKeys(database), false);
  const keys = await told(accountId);
  assert.deepEqual(
    keys.map(({ name, other_keys: others }) => [name, others]),
    [1, 2, 3, 4, 5, 6, 7, 8].map((nth) => [`key ${nth}`, 7]),
  );
  assert.deepEqual(keys[1]?.other_names, ['key 1', 'key 3', 'key 4', 'key 5', 'key 6']);
  assert.deepEqual(await told(goneId), []);
  // An email that is not sent within a day is not sent at all.
  await smtp.mailsTo('owner@many.test', 1);

  await make('later', 30);
  await world.elapse(25 * dayMs);
  await tellExpiringKeys(database);
  const [mail, later, ...more] = await smtp.mailsTo('owner@many.test', 2);
  assert.deepEqual(more, []);
  const { headers, text } = readEmail(mail?.content ?? '');
  assert.match(headers, /^Subject: 8 API keys expire soon: many$/m);
  const others = [2, 3, 4, 5, 6].map((nth) => `"key ${nth}"`).join(', ');
  assert.ok(text.includes(`These also expire within a week: ${others} and 2 more.`), text);
  assert.match(readEmail(later?.content ?? '').headers, /^Subject: An API key expires soon: later$/m);
});
