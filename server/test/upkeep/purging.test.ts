import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { dayMs } from '../../src/accounts/retention/retention.ts';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { followClock } from '../../src/base/db/follow-clock.ts';
import { newId } from '../../src/base/std/ids.ts';
import type { ImageStore } from '../../src/images/image-store.ts';
import { evidenceKey, objectsOf, resultKey } from '../../src/images/object-keys.ts';
import { holdKeyIfFree } from '../../src/jobs/admission/idempotency-store.ts';
import { dropFile, keepFile } from '../../src/jobs/batch-files/keep-file.ts';
import { createEndWriter } from '../../src/jobs/queue/end-writer.ts';
import { eraseAccount } from '../../src/jobs/upkeep/erase-account.ts';
import { dropOldKeys } from '../../src/jobs/upkeep/keep-retention.ts';
import { deleteEndedJobs } from '../../src/jobs/upkeep/purge-store.ts';
import type { Step } from '../../src/jobs/upkeep/small-steps.ts';
import { adoptStore } from '../../src/jobs/upkeep/store-ownership.ts';
import { sweepRemovals } from '../../src/jobs/upkeep/sweep-removals.ts';
import { assertProblem } from '../http/support/refusal.ts';
import { bearer, eventually } from '../http/support/requests.ts';
import { listedKeys } from '../images/conformance.ts';
import { expire, keep, stepAtOnce } from '../world/expire.ts';
import { recordTime } from '../world/record-time.ts';
import { openWorld, type World } from '../world/world.ts';

let world: World;
// Without a worker only the tests end jobs and make deliveries.
before(async () => {
  world = await openWorld({ worker: false });
});
after(() => world[Symbol.asyncDispose]());

const hook = { callback_url: 'https://example.com/hook' };

async function fail(...jobIds: string[]): Promise<void> {
  const write = createEndWriter(world.app.database, () => {});
  const outcome = { status: 'failed', error: 'No.', errorCode: 'cancelled' } as const;
  for (const jobId of jobIds) {
    const settlement = { jobId, attempt: 0, worker: null, outcome };
    assert.equal(await write({ kind: 'settle', settlement }), true);
  }
}

async function createBatch(fields: object = {}): Promise<{ batchId: string; jobIds: string[] }> {
  const requests = ['a fox', 'a hare'].map((prompt) => ({
    ...{ model: 'nb2', mode: 'text' },
    body: { prompt, aspect_ratio: '1:1' },
  }));
  const { status, body } = await world.send('POST', '/batches', { body: { requests, ...fields } });
  assert.equal(status, 202, JSON.stringify(body));
  const batchId = String(body.batch_id);
  const rows = await world.app.database.read
    .selectFrom('jobs')
    .select('id')
    .where('batch_id', '=', batchId)
    .orderBy('batch_index')
    .execute();
  return { batchId, jobIds: rows.map(({ id }) => id) };
}

async function statusOf(path: string): Promise<number> {
  return (await world.send('GET', path)).status;
}

async function listDeliveries(): Promise<string[]> {
  const rows = await world.app.database.read.selectFrom('deliveries').select('status').execute();
  return rows.map(({ status }) => status);
}

async function countEvents(): Promise<number> {
  return (await world.app.database.read.selectFrom('events').select('id').execute()).length;
}

function cancelDeliveries(): Promise<unknown> {
  return world.app.database.transaction((tx) =>
    sql`update deliveries set status = 'cancelled', failure = 'test', worker = null, ended_at = created_at
      where status = 'pending'`.execute(tx),
  );
}

test('a job stays until its event is delivered, however old, and does not keep others', async () => {
  const [told, untold] = [await world.create(), await world.create(undefined, hook)];
  await fail(told, untold);
  await world.elapse(40 * dayMs);
  assert.equal((await expire(world.app, 30 * dayMs)).jobs, 1);
  assert.deepEqual([await statusOf(`/jobs/${told}`), await statusOf(`/jobs/${untold}`)], [404, 200]);
  assert.deepEqual([await listDeliveries(), await countEvents()], [['pending'], 1]);
  await cancelDeliveries();
  assert.equal((await expire(world.app, 30 * dayMs)).jobs, 1);
  assert.deepEqual([await listDeliveries(), await countEvents()], [[], 0]);
});

test('a batch stays while it has a job, and is removed with its last', async () => {
  const { batchId, jobIds } = await createBatch();
  const [first = '', last = ''] = jobIds;
  await fail(first);
  await world.elapse(40 * dayMs);
  assert.equal((await expire(world.app, 30 * dayMs)).jobs, 1);
  assert.deepEqual([await statusOf(`/jobs/${first}`), await statusOf(`/jobs/${last}`)], [404, 200]);
  assert.equal(await statusOf(`/batches/${batchId}`), 200);
  await fail(last);
  await world.elapse(40 * dayMs);
  assert.equal((await expire(world.app, 30 * dayMs)).jobs, 1);
  assertProblem(await world.send('GET', `/batches/${batchId}`), 404, 'not_found');
});

test('a batch’s event stays until it is delivered', async () => {
  const { jobIds } = await createBatch(hook);
  await fail(...jobIds);
  await world.elapse(40 * dayMs);
  assert.equal((await expire(world.app, 30 * dayMs)).jobs, 2);
  assert.deepEqual([await listDeliveries(), await countEvents()], [['pending'], 1]);
  await cancelDeliveries();
  await expire(world.app, 30 * dayMs);
  assert.deepEqual([await listDeliveries(), await countEvents()], [[], 0]);
});

test('a job stays until the usage has counted it', async () => {
  const jobId = await world.create(undefined, {}, { 'idempotency-key': 'of-a-counted-job' });
  await fail(jobId);
  await world.elapse(40 * dayMs);
  const { accountId } = world;
  const of = { accountId, retentionMs: 30 * dayMs, stars: 0, withKeys: true, limit: 10 };
  assert.deepEqual(await world.app.database.transaction((tx) => deleteEndedJobs(tx, of)), []);
  assert.equal((await expire(world.app, 30 * dayMs)).jobs, 1, 'who removes counts before');
  assert.equal(await statusOf(`/jobs/${jobId}`), 404);
  const keys = world.app.database.read.selectFrom('idempotency_keys').select('key');
  assert.deepEqual(await keys.where('account_id', '=', accountId).execute(), [], 'its key is removed, too');
});

test('old keys are removed page by page, but no new ones, no reserved ones, and none of other accounts', async () => {
  const { database } = world.app;
  const { accountId: other, key } = await world.account('keeps its keys', { creditMicros: 1_000_000n });
  const create = (name: string, headers = {}) =>
    world.create(undefined, {}, { 'idempotency-key': name, ...headers });
  const jobIds = [await create('e'), await create('c'), await create('a')];
  const theirs = await create('b', { authorization: `Bearer ${key}` });
  await world.elapse(2 * dayMs);
  jobIds.push(await create('d'));
  const hold = { key: 'b', fingerprint: 'same', holder: 'one', holdMs: 1_000 };
  await database.transaction((tx) => holdKeyIfFree(tx, { ...hold, accountId: world.accountId }));
  const listKeys = async (accountId: string) => {
    const rows = await database.read
      .selectFrom('idempotency_keys')
      .select('key')
      .where('account_id', '=', accountId)
      .orderBy('key')
      .execute();
    return rows.map((row) => row.key);
  };
  const oneByOne: Step = async (work) => database.transaction((tx) => work(tx, 1));
  await dropOldKeys(oneByOne, { accountId: world.accountId, retentionMs: dayMs });
  assert.deepEqual([await listKeys(world.accountId), await listKeys(other)], [['b', 'd'], ['b']]);
  await dropOldKeys(oneByOne, { accountId: world.accountId, retentionMs: -dayMs });
  assert.deepEqual(await listKeys(world.accountId), ['b']);
  await fail(...jobIds, theirs);
});

function refusing(images: ImageStore): ImageStore {
  return Object.create(images, { remove: { value: () => Promise.reject(new Error('not available')) } });
}

/** Waits until a restarted server has swept every folder: the last one has an object that no row names. */
async function sweepAll(swept: World): Promise<void> {
  const marker = evidenceKey(newId(swept.clock.nowMs()), 'image/png');
  await swept.app.images.put(marker, Buffer.from('x'), { mediaType: 'image/png', bytes: 1 });
  await swept.elapse(2 * dayMs);
  await swept.restart();
  await eventually(
    () => listedKeys(swept.app.images, 'evidence/'),
    (keys) => keys.length === 0,
  );
}

test('after an adoption that keeps unknown images, an erasure leaves no image of a killed attempt', async () => {
  await using adopted = await openWorld();
  const { provider, app } = adopted;
  const { accountId, key } = await adopted.account('gone', { creditMicros: 1_000_000n });
  provider.handler = async (request) => {
    provider.handler = async (next) => provider.answer(next);
    const { bytes } = provider.answer(request);
    await app.images.put(resultKey(request.jobId, 1), bytes, { mediaType: 'image/png', bytes: bytes.length });
    throw new Error('as if the worker had been killed');
  };
  const jobId = await adopted.create(undefined, {}, bearer(key));
  await adopted.finished(jobId, key);
  await adopted.elapse(1000);
  await adoptStore(app, { unknown: 'keep' }, commandLine);
  const signals = { routes: { list: () => [] }, onSettled: () => {}, onTakenAway: () => {} };
  const mayRemove = async () => true;
  await eraseAccount({ ...app, ...signals, mayRemove }, { account: accountId, name: 'gone' }, commandLine);
  await sweepAll(adopted);
  assert.deepEqual(await listedKeys(adopted.app.images, objectsOf('results', jobId)), []);
});

test('after an adoption that keeps unknown images, only those of jobs that were never accepted stay', async () => {
  await using adopted = await openWorld();
  const { app } = adopted;
  const jobId = await adopted.create();
  await adopted.finished(jobId);
  const unknown = resultKey(newId(adopted.clock.nowMs()), 1);
  await app.images.put(unknown, Buffer.from('x'), { mediaType: 'image/png', bytes: 1 });
  await adopted.elapse(1000);
  await adoptStore(app, { unknown: 'keep' }, commandLine);
  await adopted.elapse(31 * dayMs);
  await assert.rejects(keep({ ...app, images: refusing(app.images) }, { jobs: 30 }), /not available/);
  assert.equal((await adopted.send('GET', `/jobs/${jobId}`)).status, 404);
  await sweepAll(adopted);
  assert.deepEqual(await listedKeys(adopted.app.images, 'results/'), [unknown]);
});

test('a deleted or expired file that the store refuses to remove is removed minutes later, even if the clock was set back', async () => {
  const { app, clock } = world;
  const { accountId } = await world.account('has files');
  const unavailable = { ...app, images: refusing(app.images) };
  const { id } = await keepFile({ ...app, clock }, { accountId, name: 'a', content: Buffer.from('a') });
  await dropFile(unavailable, { accountId, id });
  await keepFile({ ...app, clock }, { accountId, name: 'b', content: Buffer.from('b') });
  await world.elapse(2 * dayMs);
  await assert.rejects(keep(unavailable, { prompts: 1 }), /not available/);
  assert.equal((await listedKeys(app.images, 'files/')).length, 2);
  await recordTime(world);
  await world.jump(-dayMs);
  await followClock(app.database);
  await world.elapse(11 * 60_000);
  await sweepRemovals({ ...app, step: stepAtOnce(app.database) });
  assert.deepEqual(await listedKeys(app.images, 'files/'), []);
});
