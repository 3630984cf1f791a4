import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { deleteOpenPayment, insertPaymentIfNew } from '../../src/accounts/payments/payment-store.ts';
import { insertAcceptances } from '../../src/accounts/sign-up/acceptance-store.ts';
import { startApp } from '../../src/app.ts';
import { insertAuditEntry } from '../../src/base/audit/audit-store.ts';
import { newId } from '../../src/base/std/ids.ts';
import { insertShare } from '../../src/jobs/shares/share-store.ts';
import { insertDebt } from '../../src/money/ledger/debt-store.ts';
import { eventually } from '../http/support/requests.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld, type World } from '../world/world.ts';
import { addPerson, Browser, openMember, openOperator, password, tokenOf } from './browser.ts';

const setRole = 'PATCH /api/v1/members/:person_id';
const remove = 'DELETE /api/v1/members/:person_id';
const transfer = 'POST /api/v1/members/:person_id/transfer';
const invite = 'POST /api/v1/invitations';
const debt = { reason: 'a refund', corrects: null, amountMicros: 1n };
const share = { jobIds: [], albumId: null, withPrompts: false, expiresAt: Date.now() + 60_000 };
const viewer = { role: 'viewer' } as const;
const deleteMe = 'POST /panel/session/delete';

async function rolesOf(world: World): Promise<string[]> {
  const rows = await world.app.database.read
    .selectFrom('members')
    .innerJoin('people', 'people.id', 'members.person_id')
    .select(['people.name', 'members.role'])
    .where('account_id', '=', world.accountId)
    .orderBy('people.name')
    .execute();
  return rows.map(({ name, role }) => `${name} ${role}`);
}

suite('owners and their people', () => {
  test('an owner invites, removes and hands over, and the last owner stays', async () => {
    await using world = await openWorld({ worker: false });
    const ada = await openMember(world, { email: 'ada' });
    const { person } = await ada.call('GET /panel/session');
    const { url } = await ada.call(invite, { body: { role: 'viewer', note: 'for Grace' } });
    const newcomer = { token: tokenOf(url), email: 'grace@example.com', name: 'grace', password };
    const grace = new Browser(world);
    const joined = await grace.call('POST /panel/links/open', { body: newcomer });
    assert.deepEqual(await rolesOf(world), ['ada owner', 'grace viewer']);
    assert.equal((await grace.try(invite, { body: {} })).status, 403);

    const renew = 'POST /api/v1/invitations/:invitation_id/renew';
    for (const [role, status] of [
      ['owner', 422],
      ['viewer', 201],
    ] as const) {
      await ada.call(invite, { body: { role, note: 'lost', current_password: password } });
      const { data } = await ada.call('GET /api/v1/invitations');
      const lost = data.find(({ note }) => note === 'lost');
      assert.equal(lost?.role, role);
      const params = { invitation_id: lost?.invitation_id ?? '' };
      assert.equal(
        (await ada.try(renew, { params })).status,
        status,
        'an owner is not made without the password',
      );
      const left = (await ada.call('GET /api/v1/invitations')).data.filter(({ note }) => note === 'lost');
      assert.equal(left.length, 1, 'and the invitation stays');
      const invitation_id = left[0]?.invitation_id ?? '';
      await ada.call('DELETE /api/v1/invitations/:invitation_id', { params: { invitation_id } });
    }

    const ofAda = { params: { person_id: person.person_id } };
    const ofGrace = { params: { person_id: joined.person.person_id } };
    assert.match((await ada.try(remove, ofAda)).text, /last owner/);
    const own = { current_password: password };
    assert.match((await ada.try(transfer, { ...ofAda, body: own })).text, /to another member/);
    for (const [body, detail] of [
      [{}, 'is required.'],
      [{ current_password: 'not this one' }, 'is not right.'],
    ] as const) {
      const refused = await ada.try(transfer, { ...ofGrace, body });
      assert.equal(refused.status, 401);
      assert.deepEqual(refused.body.errors, [{ pointer: '/current_password', detail }]);
    }
    await ada.call(transfer, { ...ofGrace, body: own });
    assert.deepEqual(await rolesOf(world), ['ada developer', 'grace owner']);
    assert.equal((await ada.try(remove, ofGrace)).status, 403);
    await grace.call(remove, ofAda);
    assert.deepEqual(await rolesOf(world), ['grace owner']);
    assert.equal((await ada.try('GET /api/v1/members')).status, 404);
    // An operator may demote the last owner of an account, and leave it without members.
    const operator = await openOperator(world);
    assert.match((await operator.try(transfer, { ...ofGrace, body: {} })).text, /An owner hands/);
    await operator.call(setRole, { ...ofGrace, body: { role: 'viewer' } });
    assert.deepEqual(await rolesOf(world), ['grace viewer']);
    await operator.call(remove, ofGrace);
    assert.deepEqual(await rolesOf(world), []);
  });

  test('an owner makes another owner only with their password, and an operator without one', async () => {
    await using world = await openWorld({ worker: false });
    const ada = await openMember(world, { email: 'ada' });
    const personId = await addPerson(world, { email: 'grace', accountId: world.accountId, role: 'viewer' });
    const params = { person_id: personId };
    for (const wrong of [{}, { current_password: 'not this one' }]) {
      const refusals = [
        await ada.try(setRole, { params, body: { role: 'owner', ...wrong } }),
        await ada.try(invite, { body: { role: 'owner', ...wrong } }),
        await ada.try(invite, { body: wrong }),
      ];
      for (const { status, text } of refusals) {
        assert.equal(status, 401);
        assert.match(text, /"pointer":"\/current_password"/);
      }
    }
    assert.deepEqual(await rolesOf(world), ['ada owner', 'grace viewer']);
    assert.deepEqual((await ada.call('GET /api/v1/invitations')).data, []);
    await ada.call(setRole, { params, body: { role: 'developer' } });
    await ada.call(setRole, { params, body: { role: 'owner', current_password: password } });
    assert.deepEqual(await rolesOf(world), ['ada owner', 'grace owner']);
    const operator = await openOperator(world);
    for (const role of ['viewer', 'owner'] as const) await operator.call(setRole, { params, body: { role } });
    assert.deepEqual(await rolesOf(world), ['ada owner', 'grace owner']);
  });

  test('an owner’s invitations open nothing once that person is no longer an owner', async () => {
    await using world = await openWorld({ worker: false });
    const ada = await openMember(world, { email: 'ada' });
    const eve = await openMember(world, { email: 'eve' });
    const { person } = await eve.call('GET /panel/session');
    const { url } = await eve.call(invite, { body: { role: 'owner', current_password: password } });
    const look = () => new Browser(world).try('POST /panel/links/look', { body: { token: tokenOf(url) } });
    assert.equal((await look()).status, 200);
    await ada.call(setRole, { params: { person_id: person.person_id }, body: { role: 'developer' } });
    assert.equal((await look()).status, 403);
    for (let nth = 0; nth < 95; nth += 1) await ada.call(invite, { body: viewer });
    const last = await Promise.all(Array.from({ length: 15 }, () => ada.try(invite, { body: viewer })));
    assert.equal(last.filter(({ status }) => status === 201).length, 5);
    assert.match((await ada.try(invite, { body: viewer })).text, /100 open invitations/);
  });

  test('if owners remove and replace each other on two processes, one stays', async () => {
    await using world = await openWorld({ worker: false });
    await using second = await startApp(world.config, { clock: world.clock, log: silentLog });
    for (let round = 0; round < 10; round += 1) {
      const names = [`ada ${round}`, `eve ${round}`];
      const [one, other] = await Promise.all(names.map((email) => openMember(world, { email })));
      assert.ok(one && other);
      const there = new Browser(world, second.url ?? '');
      for (const [name, value] of other.cookies) there.cookies.set(name, value);
      const [ofOne, ofOther] = await Promise.all(
        [one, other].map(async (browser) => (await browser.call('GET /panel/session')).person.person_id),
      );
      const asked = [
        one.try(remove, { params: { person_id: ofOther ?? '' } }),
        round % 2 === 0
          ? there.try(remove, { params: { person_id: ofOne ?? '' } })
          : there.try(setRole, { params: { person_id: ofOne ?? '' }, body: { role: 'viewer' } }),
      ];
      await Promise.all(asked);
      const owners = (await rolesOf(world)).filter((one) => one.endsWith(' owner'));
      assert.equal(owners.length, 1, `round ${round}`);
      await world.app.database.transaction((tx) => tx.deleteFrom('members').execute());
    }
  });

  test('if an operator deletes an owner who is removing the other owner, one of them stays', async () => {
    await using world = await openWorld({ worker: false });
    const operator = await openOperator(world);
    await using second = await startApp(world.config, { clock: world.clock, log: silentLog });
    const there = new Browser(world, second.url ?? '');
    for (const [name, value] of operator.cookies) there.cookies.set(name, value);
    for (let round = 0; round < 10; round += 1) {
      const ada = await openMember(world, { email: `ada ${round}` });
      const eve = await addPerson(world, { email: `eve ${round}`, accountId: world.accountId });
      const { person } = await ada.call('GET /panel/session');
      const answers = await Promise.all([
        there.try('DELETE /admin/v1/people/:person', { params: { person: person.person_id } }),
        ada.try(remove, { params: { person_id: eve } }),
      ]);
      const said = answers.map(({ status }) => status).join();
      const owners = (await rolesOf(world)).filter((one) => one.endsWith(' owner'));
      assert.ok(owners.length > 0, `round ${round}: ${said}`);
      await world.app.database.transaction((tx) => tx.deleteFrom('members').execute());
    }
  });
});

suite('the data about a person', () => {
  test('can be downloaded by that person, and names nobody else', async () => {
    await using world = await openWorld({ worker: false });
    const eve = await addPerson(world, { email: 'eve@example.com', accountId: world.accountId });
    const ada = await openMember(world, { email: 'ada@example.com' });
    await ada.call(invite, { body: viewer });
    const key = await ada.call('POST /api/v1/keys', { body: { name: 'a program', models: null } });
    const terms = { document: 'terms' as const, url: 'https://example.com/terms' };
    const { database } = world.app;
    const { person } = await ada.call('GET /panel/session');
    for (const version of ['1', '2'])
      await database.transaction((tx) => insertAcceptances(tx, person.person_id, [{ ...terms, version }]));
    // By another person who had the same name, by this person under a former name, and by two links that have only
    // a name.
    const makers = [
      { personId: eve, name: person.name },
      { personId: person.person_id, name: 'Ada' },
      ...[person.name, 'eve@example.com'].map((name) => ({ personId: null, name })),
    ];
    for (const [nth, by] of makers.entries())
      await database.transaction((tx) =>
        insertShare(tx, { ...share, accountId: world.accountId, token: `token ${nth}` }, by),
      );
    const data = await ada.call('GET /panel/session/data');
    assert.equal(data.person.email, 'ada@example.com');
    assert.deepEqual(
      [data.sign_ins.map(({ by }) => by), data.sessions.map(({ via }) => via)],
      [['credential'], ['password']],
    );
    assert.deepEqual(
      data.accounts.map(({ account_id, role }) => [account_id, role]),
      [[world.accountId, 'owner']],
    );
    assert.deepEqual(
      data.audit_log.map(({ action }) => action),
      ['key.created', 'member.invited', 'person.signed_in'],
    );
    assert.deepEqual(
      data.accepted.map(({ document, version, accepted_at }) => [document, version, typeof accepted_at]),
      [
        ['terms', '1', 'string'],
        ['terms', '2', 'string'],
      ],
    );
    assert.deepEqual(
      data.keys.map(({ key_id, name, disabled_at }) => [key_id, name, disabled_at]),
      [[key.key_id, 'a program', null]],
    );
    assert.deepEqual(
      data.shares.map(({ account_id, revoked_at }) => [account_id, revoked_at]),
      [
        [world.accountId, null],
        [world.accountId, null],
      ],
    );
    const entry = { action: 'person.signed_in' as const, accountId: null, subject: null, detail: {} };
    const actor = { personId: person.person_id, name: 'Ada' };
    await database.transaction(async (tx) => {
      for (let nth = 0; nth < 1_000; nth += 1) await insertAuditEntry(tx, actor, entry);
    });
    assert.equal((await ada.call('GET /panel/session/data')).audit_log.length, 1_000);
    const text = JSON.stringify(data);
    assert.doesNotMatch(text, /eve@|token|scrypt|hash/);
  });

  test('is deleted on request, but not while others or money depend on the person', async () => {
    await using world = await openWorld({ worker: false });
    const { accountId: empty } = await world.account('empty', { creditMicros: 0n });
    const ada = await openMember(world, { email: 'ada@example.com', accountId: empty });
    const { person } = await ada.call('GET /panel/session');
    const other = { accountId: world.accountId, personId: person.person_id };
    const join = (role: 'owner' | 'viewer') =>
      world.app.database.transaction(async (tx) => {
        await tx.deleteFrom('members').where('account_id', '=', world.accountId).execute();
        await tx
          .insertInto('members')
          .values({ account_id: other.accountId, person_id: other.personId, created_at: 0, role })
          .execute();
      });
    await join('owner');
    const me = { body: { current_password: password } };
    assert.equal((await ada.try(deleteMe, { body: {} })).status, 401);
    assert.equal((await ada.try(deleteMe, { body: { current_password: 'wrong password' } })).status, 401);
    const refused = await ada.try(deleteMe, me);
    assert.match(refused.text, /"\/give_up_balance","detail":"[\d.]+ USD of \\"\w+\\" would be lost\./);
    await addPerson(world, { email: 'grace', accountId: world.accountId, role: 'viewer' });
    assert.match((await ada.try(deleteMe, me)).text, /make one of them the owner/);
    const { database } = world.app;
    const given = { body: { ...me.body, give_up_balance: true } };
    assert.match((await ada.try(deleteMe, given)).text, /make one of them the owner/);
    await join('owner');
    const begin = { id: newId(Date.now()), accountId: world.accountId, provider: 'stripe', amountMicros: 1n };
    await database.transaction((tx) => insertPaymentIfNew(tx, begin));
    assert.match((await ada.try(deleteMe, given)).text, /a payment is open/);
    await database.transaction((tx) => deleteOpenPayment(tx, begin.id));
    await database.transaction((tx) => insertDebt(tx, { ...debt, accountId: world.accountId }));
    assert.match((await ada.try(deleteMe, given)).text, /which owes/);
    await join('viewer');
    await ada.call(deleteMe, me);
    assert.equal((await ada.try('GET /panel/session')).status, 401);
    const people = await database.read.selectFrom('people').select('name').execute();
    assert.deepEqual(
      people.map(({ name }) => name).filter((name) => name !== 'Operator'),
      ['grace'],
    );
    const accounts = database.read.selectFrom('accounts').selectAll().where('id', '=', empty);
    const begun = await accounts.executeTakeFirstOrThrow();
    assert.notEqual(begun.erased_at, null);
    assert.equal(begun.name, 'empty', 'the rest is for maintenance');
    await using _ = await startApp({ ...world.config, role: 'all' }, { clock: world.clock, log: silentLog });
    await eventually(
      () => accounts.executeTakeFirstOrThrow(),
      ({ name }) => name === `erased ${empty}`,
    );
    const log = await database.read.selectFrom('audit_log').selectAll().execute();
    assert.doesNotMatch(JSON.stringify(log), /"ada|ada@/); // an id may contain ada
  });

  test('is deleted with the balance that the person gives up, for which there is an entry with its reason', async () => {
    await using world = await openWorld({ worker: false });
    const ada = await openMember(world, { email: 'ada@example.com' });
    const { read } = world.app.database;
    const account = read.selectFrom('accounts').selectAll().where('id', '=', world.accountId);
    const { balance_micros: balance } = await account.executeTakeFirstOrThrow();
    await ada.call(deleteMe, { body: { current_password: password, give_up_balance: true } });
    const after = await account.executeTakeFirstOrThrow();
    assert.deepEqual([after.balance_micros, after.erased_at !== null], [0n, true]);
    const debits = await read
      .selectFrom('entries')
      .select(['amount_micros', 'reason'])
      .where('kind', '=', 'debit')
      .execute();
    assert.deepEqual(
      debits.map(({ amount_micros: amount, reason }) => [amount, reason]),
      [[balance, 'Given up by its last owner']],
    );
  });

  test('stays for operators, until another operator has removed that role', async () => {
    await using world = await openWorld({ worker: false });
    const grace = await openMember(world, { email: 'grace@example.com', accountId: null });
    const refused = await grace.try(deleteMe, { body: { current_password: password } });
    assert.match(refused.text, /is an operator/);
  });
});
