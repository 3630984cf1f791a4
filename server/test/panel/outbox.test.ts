import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type EmailKind, insertEmail } from '../../src/accounts/people/outbox-store.ts';
import { startApp } from '../../src/app.ts';
import { newId } from '../../src/base/std/ids.ts';
import { startSmtpServer } from '../alerts/smtp-server.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld, type World } from '../world/world.ts';
import { openSignUpWorld, type SignUpWorld, textOf } from './support/sign-up.ts';

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

test('an email of a kind that a newer version asked for is left to that', async () => {
  const { world } = open;
  await put(world, 'of_tomorrow', 'tomorrow@signs.example');
  await open.askFor('today@signs.example');
  assert.deepEqual(await attemptsAt(world, 'tomorrow@signs.example'), [0]);
});

test('who has made the account by an earlier link is sent no second one, which would open nothing', async () => {
  const { world } = open;
  const email = 'quick@signs.example';
  await open.join(email);
  await put(world, 'sign_up', email);
  const [, told] = await open.mailsTo(email, 2);
  assert.match(textOf(told), /^Subject: You have an account already$/m);
  assert.doesNotMatch(textOf(told), /\/open#/);
});

test('a process without mail leaves emails to one that has it', async () => {
  await using smtp = await startSmtpServer();
  await using world = await openWorld();
  await put(world, 'sign_up', 'wait@signs.example');
  const mail = { url: `${smtp.url}?ignoreTLS=true`, from: 'darkroom@example.com' };
  await using _ = await startApp({ ...world.config, mail }, { clock: world.clock, log: silentLog });
  assert.deepEqual((await smtp.got(1))[0]?.to, ['wait@signs.example']);
});
