import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { insertEmail, sweepEmails } from '../../src/accounts/people/outbox-store.ts';
import { readMarginAlerts } from '../../src/jobs/costs/read-margin-alerts.ts';
import type { Route } from '../../src/jobs/routes/route.ts';
import { tellMargins } from '../../src/notify/alerts/tell-margins.ts';
import { describeEmail } from '../../src/notify/emails/describe-email.ts';
import { openMember } from '../panel/browser.ts';
import { TestProvider } from '../world/provider.ts';
import { openWorld, type World } from '../world/world.ts';
import { readEmail } from './read-email.ts';
import { startSmtpServer } from './smtp-server.ts';

const hourMs = 60 * 60_000;

/** Runs the checks that the elected process runs every ten minutes. */
const tell = ({ app: { database } }: World) =>
  tellMargins(database, () => readMarginAlerts({ database, costRisePercent: 25 }));

test('operators with a confirmed address get one email about a model that loses money, until it has not for a day', async () => {
  await using smtp = await startSmtpServer();
  const env = { SMTP_URL: `${smtp.url}?ignoreTLS=true`, DARKROOM_MAIL_FROM: 'darkroom@example.com' };
  const shared = { provider: new TestProvider(), slots: 20, timeoutMs: 30_000 };
  const dear: Route = { ...shared, id: 'nb2/dear', model: 'nb2', cost: '0.041' };
  const rising: Route = { ...shared, id: 'nb/rising', model: 'nb', cost: '0.05' };
  await using world = await openWorld({ env, replacements: { routes: [dear, rising] } });
  // The times do not cross midnight.
  await world.elapse(36 * hourMs - (world.clock.nowMs() % (24 * hourMs)));
  const make = async (model: string) => {
    const ids = await Promise.all(
      Array.from({ length: 10 }, () => world.create(`/${model}/text-generations`)),
    );
    for (const id of ids) assert.equal((await world.finished(id)).status, 'done');
  };
  const subjects = async (email: string, count: number) =>
    (await smtp.mailsTo(email, count)).map(
      ({ content }) => /^Subject: (.*)$/m.exec(readEmail(content).headers)?.[1],
    );

  await openMember(world, { email: 'owner@margins.test', emailConfirmed: true });
  await openMember(world, { email: 'new@margins.test', accountId: null });
  await make('nb2');
  await tell(world);
  const operator = { accountId: null, emailConfirmed: true };
  await openMember(world, { email: 'operator@margins.test', ...operator });
  const support = await openMember(world, { email: 'support@margins.test', ...operator, role: 'support' });
  await support.call('POST /panel/session/emails', { body: { off: ['margins'] } });
  await Promise.all([tell(world), tell(world)]);
  const [mail] = await smtp.mailsTo('operator@margins.test', 1);
  const { headers, text } = readEmail(mail?.content ?? '');
  assert.match(headers, /^Subject: Sold below its cost: nb2$/m);
  assert.match(
    text,
    /^Today and yesterday \(UTC\), an image of "nb2" cost 0\.041 USD and earned 0\.04 USD, over 10 images\./,
  );
  assert.ok(text.includes(`Open the margins:\n${world.url}/operator/margins\n`), text);

  await tell(world);
  await support.call('POST /panel/session/emails', { body: { off: [] } });
  await make('nb');
  await world.elapse(2 * hourMs);
  await world.restart();
  assert.deepEqual(await subjects('support@margins.test', 1), ['Sold below its cost: nb']);
  assert.deepEqual(await subjects('operator@margins.test', 2), [
    'Sold below its cost: nb2',
    'Sold below its cost: nb',
  ]);

  const [, off = ''] = /^List-Unsubscribe: <(.*)>$/m.exec(headers) ?? [];
  const path = new URL(off).pathname;
  assert.match(await (await fetch(world.url + path)).text(), /No more emails about models that lose money\?/);
  const done = await fetch(world.url + path, { method: 'POST' });
  assert.match(await done.text(), /You get no more emails about models that lose money\./);

  await world.elapse(3 * 24 * hourMs);
  await tell(world);
  await Promise.all([make('nb'), make('nb2')]);
  await tell(world);
  const told = await subjects('support@margins.test', 2);
  assert.equal(told[1], '2 models cost too much: nb, nb2');
  assert.equal((await smtp.mailsTo('operator@margins.test', 2)).length, 2);
  for (const nobody of ['owner@margins.test', 'new@margins.test'])
    assert.deepEqual(await subjects(nobody, 0), []);
});

test('these emails wait a week for the mail server, others a day', async () => {
  await using world = await openWorld({ worker: false });
  const { database } = world.app;
  await database.transaction(async (tx) => {
    for (const kind of ['margins', 'password_reset'] as const)
      await insertEmail(tx, { id: randomUUID(), kind, email: 'away@margins.test', personId: null });
  });
  const left = async () => {
    await database.transaction(sweepEmails);
    const rows = await database.read.selectFrom('outgoing_emails').select('kind').execute();
    return rows.map(({ kind }) => kind).toSorted();
  };
  assert.deepEqual(await left(), ['margins', 'password_reset']);
  await world.jump(25 * hourMs);
  assert.deepEqual(await left(), ['margins']);
  await world.jump(7 * 24 * hourMs);
  assert.deepEqual(await left(), []);
});

test('an operator who turned off emails about margins gets none that waits', async () => {
  await using world = await openWorld({ worker: false });
  const { database } = world.app;
  const email = 'weary@margins.test';
  const operator = await openMember(world, { email, accountId: null, emailConfirmed: true });
  const { person } = await operator.call('GET /panel/session');
  const waiting = { id: randomUUID(), kind: 'margins' as const, email, personId: person.person_id };
  await database.transaction((tx) => insertEmail(tx, waiting));
  const context = {
    ...{ database, currency: 'USD', publicUrl: () => world.url, model: () => undefined },
    unsubscribeUrl: async () => undefined,
  };
  assert.notEqual(await describeEmail(context, waiting), null);
  await operator.call('POST /panel/session/emails', { body: { off: ['margins'] } });
  assert.equal(await describeEmail(context, waiting), null);
});
