import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { fillWithFinishedJobs } from '../../../bench/fill.ts';
import { dayMs } from '../../src/accounts/retention/retention.ts';
import { readNow } from '../../src/base/db/rows.ts';
import { objectsOf, resultKey } from '../../src/images/object-keys.ts';
import { dropOldKeys, keepRetention, sweepKeys } from '../../src/jobs/upkeep/keep-retention.ts';
import { createSteps, Stopped } from '../../src/jobs/upkeep/small-steps.ts';
import { sweepRemovals } from '../../src/jobs/upkeep/sweep-removals.ts';
import { findViolations } from '../../src/jobs/upkeep/verify/find-violations.ts';
import { openAdministration } from '../admin/admin-client.ts';
import { assertProblem } from '../http/support/refusal.ts';
import { expire, keep, stepAtOnce } from '../world/expire.ts';
import { openWorld, type World } from '../world/world.ts';

let world: World;
before(async () => {
  world = await openWorld({ worker: true });
});
after(() => world[Symbol.asyncDispose]());

const retention = { jobs: 30, pictures: 3, prompts: 1, inputs: 2, deliveries: 2 };
/** Removes one row at a time, so that what it reports is a sum of steps. */
const keepNow = () => keep(world.app, retention, null, stepAtOnce(world.app.database, 1));

async function readRow(jobId: string) {
  return world.app.database.read
    .selectFrom('jobs')
    .select(['prompt', 'inputs', 'parameters', 'image_deleted_at'])
    .where('id', '=', jobId)
    .executeTakeFirstOrThrow();
}

test('prompts, inputs and images are removed when their days are over, and links to them answer 410', async () => {
  const source = await world.finished(await world.create());
  const input = (source.result as { image_url: string }).image_url;
  const jobId = await world.create('/nb2/url-generations', {
    prompt: 'a garden',
    input_images_urls: [input],
  });
  const job = await world.finished(jobId);
  const image = (job.result as { image_url: string }).image_url;
  const [kept = ''] = job.input_images_urls as string[];
  await keepNow();
  assert.equal((await readRow(jobId)).prompt, 'a garden', 'nothing goes early');

  // Links are valid for a day, so those of the first answer are used at once.
  await world.elapse(1.1 * dayMs);
  assert.equal((await keepNow()).prompts, 2);
  assert.equal((await readRow(jobId)).prompt, '');
  assert.deepEqual(await keepNow(), {}, 'a second look finds nothing');
  const { body: later } = await world.send('GET', `/jobs/${jobId}`);
  const [again = ''] = later.input_images_urls as string[];
  assert.equal((await fetch(again)).status, 200);

  await world.elapse(dayMs);
  const { body: fresh } = await world.send('GET', `/jobs/${jobId}`);
  const [signed = ''] = fresh.input_images_urls as string[];
  assert.equal((await keepNow()).inputs, 2);
  assert.equal((await fetch(signed)).status, 410);
  const link = (fresh.result as { image_url: string }).image_url;
  assert.equal((await fetch(link)).status, 200, 'the image stays');

  await world.elapse(dayMs);
  const { body: last } = await world.send('GET', `/jobs/${jobId}`);
  assert.equal((await keepNow()).pictures, 2);
  assert.equal((await fetch((last.result as { image_url: string }).image_url)).status, 410);
  const { body: gone } = await world.send('GET', `/jobs/${jobId}`);
  assert.equal(gone.status, 'done');
  assert.ok((gone.result as { image_deleted_at: string }).image_deleted_at);
  await world.elapse(10 * 60_000);
  await sweepRemovals({ ...world.app, step: stepAtOnce(world.app.database) });
  const removals = world.app.database.read.selectFrom('image_removals').select('key');
  assert.deepEqual(await removals.execute(), []);
  assert.deepEqual(await Array.fromAsync(world.app.images.list(objectsOf('results', jobId))), []);
  assert.deepEqual(await Array.fromAsync(world.app.images.list(objectsOf('inputs', jobId))), []);
  assert.ok(image && kept);

  await world.elapse(30 * dayMs);
  const young = await world.create();
  await world.finished(young);
  assert.equal((await keepNow()).jobs, 2);
  assert.equal((await world.send('GET', `/jobs/${young}`)).status, 200);
  assertProblem(await world.send('GET', `/jobs/${jobId}`), 404, 'not_found');
  await expire(world.app, -dayMs);
});

test('an image that an attempt stored before its worker died is removed with the job’s image', async () => {
  await using own = await openWorld();
  const { provider, app } = own;
  provider.handler = async (request) => {
    provider.handler = async (next) => provider.answer(next);
    const { bytes } = provider.answer(request);
    await app.images.put(resultKey(request.jobId, 1), bytes, { mediaType: 'image/png', bytes: bytes.length });
    throw new Error('as if the worker had been killed');
  };
  const jobId = await own.create();
  await own.finished(jobId);
  const stored = () => Array.fromAsync(app.images.list(objectsOf('results', jobId)));
  assert.equal((await stored()).length, 2);
  await own.elapse(4 * dayMs);
  assert.equal((await keep(app, retention)).pictures, 1);
  await own.elapse(11 * 60_000);
  await sweepRemovals({ ...app, step: stepAtOnce(app.database) });
  assert.deepEqual(await stored(), []);
});

test('a job without its prompt or inputs is not made again, except under a key that already has', async (t) => {
  await using own = await openWorld();
  const source = await own.finished(await own.create());
  const input_images_urls = [(source.result as { image_url: string }).image_url];
  const jobId = await own.create('/nb2/url-generations', { prompt: 'a garden', input_images_urls });
  await own.finished(jobId);
  const again = (id: unknown, query = '', headers = {}) =>
    own.send('POST', `/jobs/${id}/again${query}`, { headers });
  const keyed = () => again(jobId, '', { 'idempotency-key': 'a-lost-answer' });
  const { body: made } = await keyed();
  await own.finished(String(made.job_id));
  const refuses = async (id: unknown) => {
    for (const query of ['', '?dry_run=true']) assertProblem(await again(id, query), 410, 'image_gone');
  };
  await own.elapse(1.1 * dayMs);
  await keep(own.app, { ...retention, prompts: 3, inputs: 1 });
  await refuses(jobId);
  assert.equal((await keyed()).body.job_id, made.job_id);
  const headers = { 'idempotency-key': 'of-another-request' };
  await own.create(undefined, undefined, headers);
  assertProblem(await again(jobId, '', headers), 422, 'idempotency_key_reused');
  assert.equal((await again(source.job_id, '?dry_run=true')).status, 200);
  // The key is forgotten after it was looked up.
  const { database, catalogue } = own.app;
  const [find, transaction] = [catalogue.find, database.transaction];
  let isLookedUp = false;
  t.mock.method(catalogue, 'find', (id: string) => {
    isLookedUp = true;
    return find.call(catalogue, id);
  });
  t.mock.method(database, 'transaction', async (...given: Parameters<typeof transaction>) => {
    if (isLookedUp) await transaction((tx) => tx.deleteFrom('idempotency_keys').execute());
    return transaction(...given);
  });
  assert.equal((await keyed()).body.job_id, made.job_id);
  assert.equal(isLookedUp, true);
  await keep(own.app, retention);
  await refuses(source.job_id);
});

test('a job that ended too recently delays the removal of later ones, and loses nothing', async () => {
  const early = await world.create();
  await world.finished(early);
  await world.elapse(0.6 * dayMs);
  const late = await world.create();
  await world.finished(late);
  await world.elapse(0.6 * dayMs);
  assert.equal((await keepNow()).prompts, 1);
  assert.notEqual((await readRow(late)).prompt, '');
  await world.elapse(0.6 * dayMs);
  assert.equal((await keepNow()).prompts, 1);
  await expire(world.app, -dayMs);
});

test('a batch’s input file is removed with its bytes when the days of prompts are over', async () => {
  const { key } = await world.account('has files');
  const headers = { authorization: `Bearer ${key}` };
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob(['{}']), 'prompts.jsonl');
  const made = await fetch(`${world.url}/v1/files`, { method: 'POST', headers, body: form });
  const { id } = (await made.json()) as { id: string };
  const content = async () => (await fetch(`${world.url}/v1/files/${id}/content`, { headers })).status;
  const objects = async () => (await Array.fromAsync(world.app.images.list('files/'))).length;
  await world.elapse(0.9 * dayMs);
  await keepNow();
  assert.deepEqual([await content(), await objects()], [200, 1]);
  await world.elapse(0.2 * dayMs);
  await keepNow();
  assert.deepEqual([await content(), await objects()], [404, 0]);
});

test('an account’s setting takes precedence, shorter or longer; GET /models shows the value that applies', async () => {
  const verbs = (await openAdministration(world))();
  const days = async () => (await world.send('GET', '/models')).body.retention;
  const { accountId, key } = await world.account('keeps for long', { creditMicros: 1_000_000n });
  const theirs = { authorization: `Bearer ${key}` };
  const long = await world.create(undefined, {}, theirs);
  await world.finished(long, key);
  const short = await world.create();
  await world.finished(short);
  await verbs.changeRetention(accountId, { jobs: 400 });
  await verbs.changeRetention('tests', { jobs: 2, pictures: 1 });
  assert.deepEqual(await days(), {
    jobs_days: 2,
    pictures_days: 1,
    prompts_days: 1,
    inputs_days: 1,
    deliveries_days: 2,
    idempotency_days: 30,
    starred: 0,
  });
  await world.elapse(40 * dayMs);
  assert.equal((await keep(world.app, { jobs: 30 })).jobs, 1);
  assert.equal((await world.send('GET', `/jobs/${long}`, { headers: theirs })).status, 200);
  assertProblem(await world.send('GET', `/jobs/${short}`), 404, 'not_found');

  await verbs.changeRetention(accountId, { jobs: null });
  assert.deepEqual((await verbs.listRetention(accountId))[0], {
    part: 'jobs',
    days: 30,
    own: false,
    least: 1,
  });
  assert.equal((await keep(world.app, { jobs: 30 })).jobs, 1);
  for (const [wrong, why] of [
    [{ audit: 29 }, /must be >= 30/],
    [{ jobs: 0 }, /must be >= 1/],
    [{ pictures: 1.5 }, /must be a whole number/],
    [{ inputs: 36_501 }, /must be <= 36500/],
  ] as const)
    await assert.rejects(verbs.changeRetention(accountId, wrong), why);
  const entries = await world.app.database.read
    .selectFrom('audit_log')
    .select(['action', 'detail'])
    .where('account_id', '=', accountId)
    .where('action', '=', 'account.retention_changed')
    .execute();
  assert.deepEqual(
    entries.map(({ detail }) => detail),
    ['{"jobs_days":400,"jobs_days_before":null}', '{"jobs_days":null,"jobs_days_before":400}'],
  );
  await verbs.changeRetention('tests', { jobs: null, pictures: null });
});

test('deliveries are removed before their jobs, pending ones never; keys after their own days', async () => {
  const hook = { callback_url: 'https://example.com/hook' };
  const jobId = await world.create(undefined, hook, { 'idempotency-key': 'kept-for-a-week' });
  await world.finished(jobId);
  const count = async () => {
    const rows = await world.app.database.read.selectFrom('deliveries').select('status').execute();
    return rows.map(({ status }) => status);
  };
  await world.app.database.transaction(async (tx) => {
    await sql`update deliveries set status = 'cancelled', failure = 'test', worker = null, ended_at = created_at
      where status = 'pending'`.execute(tx);
  });
  assert.deepEqual(await count(), ['cancelled']);
  await world.elapse(3 * dayMs);
  assert.equal((await keepNow()).deliveries, 1);
  assert.deepEqual(await count(), []);

  const keys = async () =>
    (await world.app.database.read.selectFrom('idempotency_keys').select('key').execute()).length;
  const step = stepAtOnce(world.app.database);
  await sweepKeys({ ...world.app, step, retention: { idempotency: 7 } });
  assert.equal(await keys(), 1);
  await world.elapse(5 * dayMs);
  await sweepKeys({ ...world.app, step, retention: { idempotency: 7 } });
  assert.equal(await keys(), 0);
  assert.equal((await world.send('GET', `/jobs/${jobId}`)).status, 200);
});

test('idempotency keys are removed one at a time, whatever the order in which they came', async () => {
  const { database } = world.app;
  const { accountId, key } = await world.account('sends keys', { creditMicros: 1_000_000n });
  for (const sent of ['key-c', 'key-b', 'key-a'])
    await world.create(undefined, {}, { authorization: `Bearer ${key}`, 'idempotency-key': sent });
  await world.elapse(8 * dayMs);
  await dropOldKeys(stepAtOnce(database, 1), { accountId, retentionMs: 7 * dayMs });
  const left = await database.read.selectFrom('idempotency_keys').select('key').execute();
  assert.deepEqual(left, []);
});

test('old audit log entries are removed, but never those of the last thirty days', async () => {
  const { database } = world.app;
  const write = (at: number, accountId: string | null) =>
    database.transaction(async (tx) => {
      const row = { at, person_id: null, person_name: 'test', action: 'test.done', account_id: accountId };
      await tx
        .insertInto('audit_log')
        .values({ ...row, subject: null, detail: '{}' })
        .execute();
    });
  const old = Date.now() - 100 * dayMs;
  await write(old, world.accountId);
  await write(old, null);
  const count = async () =>
    (await database.read.selectFrom('audit_log').select('id').where('action', '=', 'test.done').execute())
      .length;
  assert.equal((await keep(world.app, {})).audit, undefined, 'it is kept for good');
  assert.equal(await count(), 2);
  await keep(world.app, { audit: 90 });
  assert.equal(await count(), 0);
  await write(await readNow(database.read), null);
  await assert.rejects(
    database.transaction((tx) => tx.deleteFrom('audit_log').where('action', '=', 'test.done').execute()),
    /never shortened/,
  );
});

test('many old jobs are removed in small steps while new ones come in, and everything adds up', async () => {
  const { database, images } = world.app;
  const { accountId } = await world.account('of the past');
  const jobs = 300;
  await fillWithFinishedJobs(database, accountId, jobs);
  let steps = 0;
  const slowly = createSteps(database);
  const step: typeof slowly = async (work, effects) => {
    steps += 1;
    if (steps % 3 === 0) await world.create();
    return slowly((tx, limit) => work(tx, Math.min(limit, jobs / 3)), effects);
  };
  const gone = await keepRetention({ database, images, retention: {}, guardrails: null, step });
  assert.equal(gone.jobs, jobs);
  assert.equal(gone.images, 4 * jobs);
  assert.ok(steps > 3, `${steps} steps`);
  const left = await database.read
    .selectFrom('jobs')
    .select('id')
    .where('account_id', '=', accountId)
    .execute();
  assert.deepEqual(left, []);
  assert.deepEqual(await findViolations(database.read), []);
});

test('steps end when another process does them, or when no process may', async () => {
  const stop = AbortSignal.abort(new Error('stopping'));
  await assert.rejects(
    createSteps(world.app.database, { signal: stop })(async () => 1),
    /stopping/,
  );
  const step = createSteps(world.app.database, { mayGoOn: async () => false });
  await assert.rejects(async () => {
    for (;;) await step(async () => 0);
  }, Stopped);
});

test('requests get a turn after each account', async () => {
  const accounts = 20;
  for (let nth = 0; nth < accounts; nth += 1) await world.account(`new ${nth}`);
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await keepNow();
  isOver = true;
  assert.ok(turns >= accounts, `${turns} turns`);
});
