import assert from 'node:assert/strict';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { putErased } from '../../src/accounts/account-store.ts';
import { openCardPage } from '../../src/accounts/payments/top-ups/open-card-page.ts';
import { accountRows } from '../../src/web/api/table.ts';
import { adminSender, makeAdminKey } from '../admin/admin-client.ts';
import { assertProblem } from '../http/support/refusal.ts';
import { onePixelPng } from '../inputs/support/images.ts';
import { Browser, openOperator, password, tokenOf } from '../panel/browser.ts';
import { openOperator as openCommandLine } from '../world/commands.ts';
import { holdTransaction, somebodyWaits } from '../world/hold-transaction.ts';
import { openWorld, type World } from '../world/world.ts';

let world: World;
before(async () => {
  world = await openWorld({ worker: false, env: { DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8' } });
});
after(() => world[Symbol.asyncDispose]());

const panel = resolve(import.meta.dirname, '../../src/web/panel');
const sentence = /was erased, for good/;

function commandLine() {
  const { dataDir, databaseUrl } = world.config;
  return openCommandLine({
    DARKROOM_DATA_DIR: dataDir,
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  });
}

async function erased(name: string) {
  const { accountId } = await world.account(name, { creditMicros: 1_000_000n });
  await using operator = await commandLine();
  await operator.eraseAccount(accountId, { name });
  return accountId;
}

/** A body that each call would accept. Ids of things in the account no longer exist. */
const bodies: Record<string, object> = {
  disableAccount: { reason: 'again' },
  changeAccountLimits: { spend_day: '5' },
  changeAccountAlerts: { balance_low: '1' },
  changeRetention: { pictures: 7 },
  changeMemberRole: { role: 'viewer' },
  creditAccount: { amount: '5', reason: 'a gift' },
  debitAccount: { amount: '1', reason: 'a fee' },
  replaceEndpoint: { url: 'http://127.0.0.9/hook' },
  addEndpoint: { url: 'http://127.0.0.9/hook' },
  changeEndpoint: { url: 'http://127.0.0.9/hook' },
  changeAccount: { price_group: null },
  changeKey: { networks: null },
  changeKeyLimits: { spend_day: '5' },
  changeTags: { job_ids: ['any'] },
};

test('no call of the admin API changes anything of an erased account', async () => {
  const { accountId: id, keyId } = await world.account('erased-admin', { creditMicros: 1_000_000n });
  {
    await using operator = await commandLine();
    await operator.eraseAccount(id, { name: 'erased-admin' });
  }
  const send = adminSender(world, (await makeAdminKey(world, 'all', ['accounts', 'money'])).key);
  const { paths } = (await send('GET', '/openapi.json')).body as {
    paths: Record<string, Record<string, { operationId: string; requestBody?: unknown }>>;
  };
  // Calls that stay allowed: reading, and continuing an interrupted erasure.
  const remains = ['exportAccount', 'eraseAccount'];
  const asked = Object.entries(paths).flatMap(([path, calls]) =>
    Object.entries(calls)
      .filter(([method, { operationId }]) => method !== 'get' && !remains.includes(operationId))
      .filter(() => /\{(account|key_id)\}/.test(path))
      .map(([method, { operationId, requestBody }]) => ({ path, method, operationId, requestBody })),
  );
  assert.ok(asked.length > 25);
  for (const { path, method, operationId, requestBody } of asked) {
    const target = path
      .replace('{account}', id)
      .replace('{key_id}', keyId)
      .replace('{delivery_id}', '1')
      .replaceAll(/\{\w+\}/g, keyId);
    const body = requestBody ? (bodies[operationId] ?? {}) : undefined;
    const reply = await send(method.toUpperCase(), target, body);
    assert.match(String(reply.body.detail), sentence, `${operationId}: ${JSON.stringify(reply.body)}`);
    assertProblem(reply, 422, 'invalid_request');
  }
  const { body } = await send('GET', `/accounts/${id}`);
  assert.deepEqual([typeof body.erased_at, body.disabled_reason], ['string', 'erased']);
});

test('nor does the panel', async () => {
  const account_id = await erased('erased-panel');
  const operator = await openOperator(world);
  const contracts = globSync('**/contract.ts', { cwd: panel }).map((file) =>
    readFileSync(join(panel, file), 'utf8'),
  );
  const ofPages = [...contracts.join('').matchAll(/'POST (\/panel\/.*:account_id.*)'/g)];
  const changes = [
    ...ofPages.map(([, path = '']) => ({ method: 'POST', path })),
    ...accountRows({} as Parameters<typeof accountRows>[0]) // no handler runs here
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path }) => ({ method, path: `/api/v1${path}` })),
  ];
  assert.ok(changes.length > 25);
  const headers = operator.asPage(account_id);
  for (const { method, path } of changes) {
    const target = path.replaceAll(/:\w+/g, account_id);
    const { status, text } = await operator.send(method, target, { body: {}, headers });
    assert.match(`${status} ${text}`, /^422 .*was erased, for good/, `${method} ${path}`);
  }
});

test('nor does the command line', async () => {
  const id = await erased('erased-command');
  await using operator = await commandLine();
  for (const ask of [
    () => operator.enableAccount(id),
    () => operator.createKey(id),
    () => operator.creditAccount(id, { amount: '5', reason: 'a gift' }),
    () => operator.inviteMember(id),
    () => operator.changeAccountLimits(id, { spend_day: '5' }),
    () => operator.changeAccountAlerts(id, { balance_low: '1' }),
    () => operator.changeRetention(id, { pictures: 7 }),
    () => operator.debitAccount(id, { amount: '1', reason: 'a fee' }),
    () => operator.revealEndpointSecret(id, 'default'),
    () => operator.replayDeliveries(id),
  ])
    await assert.rejects(ask(), sentence);
});

test('erasing it again reports its new name', async () => {
  const id = await erased('erased-twice');
  await using operator = await commandLine();
  await assert.rejects(
    operator.eraseAccount(id, { name: 'erased-twice' }),
    new RegExp(`has begun, and it is called "erased ${id}" now\\.`),
  );
  const again = await operator.eraseAccount(id, { name: `erased ${id}` });
  assert.deepEqual(again, { account_id: id, jobs: 0, objects: 0 });
  const { accountId } = await world.account('erased-never');
  await assert.rejects(operator.eraseAccount(accountId, { name: 'other' }), /exact name of the account\.$/);
});

test('nor does a request that was admitted before: it gets no job, and the database refuses the rest', async () => {
  const { accountId, key } = await world.account('erased-used', { creditMicros: 1_000_000n });
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  // The request waits for its input while the account is erased.
  const stranger = createServer((_, response) => {
    asked.resolve();
    void held.promise.then(() => response.end(onePixelPng));
  });
  await once(stranger.listen(0, '127.0.0.9'), 'listening');
  const { port } = stranger.address() as AddressInfo; // it listens on a port
  const late = world.send('POST', '/nb/url-generations', {
    body: {
      prompt: 'a late fox',
      aspect_ratio: '1:1',
      input_images_urls: [`http://127.0.0.9:${port}/a.png`],
    },
    headers: { authorization: `Bearer ${key}` },
  });
  await asked.promise;
  {
    await using operator = await commandLine();
    await operator.eraseAccount(accountId, { name: 'erased-used' });
  }
  held.resolve();
  // The account's requests as a client sends them after the erasure.
  assertProblem(await late, 401, 'key_invalid');
  stranger.close();
  for (const change of [
    'disabled_at = null',
    'erased_at = null',
    'balance_micros = balance_micros + 1',
    'reserved_micros = reserved_micros + 1',
  ])
    await assert.rejects(
      world.app.database.transaction((tx) =>
        sql`update accounts set ${sql.raw(change)} where id = ${accountId}`.execute(tx),
      ),
      /an erased account never comes back/,
      change,
    );
});

test('nor does a file of requests that was admitted before', async (t) => {
  const { accountId, key } = await world.account('erased-filing');
  const { images, database } = world.app;
  const stored = Promise.withResolvers<string>();
  const held = Promise.withResolvers<void>();
  const put = images.put.bind(images);
  t.mock.method(images, 'put', async (...file: Parameters<typeof put>) => {
    await put(...file);
    stored.resolve(file[0]);
    await held.promise;
  });
  const body = new FormData();
  body.set('purpose', 'batch');
  body.set('file', new Blob(['{}']), 'late.jsonl');
  const late = fetch(`${world.url}/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body,
  });
  const object = await stored.promise;
  {
    await using operator = await commandLine();
    await operator.eraseAccount(accountId, { name: 'erased-filing' });
  }
  held.resolve();
  const answer = await late;
  assert.equal(answer.status, 401);
  assert.match(await answer.text(), /unknown, disabled or expired/);
  const files = database.read.selectFrom('batch_files').select('id').where('account_id', '=', accountId);
  assert.deepEqual([await files.execute(), await images.get(object)], [[], undefined]);
});

test('nor does an upload that was admitted before', async (t) => {
  const { accountId, key } = await world.account('erased-uploading');
  const { database } = world.app;
  const erase = async () => {
    await using operator = await commandLine();
    await operator.eraseAccount(accountId, { name: 'erased-uploading' });
  };
  let erasing: Promise<void> | undefined;
  const transaction = database.transaction.bind(database);
  t.mock.method(database, 'transaction', async (work: Parameters<typeof transaction>[0]) => {
    erasing ??= erase();
    await erasing;
    return transaction(work);
  });
  const late = await fetch(`${world.url}/api/v1/uploads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'image/png' },
    body: new Uint8Array(onePixelPng),
  });
  assert.equal(late.status, 401);
  assert.match(await late.text(), /unknown, disabled or expired/);
  const uploads = database.read.selectFrom('uploads').select('id').where('account_id', '=', accountId);
  assert.deepEqual(await uploads.execute(), []);
});

const needsPostgres = {
  skip: process.env.TEST_DATABASE_URL === undefined && 'needs PostgreSQL: SQLite has one writer at a time',
};

for (const { name, method, path, body } of [
  { name: 'it put into a price group', method: 'PATCH', path: 'ACCOUNT', body: { price_group: 'late' } },
  {
    name: 'it disabled for another reason',
    method: 'POST',
    path: 'ACCOUNT/disable',
    body: { reason: 'late' },
  },
  { name: 'it enabled', method: 'POST', path: 'ACCOUNT/enable', body: undefined },
  { name: 'anybody invited', method: 'POST', path: 'ACCOUNT/invitations', body: {} },
  { name: 'an invitation renewed', method: 'POST', path: 'ACCOUNT/invitations/ID/renew', body: undefined },
  { name: 'a key made', method: 'POST', path: 'ACCOUNT/keys', body: { name: 'late' } },
  { name: 'a key limited to networks', method: 'PATCH', path: 'KEY', body: { networks: ['203.0.113.7'] } },
])
  test(`nor is ${name} while its erasure begins`, needsPostgres, async () => {
    const { accountId, keyId } = await world.account(`erased, nor ${name}`);
    const { database } = world.app;
    const send = adminSender(world, (await makeAdminKey(world, name, ['accounts', 'money'])).key);
    assert.equal((await send('PUT', '/price-groups/late', { factor: '0.5' })).status, 200);
    assert.equal((await send('POST', `/accounts/${accountId}/invitations`, {})).status, 201);
    const open = await send('GET', `/accounts/${accountId}/invitations`);
    const [invitation] = open.body.data as { invitation_id: string }[];
    const target = path
      .replace('ACCOUNT', `/accounts/${accountId}`)
      .replace('KEY', `/keys/${keyId}`)
      .replace('ID', invitation?.invitation_id ?? '');
    const { begun, end } = holdTransaction(world, (tx) => putErased(tx, accountId, 'a test'));
    await begun;
    const late = send(method, target, body);
    await somebodyWaits(world);
    await end();
    assert.match(String((await late).body.detail), sentence);
    const columns = ['price_group', 'disabled_reason'] as const;
    const account = database.read.selectFrom('accounts').select(columns).where('id', '=', accountId);
    assert.deepEqual(await account.execute(), [{ price_group: null, disabled_reason: 'a test' }]);
    const keys = database.read.selectFrom('api_keys').select(['id', 'networks']);
    assert.deepEqual(await keys.where('account_id', '=', accountId).execute(), [
      { id: keyId, networks: null },
    ]);
  });

test('nor does a page for a card that Stripe opened meanwhile', async () => {
  const { accountId } = await world.account('leaves a card');
  const { database } = world.app;
  const unused = () => assert.fail();
  const cards = {
    ...{ assertAmount: unused, charge: unused, wasCharged: unused, forget: unused },
    async openPage() {
      await using operator = await commandLine();
      await operator.eraseAccount(accountId, { name: 'leaves a card' });
      return { url: 'https://stripe.test', customer: 'cus_leaving' };
    },
  };
  const opened = openCardPage({ database, cards, urls: { publicUrl: 'https://here.test' } }, accountId);
  await assert.rejects(opened, sentence);
  const kept = database.read.selectFrom('top_ups').select('customer').where('account_id', '=', accountId);
  assert.deepEqual(await kept.execute(), []);
});

test('nor can it be joined by an invitation that it still has', async () => {
  const { accountId } = await world.account('erased-joined');
  const send = adminSender(world, (await makeAdminKey(world, 'joining', ['accounts'])).key);
  const { body } = await send('POST', `/accounts/${accountId}/invitations`, {});
  await world.app.database.transaction((tx) => putErased(tx, accountId, 'a test'));
  const newcomer = { token: tokenOf(String(body.url)), email: 'late@example.com', password };
  const late = await new Browser(world).try('POST /panel/links/open', { body: newcomer });
  assert.deepEqual([late.status, late.body.code], [403, 'panel_link_invalid']);
  const { read } = world.app.database;
  const members = read.selectFrom('members').select('person_id').where('account_id', '=', accountId);
  assert.deepEqual(await members.execute(), []);
});

test('accounts erased before erasures were recorded are recognized by their names', async () => {
  const { accountId } = await world.account('erased-long-ago');
  const migration = (await import('../../src/base/db/migrations/039-erased-accounts.ts')).erasedAccounts;
  const dialects = await import('../../src/base/db/migrations/dialect.ts');
  const dialect = world.app.database.kind === 'sqlite' ? dialects.sqliteDialect : dialects.postgresDialect;
  const update = migration(dialect).find((statement) => statement.startsWith('update')) ?? '';
  await world.app.database.transaction(async (tx) => {
    await sql`update accounts set name = ${`erased ${accountId}`} where id = ${accountId}`.execute(tx);
    // The condition on the subject excludes the file's other tests.
    await sql.raw(`${update} and erased_at is null`).execute(tx);
  });
  await using operator = await commandLine();
  await assert.rejects(operator.creditAccount(accountId, { amount: '1', reason: 'a gift' }), sentence);
});
