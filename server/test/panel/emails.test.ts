import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { claimEmail, findPeopleByEmail } from '../../src/accounts/people/email-store.ts';
import { insertPerson } from '../../src/accounts/people/people-store.ts';
import { newId } from '../../src/base/std/ids.ts';
import { openOperator as openCommands } from '../world/commands.ts';
import { holdTransaction, somebodyWaits } from '../world/hold-transaction.ts';
import { openWorld } from '../world/world.ts';
import { Browser, openMember, openOperator, password, tokenOf } from './browser.ts';

const world = await openWorld({ worker: false });
after(() => world[Symbol.asyncDispose]());
const operator = await openOperator(world);
const credentials = 'POST /panel/session/credentials';
const confirm = 'POST /panel/operator/people/:person_id/confirm-email';

async function join(name: string, email: string, own: string) {
  const { url } = await operator.call('POST /api/v1/invitations', { body: {} });
  const browser = new Browser(world);
  const reply = await browser.try('POST /panel/links/open', {
    body: { token: tokenOf(url), email, password: own, name },
  });
  return { browser, reply };
}

async function signIn(email: string, own: string) {
  const { status, body } = await new Browser(world).try('POST /panel/sign-in', {
    body: { email, password: own },
  });
  const { session } = body as { session?: { person: { name: string } } };
  return [status, session?.person.name];
}

test('an email that somebody took without confirming it does not block others, and reveals nothing', async () => {
  const email = 'ada@corp.example.com';
  const mallory = await openMember(world, { email: 'mallory@example.com' });
  const took = await mallory.try(credentials, { body: { email, current_password: password } });
  assert.equal(took.status, 200, took.text);

  const ada = await join('Ada', email, 'seven lanterns hum quietly');
  assert.equal(ada.reply.status, 200, ada.reply.text);
  const eve = await join('Eve', email, 'a kettle beside the harbour');
  assert.equal(eve.reply.status, 200, eve.reply.text);
  const other = await openMember(world, { email: 'other@example.com' });
  const told = await other.try(credentials, { body: { email, current_password: password } });
  const free = await other.try(credentials, {
    body: { email: 'nobody.has.it@example.com', current_password: password },
  });
  assert.deepEqual([told.status, free.status], [200, 200]);
  assert.deepEqual(shapeOf(told.body), shapeOf(free.body), 'a free email and another look the same');

  // Each person signs in by their own password.
  assert.deepEqual(await signIn(email, 'seven lanterns hum quietly'), [200, 'Ada']);
  assert.deepEqual(await signIn(email, 'a kettle beside the harbour'), [200, 'Eve']);
  assert.deepEqual((await signIn(email, password))[0], 200);
  assert.deepEqual((await signIn(email, 'nobody has this one at all'))[0], 401);

  const idOf = async (browser: Browser) => (await browser.call('GET /panel/session')).person.person_id;
  await using commands = await openCommands({
    DARKROOM_DATA_DIR: world.config.dataDir,
    ...(world.config.databaseUrl && { DATABASE_URL: world.config.databaseUrl }),
  });
  await assert.rejects(commands.panelLink({ email }), /Several people claim/);
  const confirmed = await operator.call(confirm, {
    params: { person_id: await idOf(ada.browser) },
    body: { email },
  });
  assert.deepEqual([confirmed.email, confirmed.email_confirmed], [email, true]);
  assert.ok((await commands.panelLink({ email })).url);
  const second = await operator.try(confirm, {
    params: { person_id: await idOf(mallory) },
    body: { email },
  });
  assert.deepEqual([second.status, second.body.code], [422, 'invalid_request']);
  const { person } = await mallory.call('GET /panel/session');
  assert.deepEqual([person.email, person.email_confirmed], [email, false]);
  assert.deepEqual((await signIn(email, 'seven lanterns hum quietly'))[0], 200);
  assert.deepEqual((await signIn(email, password))[0], 200);

  // Single sign-on finds the person who has confirmed the address.
  const rows = await world.app.database.read
    .selectFrom('people')
    .select(['id', 'email_verified'])
    .where('email', '=', email)
    .execute();
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [{ id: await idOf(ada.browser), email_verified: 1 }],
  );
});

test('only operators can tell a confirmed email from a free one', async () => {
  const email = 'grace@corp.example.com';
  const grace = (await (await openMember(world, { email })).call('GET /panel/session')).person;
  await operator.call(confirm, { params: { person_id: grace.person_id }, body: { email } });
  const guest = await join('Somebody', email, 'otters juggle eleven pebbles');
  assert.equal(guest.reply.status, 200, guest.reply.text);
  const mine = await operator.try(credentials, { body: { email } });
  assert.equal(mine.status, 422, mine.text);
  await guest.browser.call(credentials, {
    body: { email: 'guest@example.com', current_password: 'otters juggle eleven pebbles' },
  });
  assert.deepEqual((await signIn('guest@example.com', 'otters juggle eleven pebbles'))[0], 200);
  assert.deepEqual((await signIn(email, 'otters juggle eleven pebbles'))[0], 401);
  assert.deepEqual((await signIn(email, password))[0], 200);
});

test('of people who enter the same free email at the same time, one has it and the others claim it', async () => {
  const email = 'free@corp.example.com';
  const names = ['one', 'two', 'three', 'four', 'five', 'six'];
  const people = await Promise.all(
    names.map((name) => openMember(world, { email: `${name}@free.example.com` })),
  );
  const replies = await Promise.all(
    people.map((person) => person.try(credentials, { body: { email, current_password: password } })),
  );
  for (const { status, text } of replies) assert.equal(status, 200, text);
  const ids = await Promise.all(
    people.map(async (person) => (await person.call('GET /panel/session')).person.person_id),
  );
  const confirmed = await Promise.all(
    ids.map((id) => operator.try(confirm, { params: { person_id: id }, body: { email } })),
  );
  assert.deepEqual(confirmed.map(({ status }) => status).sort(), [200, 422, 422, 422, 422, 422]);
});

test('a person who enters an email while a newcomer joins with it claims it', async () => {
  const { person } = await (await openMember(world, { email: 'late@example.com' })).call(
    'GET /panel/session',
  );
  const { database } = world.app;
  for (let round = 0; round < 10; round++) {
    const email = `joins${round}@corp.example.com`;
    const at = world.clock.nowMs();
    const newcomer = { id: newId(at), name: 'Newcomer', email, at };
    await Promise.all([
      database.transaction((tx) => insertPerson(tx, newcomer)),
      database.transaction((tx) => claimEmail(tx, person.person_id, email)),
    ]);
    assert.equal((await findPeopleByEmail(database.read, email)).length, 2);
  }
});

test('an operator who confirms an email while its person enters another confirms neither', async () => {
  const email = 'before@corp.example.com';
  const { person } = await (await openMember(world, { email })).call('GET /panel/session');
  const next = 'afterwards@corp.example.com';
  const entering = holdTransaction(world, (tx) => claimEmail(tx, person.person_id, next));
  await entering.begun;
  const confirming = operator.try(confirm, { params: { person_id: person.person_id }, body: { email } });
  if (world.app.database.kind === 'postgres') await somebodyWaits(world);
  await entering.end();
  assert.equal((await confirming).status, 422);
  const found = await findPeopleByEmail(world.app.database.read, next);
  assert.deepEqual(
    found.map(({ id, emailConfirmed }) => [id, emailConfirmed]),
    [[person.person_id, false]],
  );
});

function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shapeOf(one)]));
}
