import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { creditAccount } from '../../src/accounts/credit-account.ts';
import { debitAccount } from '../../src/accounts/debit-account.ts';
import { insertMember, insertPerson } from '../../src/accounts/people/people-store.ts';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { newId } from '../../src/base/std/ids.ts';
import { objectsOf, resultKey } from '../../src/images/object-keys.ts';
import { insertShare } from '../../src/jobs/shares/share-store.ts';
import { eraseAccount } from '../../src/jobs/upkeep/erase-account.ts';
import { exportAccount } from '../../src/jobs/upkeep/export-account.ts';
import { finishErasures } from '../../src/jobs/upkeep/people/finish-erasures.ts';
import { findViolations } from '../../src/jobs/upkeep/verify/find-violations.ts';
import { tellLowBalances } from '../../src/notify/alerts/tell-low-balances.ts';
import { openAdministration } from '../admin/admin-client.ts';
import { startStripe } from '../emulators/stripe.ts';
import { addPerson, Browser, openMember, password } from '../panel/browser.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld, type World } from '../world/world.ts';
import { rowsIn, unpack } from './support/archive.ts';

const stripe = await startStripe();
let world: World;
before(async () => {
  world = await openWorld({ env: { ...stripe.environment, DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8' } });
});
after(async () => {
  await world[Symbol.asyncDispose]();
  await stripe[Symbol.asyncDispose]();
});

const secretOf = (name: string) => `a secret garden of ${name}`;

async function liveIn(name: string) {
  const { accountId, key } = await world.account(name, { creditMicros: 1_000_000n });
  const theirs = { authorization: `Bearer ${key}` };
  const email = `${name}@example.com`;
  await openMember(world, { email, accountId });
  const jobId = await world.create(
    undefined,
    { prompt: secretOf(name), metadata: { order: 'A-17' }, callback_url: `http://127.0.0.9:8088/${name}` },
    { ...theirs, 'idempotency-key': `key-of-${name}` },
  );
  const source = await world.finished(jobId, key);
  const input = (source.result as { image_url: string }).image_url;
  const body = { prompt: secretOf(name), input_images_urls: [input] };
  const edited = await world.create('/nb2/url-generations', body, theirs);
  await world.finished(edited, key);
  await world.send('PUT', '/webhooks/default', {
    body: { url: `http://127.0.0.9:8088/hook-of-${name}` },
    headers: theirs,
  });
  await world.send('PUT', `/jobs/${jobId}/tags/winter`, { headers: theirs });
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([secretOf(name)]), `${secretOf(name)}.jsonl`);
  const { status } = await fetch(`${world.url}/v1/files`, { method: 'POST', headers: theirs, body: form });
  assert.equal(status, 200);
  return { accountId, key, theirs, email, jobId, edited, link: input };
}

test('an account’s archive has everything stored about it, and nothing secret or of others', async () => {
  const one = await liveIn('exported');
  const other = await liveIn('neighbour');
  await addPerson(world, { email: other.email, accountId: one.accountId, role: 'viewer' });
  const operations = (await openAdministration(world))();
  await operations.inviteMember('exported', { role: 'billing', note: 'Ada' });
  await operations.changeRetention('exported', { inputs: 7 });
  const token = { models: ['nb2'], origin: 'https://app.example.com' };
  await world.send('POST', '/client-tokens', { body: token, headers: one.theirs });
  const files = new Map(await Array.fromAsync(unpack(exportAccount(world.app, one.accountId, commandLine))));
  const rows = (name: string) => rowsIn(files, name);
  assert.deepEqual(rows('account')[0]?.name, 'exported');
  assert.deepEqual(
    rows('members').map(({ email, role }) => [email, role]),
    [
      [one.email, 'owner'],
      [other.email, 'viewer'],
    ],
  );
  assert.deepEqual([rows('invitations')[0]?.role, rows('invitations')[0]?.note], ['billing', 'Ada']);
  assert.deepEqual(rows('retention'), [{ part: 'inputs', days: 7 }]);
  const [made] = rows('client_tokens');
  assert.deepEqual({ models: made?.models, origin: made?.origin }, token);
  assert.deepEqual(
    rows('jobs').map(({ id, prompt, price }) => [id, prompt, typeof price]),
    [one.jobId, one.edited].map((id) => [id, secretOf('exported'), 'string']),
  );
  assert.deepEqual(rows('jobs')[0]?.metadata, { order: 'A-17' });
  assert.equal(rows('entries').length, 5);
  assert.equal(rows('events').length, 2);
  assert.ok(rows('deliveries').length >= 1);
  assert.deepEqual(rows('tags'), [{ tag: 'winter', job_id: one.jobId }]);
  assert.ok(rows('audit').every(({ at }) => /^\d{4}-.*Z$/.test(String(at))));
  const image = files.get(resultKey(one.jobId, 1));
  assert.deepEqual(image?.subarray(1, 4).toString(), 'PNG');
  assert.ok([...files.keys()].some((name) => name.startsWith(objectsOf('inputs', one.edited))));
  const texts = [...files].filter(([name]) => name.endsWith('.jsonl')).map(([, bytes]) => bytes.toString());
  const [filed] = rows('batch_files');
  assert.equal(filed?.name, `${secretOf('exported')}.jsonl`);
  assert.equal(String(files.get(`files/${filed?.id}.jsonl`)), secretOf('exported'));
  for (const never of [one.key, other.accountId, other.jobId, 'whsec_', 'hash'])
    assert.ok(!texts.join().includes(never), `${never} is in the archive`);
});

test('rows that would make too large a file continue in another one', async () => {
  const { accountId } = await world.account('split', { creditMicros: 1_000_000n });
  const { database } = world.app;
  for (const reference of ['pi_a', 'pi_b', 'pi_c', 'pi_d']) {
    const credit = { account: accountId, amountMicros: 1n, reason: 'paid', reference };
    await creditAccount({ database, tellBalances: tellLowBalances }, credit, commandLine);
  }
  const exported = async (fileBytes?: number) =>
    new Map(await Array.fromAsync(unpack(exportAccount(world.app, accountId, commandLine, fileBytes))));
  const whole = String((await exported()).get('entries.jsonl'));
  const lines = whole.split(/(?<=\n)/);
  assert.equal(lines.length, 5);
  const parts = await exported((lines[0] ?? '').length + 1);
  assert.deepEqual(
    [...parts].flatMap(([name, bytes]) => (name.startsWith('entries') ? [[name, String(bytes)]] : [])),
    [
      ['entries.jsonl', lines.slice(0, 2).join('')],
      ['entries-2.jsonl', lines.slice(2, 4).join('')],
      ['entries-3.jsonl', lines[4]],
    ],
  );
  assert.equal(parts.get('members.jsonl')?.length, 0);
});

test('a link in the archive has the current name of its maker', async () => {
  const { accountId } = await world.account('linked');
  const [personId, at] = [newId(Date.now()), Date.now()];
  const link = { token: 'a link', accountId, jobIds: [], albumId: null, withPrompts: false, expiresAt: at };
  await world.app.database.transaction(async (tx) => {
    await insertPerson(tx, { id: personId, name: 'Ada', email: null, at });
    await insertMember(tx, { accountId, personId });
    await insertShare(tx, link, { personId, name: 'Ada as she was' });
  });
  const files = new Map(await Array.fromAsync(unpack(exportAccount(world.app, accountId, commandLine))));
  assert.deepEqual(
    rowsIn(files, 'shares').map(({ made_by }) => made_by),
    ['Ada'],
  );
});

test('the archive can be reconciled with payments, and has the limits of the account and its keys', async () => {
  const { accountId, key, keyId } = await world.account('reconciled', { creditMicros: 1_000_000n });
  const { database } = world.app;
  const credit = { account: accountId, amountMicros: 2_000_000n, reason: 'paid', reference: 'pi_1' };
  await creditAccount({ database, tellBalances: tellLowBalances }, credit, commandLine);
  const { id: credited } = await database.read
    .selectFrom('entries')
    .select('id')
    .where('reference', '=', 'pi_1')
    .executeTakeFirstOrThrow();
  const debit = { account: accountId, amountMicros: 500_000n, reason: 'refund', reference: 're_1' };
  await debitAccount(
    { database, tellBalances: async () => {} },
    { ...debit, corrects: credited },
    commandLine,
  );
  const limits = (await openAdministration(world))();
  await limits.changeAccountLimits(accountId, { spend_month: '50' });
  await limits.changeKeyLimits(keyId, { open: 5 });
  const headers = { authorization: `Bearer ${key}` };
  await world.finished(await world.create('/nb/text-generations', undefined, headers), key);

  const files = new Map(await Array.fromAsync(unpack(exportAccount(world.app, accountId, commandLine))));
  const entries = rowsIn(files, 'entries').map(({ kind, reference, corrects, model }) => ({
    ...{ kind, reference, corrects, model },
  }));
  const plain = { reference: null, corrects: null, model: null };
  assert.deepEqual(entries, [
    { ...plain, kind: 'credit' },
    { ...plain, kind: 'credit', reference: 'pi_1' },
    { ...plain, kind: 'debit', reference: 're_1', corrects: world.app.ids.seal('entry', credited) },
    { ...plain, kind: 'reserve' },
    { ...plain, kind: 'capture', model: 'nb' },
  ]);
  assert.deepEqual(
    rowsIn(files, 'limits')
      .map(({ subject, subject_id, meter, most }) => [subject, subject_id, meter, most])
      .sort(),
    [
      ['account', accountId, 'month', '50.00'],
      ['key', keyId, 'open', 5],
    ],
  );
});

test('the archive has payments, their refunds, and resulting debts', async () => {
  const { accountId, key } = await world.account('paying');
  const headers = { authorization: `Bearer ${key}` };
  const { body } = await world.send('POST', '/payments', { body: { amount: '10' }, headers });
  const payment = stripe.pay();
  const tell = async () => {
    const response = await fetch(`${world.url}/payments/stripe`, {
      ...{ method: 'POST', ...stripe.signed({ ...stripe.events.at(-1) }) },
    });
    assert.equal(response.status, 204);
  };
  await tell();
  const { database } = world.app;
  const debit = { account: accountId, amountMicros: 4_000_000n, reason: 'spent' };
  await debitAccount({ database, tellBalances: async () => {} }, debit, commandLine);
  stripe.refund(payment, 1000);
  await tell();
  const files = new Map(await Array.fromAsync(unpack(exportAccount(world.app, accountId, commandLine))));
  const only = (name: string) => rowsIn(files, name)[0] ?? assert.fail(name);
  assert.equal(only('account').debt, '4.00');
  const { id, state, amount, reference, charged_minor: charged, reversed } = only('payments');
  assert.deepEqual(
    [id, state, amount, reference, charged, reversed],
    [body.payment_id, 'paid', '10.00', payment, 1000, '10.00'],
  );
  const { payment_id, minor, state: ended } = only('payment_reversals');
  assert.deepEqual([payment_id, minor, ended], [body.payment_id, 1000, 'taken']);
  const { amount: owed, left, corrects } = only('debts');
  assert.deepEqual([owed, left, corrects], ['4.00', '4.00', only('entries').id]);
});

test('a batch is in the archive with its jobs, and erased with the last of them', async () => {
  const { accountId, key } = await world.account('batched', { creditMicros: 1_000_000n });
  const headers = { authorization: `Bearer ${key}` };
  const requests = ['a fox', 'a hare'].map((prompt) => ({
    model: 'nb',
    mode: 'text',
    body: { prompt, aspect_ratio: '1:1' },
  }));
  const { body } = await world.send('POST', '/batches', { body: { requests }, headers });
  const files = new Map(await Array.fromAsync(unpack(exportAccount(world.app, accountId, commandLine))));
  const [batch] = rowsIn(files, 'batches');
  const batchId = String(body.batch_id);
  assert.deepEqual([batch?.id, batch?.jobs, batch?.price], [body.batch_id, 2, body.price]);
  assert.deepEqual(
    rowsIn(files, 'jobs')
      .map((job) => [job.batch_id, job.batch_index, job.prompt])
      .sort(([, one], [, other]) => Number(one) - Number(other)),
    requests.map(({ body: { prompt } }, index) => [body.batch_id, index, prompt]),
  );
  const source = { file_id: batchId, call: '/v1/images/edits', metadata: '{"night":"7"}' };
  const answers = '{"ways":[{}],"lines":[["request-1",0],["request-2",0]]}';
  await world.app.database.transaction((tx) =>
    tx
      .insertInto('batch_sources')
      .values({ batch_id: batchId, ...source, answers })
      .execute(),
  );
  const filed = new Map(await Array.fromAsync(unpack(exportAccount(world.app, accountId, commandLine))));
  assert.deepEqual(rowsIn(filed, 'batch_sources'), [
    { batch_id: batchId, ...source, metadata: { night: '7' }, answers: JSON.parse(answers) },
  ]);
  await eraseAccount({ ...world.app, ...signals() }, { account: accountId, name: 'batched' }, commandLine);
  const { read } = world.app.database;
  assert.deepEqual(
    await read.selectFrom('batches').selectAll().where('account_id', '=', accountId).execute(),
    [],
  );
});

/** All texts of all tables. Ledger entries keep their jobs' ids. */
async function dump(): Promise<string> {
  const { read } = world.app.database;
  const tables = [
    'accounts',
    'api_keys',
    'audit_log',
    'deliveries',
    'endpoints',
    'entries',
    'idempotency_keys',
  ] as const;
  const more = ['job_metadata', 'job_tags', 'jobs', 'members', 'people', 'sessions', 'uploads'] as const;
  const ofFiles = ['batch_files', 'batch_sources'] as const;
  const rows = await Promise.all(
    [...tables, ...more, ...ofFiles].map((table) => read.selectFrom(table).selectAll().execute()),
  );
  return JSON.stringify(rows, (name, value) => {
    if (name === 'job_id') return undefined;
    return typeof value === 'bigint' ? String(value) : value;
  });
}

test('erasure leaves the ledger under a pseudonym, and nothing of the people and their images', async () => {
  const { accountId, key, email, jobId, link } = await liveIn('erased-one');
  const { handler } = world.provider;
  const held = Promise.withResolvers<void>();
  world.provider.handler = async (request, signal) => {
    await held.promise;
    return handler(request, signal);
  };
  const open = await world.create(
    undefined,
    { prompt: secretOf('erased-one') },
    { authorization: `Bearer ${key}` },
  );
  const entries = () =>
    world.app.database.read.selectFrom('entries').selectAll().where('account_id', '=', accountId).execute();
  const before = await entries();
  const deps = { ...world.app, ...signals() };
  await assert.rejects(
    eraseAccount(deps, { account: accountId, name: 'other' }, commandLine),
    /exact name of the account/,
  );
  await assert.rejects(eraseAccount(deps, { account: 'nobody', name: 'nobody' }, commandLine), {
    code: 'not_found',
  });
  assert.equal(
    (await world.send('GET', `/jobs/${jobId}`, { headers: { authorization: `Bearer ${key}` } })).status,
    200,
  );

  const erasure = { account: 'erased-one', name: 'erased-one' };
  const { jobs } = await eraseAccount(deps, erasure, commandLine);
  held.resolve();
  world.provider.handler = handler;
  assert.equal(jobs, 3);
  const left = await dump();
  for (const gone of ['erased-one', email, jobId, open])
    assert.ok(!left.includes(gone), `${gone} is still somewhere`);
  for (const kind of ['results', 'inputs'] as const)
    assert.deepEqual(await Array.fromAsync(world.app.images.list(objectsOf(kind, jobId))), []);
  assert.equal((await fetch(link)).status, 410);
  const after = await entries();
  assert.deepEqual(after.slice(0, before.length), before);
  assert.deepEqual(
    after.slice(before.length).map(({ kind }) => kind),
    ['release'],
  );
  assert.deepEqual(await findViolations(world.app.database.read), []);
  await world.elapse(2_000); // recently used keys are cached for a second
  const signIn = await new Browser(world).send('POST', '/panel/sign-in', { body: { email, password } });
  assert.notEqual(signIn.status, 200);
  assert.equal(
    (await world.send('GET', '/balance', { headers: { authorization: `Bearer ${key}` } })).status,
    401,
  );
});

const signals = () => ({
  routes: { list: () => [] },
  onSettled: () => {},
  onTakenAway: () => {},
  mayRemove: async () => true,
});

test('maintenance finishes an erasure that was interrupted anywhere', async () => {
  const { accountId, jobId } = await liveIn('erased-two');
  const images = Object.create(world.app.images, {
    remove: { value: () => Promise.reject(new Error('killed')) },
  }) as World['app']['images'];
  const erasure = { account: accountId, name: 'erased-two' };
  const cut = { ...world.app, images, ...signals() };
  await assert.rejects(eraseAccount(cut, erasure, commandLine), /killed/);
  const maintain = { ...world.app, ...signals(), log: silentLog };
  assert.deepEqual(await finishErasures(maintain), { accounts: 0 }, 'who began it may still be at it');
  assert.deepEqual(await finishErasures(maintain, { patienceMs: 0 }), { accounts: 1 });
  const listed = await world.app.database.read
    .selectFrom('image_removals')
    .select('key')
    .where('key', '=', resultKey(jobId, 1))
    .execute();
  assert.equal(listed.length, 1, 'maintenance removes what the first one could not');
  assert.ok(!(await dump()).includes('erased-two'));
});

test('a copy whose store may be the original’s erases no object, and records which it would have erased', async () => {
  const { accountId, jobId } = await liveIn('erased-copy');
  const deps = { ...world.app, ...signals(), mayRemove: async () => false };
  await eraseAccount(deps, { account: accountId, name: 'erased-copy' }, commandLine);
  assert.equal((await Array.fromAsync(world.app.images.list(objectsOf('results', jobId)))).length > 0, true);
  const noted = await world.app.database.read
    .selectFrom('image_removals')
    .select('key')
    .where('key', '=', resultKey(jobId, 1))
    .execute();
  assert.equal(noted.length, 1);
});

test('people with other accounts or roles stay, and only leave the account', async () => {
  const { accountId } = await liveIn('erased-three');
  const personId = await addPerson(world, { email: 'both@example.com', accountId: world.accountId });
  await world.app.database.transaction((tx) =>
    tx.insertInto('members').values({ account_id: accountId, person_id: personId, created_at: 1 }).execute(),
  );
  await eraseAccount(
    { ...world.app, ...signals() },
    { account: accountId, name: 'erased-three' },
    commandLine,
  );
  const members = await world.app.database.read
    .selectFrom('members')
    .selectAll()
    .where('person_id', '=', personId)
    .execute();
  assert.deepEqual(
    members.map(({ account_id }) => account_id),
    [world.accountId],
  );
});
