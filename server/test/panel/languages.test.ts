import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEmail } from '../alerts/read-email.ts';
import { Browser, tokenOf } from './browser.ts';
import { linkIn, openSignUpWorld, ownPassword } from './support/sign-up.ts';

test('emails are in the language of the requesting browser, or in the one that their reader chose', async () => {
  await using open = await openSignUpWorld();
  const { world, smtp } = open;
  const email = 'grete@reads.example';
  const headers = { 'accept-language': 'fr-CH, de-AT;q=0.9, en;q=0.8' };
  const textOf = async (count: number) =>
    readEmail((await smtp.mailsTo(email, count)).at(-1)?.content ?? '').text;

  await new Browser(world).call('POST /panel/sign-up', { body: { email }, headers });
  assert.match(await textOf(1), /sobald Sie diesen Link innerhalb eines Tages öffnen/);

  const browser = new Browser(world);
  const token = tokenOf(linkIn((await smtp.mailsTo(email, 1)).at(-1)));
  const session = await browser.call('POST /panel/sign-up/confirm', {
    ...{ body: { token, password: ownPassword }, headers },
  });
  assert.equal(session.language, null);
  assert.match(await textOf(2), /Willkommen\. Ihr Konto bei/);

  await browser.call('POST /panel/session/language', { body: { language: 'zh' } });
  assert.equal((await browser.call('GET /panel/session')).language, 'zh');
  await new Browser(world).call('POST /panel/sign-in/forgotten', { body: { email }, headers });
  assert.match(await textOf(3), /请在一小时内通过此链接设置/);
  const wrong = await browser.try('POST /panel/session/language', { body: { language: 'tlh' as 'de' } });
  assert.equal(wrong.status, 422);
});
