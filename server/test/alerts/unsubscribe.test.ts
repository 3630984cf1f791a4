import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { giveEmail } from '../../src/accounts/people/email-store.ts';
import { bearer } from '../http/support/requests.ts';
import { openMember } from '../panel/browser.ts';
import { openWebhookWorld, type WebhookWorld } from '../webhooks/support/webhook-world.ts';
import { readEmail } from './read-email.ts';
import { type SmtpServer, startSmtpServer } from './smtp-server.ts';

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

async function stopped(name: string) {
  const { world, operations } = webhooks;
  const { accountId, key } = await world.account(name, { creditMicros: 500_000n });
  const own = `owner@${name}.test`;
  const browser = await openMember(world, { email: own, accountId, emailConfirmed: true });
  await openMember(world, { email: `other@${name}.test`, accountId, emailConfirmed: true });
  const reach = async (most: string) => {
    await operations.changeAccountLimits(accountId, { spend_day: most });
    const body = { prompt: 'a fox', aspect_ratio: '1:1' };
    const { status } = await world.send('POST', '/nb2/text-generations', { headers: bearer(key), body });
    assert.equal(status, 402);
  };
  const link = async () => {
    await reach('0.01');
    const [told] = await smtp.mailsTo(own, 1);
    const { headers } = readEmail(told?.content ?? '');
    assert.match(headers, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m);
    const [, url = ''] = /^List-Unsubscribe: <(.*)>$/m.exec(headers) ?? [];
    assert.ok(url.startsWith(`${world.url}/unsubscribe/`), headers);
    return url;
  };
  const chosen = async () => (await browser.call('GET /panel/session/emails')).off;
  return { accountId, own, browser, reach, link, chosen };
}

const oneClick = (url: string) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  });

test('one click turns off one kind of email for one person, without a session; a program that follows links does not', async () => {
  const { own, browser, reach, link, chosen } = await stopped('clicks');
  const url = await link();
  const looked = await fetch(url);
  const page = await looked.text();
  assert.deepEqual([looked.status, looked.headers.get('cache-control')], [200, 'private, no-store']);
  assert.match(page, /No more emails about spend limits\?/);
  assert.match(page, /<form method="post"[^>]*><button>Turn them off<\/button><\/form>/);
  assert.doesNotMatch(page, /owner@clicks\.test/, 'it says nothing of whose it is');
  const german = await fetch(url, { headers: { 'accept-language': 'de' } });
  assert.match(await german.text(), /<h1>Keine E-Mails mehr über Ausgabenlimits\?<\/h1>/);
  await fetch(url, { method: 'HEAD' });
  assert.deepEqual(await chosen(), []);

  for (let again = 0; again < 2; again++) {
    const done = await oneClick(url);
    assert.equal(done.status, 200);
    assert.match(
      await done.text(),
      /You get no more emails about spend limits\. Turn them on again in your profile/,
    );
  }
  assert.deepEqual(await chosen(), ['limits']);
  await reach('0.02');
  await smtp.mailsTo('other@clicks.test', 2);
  assert.equal((await smtp.mailsTo(own, 1)).length, 1);

  const { off, sends } = await browser.call('POST /panel/session/emails', { body: { off: [] } });
  assert.deepEqual([off, sends], [[], true]);
  await reach('0.03');
  await smtp.mailsTo(own, 2);
  await browser.call('POST /panel/session/emails', { body: { off: ['keys', 'balance'] } });
  assert.deepEqual((await browser.call('GET /panel/session/data')).emails_off, ['balance', 'keys']);
});

test('a mail program’s multipart form is accepted as well; a changed link, or one for another address, does nothing', async () => {
  const { own, browser, link, chosen } = await stopped('forms');
  const url = await link();
  const [person, topic, signature = ''] = new URL(url).pathname.replace('/unsubscribe/', '').split('.');
  const at = (token: string) => `${webhooks.world.url}/unsubscribe/${token}`;
  for (const token of [
    `${person}.keys.${signature}`,
    `${person}.all.${signature}`,
    `${person}.${topic}.${signature.slice(1)}`,
    `${person}.${topic}`,
    `nobody.${topic}.${signature}`,
    'x',
  ]) {
    const { status } = await oneClick(at(token));
    assert.equal(status, 404, token);
    assert.equal((await fetch(at(token))).status, 404, token);
  }
  const { database } = webhooks.world.app;
  const { person_id: personId } = (await browser.call('GET /panel/session')).person;
  await database.transaction((tx) => giveEmail(tx, personId, 'new@forms.test'));
  assert.equal((await oneClick(url)).status, 404);
  assert.deepEqual(await chosen(), []);

  await database.transaction((tx) => giveEmail(tx, personId, own));
  const form = new FormData();
  form.set('List-Unsubscribe', 'One-Click');
  assert.equal((await fetch(url, { method: 'POST', body: form })).status, 200);
  assert.deepEqual(await chosen(), ['limits']);
});

test('no email is sent to an unconfirmed address', async () => {
  const { world } = webhooks;
  const { accountId, reach } = await stopped('unsure');
  await openMember(world, { email: 'unsure@unsure.test', accountId });
  await reach('0.01');
  await Promise.all(['owner@unsure.test', 'other@unsure.test'].map((email) => smtp.mailsTo(email, 1)));
  const rows = await webhooks.deliveries(accountId);
  assert.equal(rows.length, 2);
});
