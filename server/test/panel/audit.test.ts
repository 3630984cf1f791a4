import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Config } from '../../src/config/config.ts';
import { adminSender, makeAdminKey } from '../admin/admin-client.ts';
import { openOperator as openOperations } from '../world/commands.ts';
import { openWorld } from '../world/world.ts';
import { Browser, openMember, openOperator, password } from './browser.ts';
import { addAuthenticator } from './support/authenticator.ts';
import { email } from './support/member.ts';

const hook = 'https://example.com/hook';

suite('the audit log', () => {
  test('records sign-ins and sign-outs with their means and address, and failures, which cannot fill it', async () => {
    await using world = await openWorld({ worker: false });
    const operator = await openOperator(world);
    const member = await openMember(world, { email });
    const { code, backupCodes } = await addAuthenticator(member);
    await member.call('POST /panel/sign-out');
    for (const second of ['no code', code(), backupCodes[0]]) {
      await member.call('POST /panel/sign-in', { body: { email, password } });
      await member.try('POST /panel/sign-in/code', { body: { code: second } });
    }
    for (let index = 0; index < 15; index++) {
      const body = { email, password: `a guess ${index}` };
      await new Browser(world).try('POST /panel/sign-in', { body });
      await new Browser(world).try('POST /panel/sign-in', {
        body: { email: 'nobody@example.com', password },
      });
    }
    const { data } = await operator.call('GET /admin/v1/audit', { query: { limit: '100' } });
    assert.deepEqual(data.map((entry) => [entry.action, entry.person?.name, entry.detail]).reverse(), [
      ['link.opened', 'Operator', { with: 'one-time link' }],
      ['person.signed_in', email, { with: 'password' }],
      ['authenticator.added', email, {}],
      ['person.signed_out', email, {}],
      ['code.refused', email, { in_a_row: 1 }],
      ['person.signed_in', email, { with: 'password and authenticator' }],
      ['person.signed_in', email, { with: 'password and backup code' }],
      ['sign_in.limited', email, {}],
    ]);
    assert.deepEqual(new Set(data.map(({ address }) => address)), new Set(['127.0.0.1']));
  });

  test('records the command line’s changes too, with the command line as actor', async () => {
    await using world = await openWorld({ worker: false });
    const browser = await openOperator(world);
    const { database } = world.app;
    await using operator = await openOperations(environmentOf(world.config));
    const before = (await browser.call('GET /admin/v1/audit', { query: { limit: '100' } })).data.length;

    const { account_id: account } = await operator.createAccount({ name: 'shop', credit: '5' });
    await operator.creditAccount('shop', { amount: '1', reason: 'invoice 7' });
    const { key_id } = await operator.createKey(account, { name: 'ci' });
    await operator.disableKey(key_id);
    await operator.disableKey(key_id);
    await operator.replaceEndpoint(account, 'default', { url: hook });
    await operator.revealEndpointSecret(account, 'default');
    await operator.rotateEndpointSecret(account, 'default', { leaked: true });
    await operator.replayDeliveries(account);
    await operator.pause('nb2', { reason: 'upgrade' });
    await operator.resume('nb2');
    await operator.resume('nb2');
    await operator.panelLink();
    await assert.rejects(operator.createAccount({ name: 'shop' }), /already/);

    const { data } = await browser.call('GET /admin/v1/audit', { query: { limit: '100' } });
    const made = data.slice(0, data.length - before).reverse();
    assert.deepEqual(
      made.map(({ action, account: of }) => [action, of?.name]),
      [
        ['account.created', 'shop'],
        ['account.credited', 'shop'],
        ['key.created', 'shop'],
        ['key.disabled', 'shop'],
        ['webhook.added', 'shop'],
        ['webhook.secret_revealed', 'shop'],
        ['webhook.secret_rotated', 'shop'],
        ['pause.started', undefined],
        ['pause.ended', undefined],
        ['link.made', undefined],
      ],
    );
    assert.ok(made.every(({ person, actor_kind: kind }) => person === null && kind === 'command_line'));
    await assertFilters(browser, account);
    const sums = { balance_before: '5.00', balance_after: '6.00' };
    assert.deepEqual(made[1]?.detail, { amount: '1.00', reason: 'invoice 7', ...sums });
    assert.deepEqual([made[3]?.subject, made[7]?.subject], [key_id, 'nb2']);
    const { person_name } = await database.read
      .selectFrom('audit_log')
      .select('person_name')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow();
    assert.equal(person_name, 'the command line');
  });

  test('names the kind of actor by a value, even in entries that have only a name', async () => {
    await using world = await openWorld({ worker: false });
    const operator = await openOperator(world);
    const admin = adminSender(world, (await makeAdminKey(world, 'the shop', ['accounts'])).key);
    assert.equal((await admin('POST', '/accounts', { name: 'acme' })).status, 201);
    assert.equal((await world.send('PUT', '/webhooks/default', { body: { url: hook } })).status, 200);
    const list = async () => (await operator.call('GET /admin/v1/audit', { query: { limit: '4' } })).data;
    const noted = await list();
    assert.deepEqual(
      noted.map(({ action, actor_kind: kind, actor_name: name }) => [action, kind, name]),
      [
        ['webhook.added', 'key', noted[0]?.by.replace('the key ', '')],
        ['account.created', 'admin_key', 'the shop'],
        ['admin_key.created', 'command_line', null],
        ['link.opened', 'person', 'Operator'],
      ],
    );
    await world.app.database.transaction((tx) =>
      tx.updateTable('audit_log').set({ actor_kind: null }).execute(),
    );
    assert.deepEqual(await list(), noted);
  });

  test('names the authors of settings by the same values, whether they are kept by id or by name', async () => {
    await using world = await openWorld({ worker: false });
    await using operator = await openOperations(environmentOf(world.config));
    const person = await openOperator(world);
    const admin = adminSender(
      world,
      (await makeAdminKey(world, 'the shop', ['money', 'models', 'system'])).key,
    );
    const send = async (method: string, path: string, body: object) => {
      const reply = await admin(method, path, body);
      assert.ok(reply.status < 300, JSON.stringify(reply.body));
    };
    const home = { provider: 'comfyui', base_url: 'http://127.0.0.1:8188' };
    await operator.addConnection('of-the-machine', home);
    await send('PUT', '/connections/of-a-key', home);
    await person.call('PUT /admin/v1/connections/:name', { params: { name: 'of-a-person' }, body: home });
    const { data: connections } = await person.call('GET /admin/v1/connections');
    const [ofKey, ofPerson, ofMachine] = [
      { kind: 'admin_key', name: 'the shop' },
      { kind: 'person', name: 'Operator' },
      { kind: 'command_line', name: null },
    ];
    assert.deepEqual(
      connections.map(({ author }) => author),
      [ofKey, ofPerson, ofMachine],
    );

    const rate = { provider: 'bfl', model: 'flux-2-pro', rates: { credit: '0.01' } };
    await send('PATCH', '/rates', rate);
    const { data: rates } = await person.call('GET /admin/v1/rates');
    assert.deepEqual(
      rates.flatMap(({ author }) => author ?? []),
      [ofKey],
    );
    await send('PUT', '/price-groups/resellers', { factor: '0.8' });
    const { data: groups } = await person.call('GET /admin/v1/price-groups');
    assert.deepEqual(
      groups.map(({ author }) => author),
      [ofKey],
    );
    assert.deepEqual((await person.call('PUT /admin/v1/brand', { body: { name: 'Acme' } })).author, ofPerson);
    await operator.removeBrand();
    assert.equal((await person.call('GET /admin/v1/brand')).author, null);
  });
});

function environmentOf({ databaseUrl, dataDir }: Config) {
  return { DARKROOM_DATA_DIR: dataDir, ...(databaseUrl !== null && { DATABASE_URL: databaseUrl }) };
}

async function assertFilters(browser: Browser, account_id: string): Promise<void> {
  const list = async (query: Record<string, string>) =>
    (await browser.call('GET /admin/v1/audit', { query })).data;
  const ofAccount = await list({ account: account_id });
  const [newest] = ofAccount;
  assert.ok(newest && ofAccount.length > 1);
  const { people, actions } = await browser.call('GET /admin/v1/audit/choices');
  assert.ok(people.length > 0 && actions.includes('key.created'));
  const [person] = people;
  const theirs = await list({ person_id: person?.person_id ?? '', address: '127.' });
  assert.ok(theirs.length > 0 && theirs.every(({ address }) => address === '127.0.0.1'));
  assert.deepEqual(await list({ address: '10.' }), []);
  assert.deepEqual(await list({ account: account_id, to: '2020-01-01T00:00:00Z' }), []);
  assert.deepEqual(await list({ account: account_id, from: '2020-01-01T00:00:00Z' }), ofAccount);
  for (const call of ['GET /admin/v1/audit', 'GET /admin/v1/audit.csv', 'GET /admin/v1/audit.jsonl'] as const)
    assert.equal((await browser.try(call, { query: { from: 'then' } })).status, 422, call);

  const lines = await browser.call('GET /admin/v1/audit.jsonl', { query: { account: account_id } });
  const rows = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(rows, ofAccount);
  const table = await browser.call('GET /admin/v1/audit.csv', { query: { action: 'key.created' } });
  const [header, first] = table.split('\r\n');
  assert.match(header ?? '', /^audit_id,at,who,/);
  assert.match(first ?? '', /key\.created/);
}
