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

/** What the account was told of which keys. */
async function told() {
  const rows = await webhooks.world.app.database.read
    .selectFrom('events')
    .select('data')
    .where('type', '=', 'key.expiring')
    .orderBy('seq')
    .execute();
  return rows.map(({ data }): Record<string, unknown> => JSON.parse(data ?? ''));
}

test('a key that ends within a week is told once, and written to owners with where it is replaced', async () => {
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
  assert.deepEqual(await told(), [], 'eight days are left');

  await world.elapse(1.5 * dayMs);
  const { app } = world;
  await Promise.all([tellExpiringKeys(app.database), tellExpiringKeys(app.database)]);
  const [mail] = await smtp.got(1);
  const [one, ...more] = await told();
  assert.deepEqual(more, []);
  assert.deepEqual(
    [one?.name, one?.key_id, one?.account_name, one?.hint, one?.expires_at, one?.last_used_at],
    ['month', month.key_id, 'expiring', month.hint, month.expires_at, null],
  );
  assert.deepEqual(mail?.to, ['owner@expiring.test']);
  const { headers, text } = readEmail(mail?.content ?? '');
  assert.match(headers, /^Subject: An API key ends soon: month$/m);
  assert.match(text, /^An API key of "expiring" ends on \d+ \w+ \d{4}, \d\d:\d\d UTC\./);
  assert.ok(text.includes(`Create a key:\n${world.url}/accounts/${accountId}/keys\n`), text);

  await world.elapse(335 * dayMs);
  await world.restart();
  const mails = await smtp.got(2);
  assert.deepEqual(
    mails.map(({ content }) => /^Subject: .*: (\w+)$/m.exec(content)?.[1]),
    ['month', 'year'],
  );
});
