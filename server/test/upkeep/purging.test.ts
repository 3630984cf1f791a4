import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { dayMs } from '../../src/accounts/retention/retention.ts';
import { holdKeyIfFree } from '../../src/jobs/admission/idempotency-store.ts';
import { createEndWriter } from '../../src/jobs/queue/end-writer.ts';
import { dropOldKeys } from '../../src/jobs/upkeep/keep-retention.ts';
import { deleteEndedJobs } from '../../src/jobs/upkeep/purge-store.ts';
import type { Step } from '../../src/jobs/upkeep/small-steps.ts';
import { assertProblem } from '../http/support/refusal.ts';
import { expire } from '../world/expire.ts';
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
