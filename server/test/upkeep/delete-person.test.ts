import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { putErased } from '../../src/accounts/account-store.ts';
import { insertMember } from '../../src/accounts/people/people-store.ts';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { insertShare } from '../../src/jobs/shares/share-store.ts';
import { deletePerson } from '../../src/jobs/upkeep/people/delete-person.ts';
import { adminSender, makeAdminKey } from '../admin/admin-client.ts';
import { assertProblem } from '../http/support/refusal.ts';
import { addPerson, Browser, openMember, openOperator, password } from '../panel/browser.ts';
import { addAuthenticator } from '../panel/support/authenticator.ts';
import { openWorld, type World } from '../world/world.ts';

let world: World;
let operator: Browser;
before(async () => {
  world = await openWorld({ worker: false });
  operator = await openOperator(world);
  await addPerson(world, { email: 'owner@example.com', accountId: world.accountId });
});
after(() => world[Symbol.asyncDispose]());

const confirm = 'POST /panel/operator/people/:person_id/confirm-email';

/**
 * A person with an authenticator, a session, a link that was created for them, and audit log entries by and about them.
 */
async function live(name: string) {
  const email = `${name}@nowhere.example`;
  const browser = await openMember(world, { email });
  const { person } = await browser.call('GET /panel/session');
  const params = { person_id: person.person_id };
  await addAuthenticator(browser);
  await browser.call('POST /api/v1/keys', { body: { name: `key for ${name}`, models: null } });
  await operator.call(confirm, { params, body: { email } });
  await operator.call('POST /panel/operator/people/:person_id/link', { params });
  return { email, personId: person.person_id, browser, params };
}

async function everything(): Promise<string> {
  const { read } = world.app.database;
  const tables = [
    'people',
    'sessions',
    'sign_ins',
    'authenticators',
    'members',
    'panel_links',
    'audit_log',
  ] as const;
  const more = ['shares', 'sign_in_limits', 'verifications'] as const;
  const rows = await Promise.all(
    [...tables, ...more].map((table) => read.selectFrom(table).selectAll().execute()),
  );
  return JSON.stringify(rows);
}

async function auditDetails(): Promise<string> {
  const rows = await world.app.database.read.selectFrom('audit_log').select('detail').execute();
  return rows.map(({ detail }) => detail).join();
}

async function assertGone({ email, personId, browser }: Awaited<ReturnType<typeof live>>) {
  assert.ok(!(await everything()).includes(email), 'the email is still somewhere');
  const { rows } = await sql<{ person_name: string; address: string | null; detail: string }>`
    select person_name, address, detail from audit_log where person_id = ${personId}`.execute(
    world.app.database.read,
  );
  assert.ok(rows.length > 0, 'what was done stays');
  assert.deepEqual(
    new Set(rows.map(({ person_name: name, address }) => `${name} ${address}`)),
    new Set(['erased null']),
  );
  assert.equal((await browser.try('GET /panel/session')).status, 401);
  const again = await new Browser(world).send('POST', '/panel/sign-in', { body: { email, password } });
  assert.notEqual(again.status, 200);
}

test('the panel, the admin API and the command line delete a person with all their data', async () => {
  const joan = await live('joan');
  const ofJoan = () =>
    world.app.database.read
      .selectFrom('audit_log')
      .select(['person_name', 'address', 'detail'])
      .where((or) => or.or({ person_id: joan.personId, subject: joan.personId }))
      .orderBy('id')
      .execute();
  const before = await ofJoan();
  assert.ok(before.some(({ detail }) => detail.includes(joan.email)));
  const ada = await live('ada');
  const grace = await live('grace');
  assert.ok((await everything()).includes(ada.email));
  await operator.call('DELETE /admin/v1/people/:person', { params: { person: ada.personId } });
  await assertGone(ada);
  const left = await auditDetails();
  for (const stays of ['key for ada', grace.email])
    assert.ok(left.includes(stays), `${stays} is gone from the audit log`);
  const send = adminSender(world, (await makeAdminKey(world, 'people', ['accounts'])).key);
  assert.equal((await send('DELETE', `/people/${encodeURIComponent(grace.email)}`)).status, 204);
  await assertGone(grace);
  const alan = await live('alan');
  await deletePerson(world.app, { person: alan.personId }, commandLine);
  await assertGone(alan);
  assert.deepEqual(await ofJoan(), before, 'what others did stays as it was');
  assertProblem(await send('DELETE', `/people/${alan.personId}`), 404, 'not_found');
});

test('older links, which have only their maker’s name, are erased in the person’s accounts, but not those of others', async () => {
  const { person } = await (await openMember(world, { email: 'mary@nowhere.example' })).call(
    'GET /panel/session',
  );
  const { accountId: elsewhere } = await world.account('elsewhere');
  const links = [
    { token: 'theirs', accountId: world.accountId, name: person.name },
    { token: 'a colleague’s', accountId: world.accountId, name: 'Somebody' },
    { token: 'a namesake’s', accountId: elsewhere, name: person.name },
  ];
  const rest = { jobIds: [], albumId: null, withPrompts: false, expiresAt: Date.now() };
  await world.app.database.transaction(async (tx) => {
    for (const { name, ...link } of links)
      await insertShare(tx, { ...link, ...rest }, { personId: null, name });
  });
  await deletePerson(world.app, { person: person.person_id }, commandLine);
  const rows = await world.app.database.read.selectFrom('shares').select(['token', 'made_by']).execute();
  const madeBy = new Map(rows.map(({ token, made_by }) => [token, made_by]));
  assert.deepEqual(
    links.map(({ token }) => madeBy.get(token)),
    ['erased', 'Somebody', person.name],
  );
});

test('an operator and an account’s only owner cannot be deleted until somebody else has the role', async () => {
  const send = adminSender(world, (await makeAdminKey(world, 'protected', ['accounts'])).key);
  const support = await addPerson(world, { email: 'support@example.com', accountId: null, role: 'support' });
  const refused = await send('DELETE', `/people/${support}`);
  assertProblem(refused, 422, 'invalid_request');
  assert.match(String(refused.body.detail), /is an operator/);

  const { accountId } = await world.account('owned');
  const owner = await addPerson(world, { email: 'only@example.com', accountId });
  const only = await send('DELETE', `/people/${owner}`);
  assertProblem(only, 422, 'invalid_request');
  assert.match(String(only.body.detail), /the only owner of owned/);
  const other = await addPerson(world, { email: 'other@example.com', accountId: world.accountId });
  await world.app.database.transaction((tx) => insertMember(tx, { accountId, personId: other }));
  assert.equal((await send('DELETE', `/people/${owner}`)).status, 204);
});

test('the owner of an account whose erasure was interrupted can be deleted, by others and by themselves', async () => {
  for (const [nth, remove] of [
    ({ person_id: person }: { person_id: string }) => deletePerson(world.app, { person }, commandLine),
    (_: unknown, browser: Browser) =>
      browser.call('POST /panel/session/delete', { body: { current_password: password } }),
  ].entries()) {
    const { accountId } = await world.account(`cut off ${nth}`, { creditMicros: 1n });
    const email = `cut${nth}@nowhere.example`;
    const browser = await openMember(world, { email, accountId });
    await world.app.database.transaction((tx) => putErased(tx, accountId, 'a test'));
    const { person } = await browser.call('GET /panel/session');
    await remove(person, browser);
    assert.ok(!(await everything()).includes(email));
  }
});

test('a person who was removed from all accounts can still be deleted', async () => {
  const { email, personId } = await live('removed');
  await operator.call('DELETE /api/v1/members/:person_id', {
    params: { person_id: personId },
  });
  assert.ok((await everything()).includes(email));
  await deletePerson(world.app, { person: email }, commandLine);
  assert.ok(!(await everything()).includes(email));
});
