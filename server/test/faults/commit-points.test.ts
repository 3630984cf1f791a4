import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { type Cast, startCast } from '../../faults/cast.ts';
import { type Moment, type TransactionKind, transactionKinds } from '../../faults/plan.ts';
import { connect } from '../../src/base/db/connect.ts';
import { systemClock } from '../../src/base/std/clock.ts';
import { readConfig } from '../../src/config/config.ts';
import { openStore } from '../../src/images/open-store.ts';
import { findViolations } from '../../src/jobs/upkeep/verify/find-violations.ts';
import { verifyImages } from '../../src/jobs/upkeep/verify/verify-images.ts';
import { until } from './support/server.ts';

// With PostgreSQL, each test starts a separate server, because it cuts connections and restores them.
const kind = process.env.TEST_DATABASE_URL ? 'postgres' : 'sqlite';
// A lease of 20 s has to expire in this time; the rest is for slow machines.
const timeout = 240_000;
// Less than a lease: jobs that are claimed again during the kills would fail after their third worker.
const killsWithinMs = 12_000;
// Every process restarts within seconds; then a create must be accepted.
const acknowledgedWithinMs = 60_000;
const points = transactionKinds.flatMap((transaction) =>
  (['before', 'after'] as const).map((moment) => ({ transaction, moment })),
);

// Concurrent, because the tests mostly wait for leases to expire.
suite('a transaction breaks at its commit', { concurrency: true }, () => {
  test('SIGKILL exactly before and after the commit of a create, a claim and a finish: one job, one charge, one end of a batch, within 30 s', {
    timeout,
  }, async () => {
    await using cast = await startCast({ database: kind, seed: 1 });
    const jobIds: string[] = [];
    let killingSince = performance.now();
    for (const { transaction, moment } of points) {
      if (performance.now() - killingSince > killsWithinMs) {
        await assertAllDone(cast, jobIds);
        killingSince = performance.now();
      }
      const exits = cast.exits.length;
      armKill(cast, transaction, moment);
      // A batch of one job ends with its job, in the same commit.
      const make = transaction === 'finish' ? createBatch : createJob;
      jobIds.push(await make(cast, `kill-${transaction}-${moment}`));
      await until(() => cast.exits.length > exits);
      await Promise.all(cast.servers.map(({ child }) => child.ready()));
    }
    const startedAt = performance.now();
    await assertAllDone(cast, jobIds);
    assert.ok(performance.now() - startedAt < 30_000, 'a dead worker’s job runs again within 30 s');
  });

  test('a connection reset exactly at COMMIT, before and after it took effect: no double effect', {
    skip: kind === 'sqlite',
  }, async () => {
    await using cast = await startCast({ database: kind, seed: 2 });
    const jobIds: string[] = [];
    for (const { transaction, moment } of points) {
      let broken = 0;
      const act = () => {
        broken += 1;
        disarm(cast);
      };
      for (const { proxy } of cast.servers) proxy?.breakNextCommit({ transaction, moment, act });
      const make = transaction === 'finish' ? createBatch : createJob;
      jobIds.push(await make(cast, `reset-${transaction}-${moment}`));
      await until(() => broken > 0).catch((cause: unknown) => {
        throw new Error(`no ${transaction} was committed`, { cause });
      });
    }
    await assertAllDone(cast, jobIds);
    assert.deepEqual(cast.exits, [], 'nobody died of it');
  });
});

function armKill(cast: Cast, transaction: TransactionKind, moment: Moment): void {
  for (const { child, proxy } of cast.servers) {
    const act = () => {
      child.signal('SIGKILL');
      disarm(cast);
    };
    if (proxy) proxy.breakNextCommit({ transaction, moment, act });
    else child.order({ order: 'die-at-commit', transaction, moment });
  }
}

/** Disarms the others, which would otherwise break much later, during other work. */
function disarm({ servers }: Cast): void {
  for (const { proxy } of servers) proxy?.breakNextCommit(null);
}

function createJob(cast: Cast, key: string): Promise<string> {
  return createUntilAcknowledged(cast, key, '/nb/text-generations', { prompt: key, aspect_ratio: '1:1' });
}

async function createBatch(cast: Cast, key: string): Promise<string> {
  const requests = [{ model: 'nb', mode: 'text', body: { prompt: key, aspect_ratio: '1:1' } }];
  const batchId = await createUntilAcknowledged(cast, key, '/batches', { requests });
  await using database = await openDatabase(cast);
  const jobs = database.read.selectFrom('jobs').select('id').where('batch_id', '=', batchId);
  return (await jobs.executeTakeFirstOrThrow()).id;
}

async function createUntilAcknowledged(
  { apiUrls, accounts }: Cast,
  key: string,
  path: string,
  body: object,
): Promise<string> {
  const ids = new Set<string>();
  const giveUpAt = performance.now() + acknowledgedWithinMs;
  for (let turn = 0; ids.size === 0 || turn < apiUrls.length; turn++) {
    if (performance.now() > giveUpAt) throw new Error(`${key}: nobody acknowledged it`);
    const response = await fetch(`${apiUrls[turn % apiUrls.length]}/api/v1${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${accounts.rich?.key}`,
        'content-type': 'application/json',
        'idempotency-key': JSON.stringify(key),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    }).catch(() => undefined);
    if (response?.status === 202) {
      const made = (await response.json()) as { job_id?: string; batch_id?: string };
      ids.add(String(made.job_id ?? made.batch_id));
    } else if (response && response.status < 500)
      throw new Error(`HTTP ${response.status}: ${await response.text()}`);
    else await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.equal(ids.size, 1, 'every answer names the same one');
  return [...ids][0] ?? '';
}

function openDatabase({ cluster, env }: Cast) {
  return connect({ url: cluster?.url, dataDir: env.DARKROOM_DATA_DIR ?? '', clock: systemClock });
}

async function assertAllDone(cast: Cast, jobIds: readonly string[]): Promise<void> {
  await using database = await openDatabase(cast);
  const jobs = await until(async () => {
    const rows = await database.read.selectFrom('jobs').select(['id', 'status']).execute();
    return rows.every(({ status }) => status === 'done' || status === 'failed') && rows;
  });
  assert.deepEqual(
    jobs.map(({ id }) => id).sort(),
    [...jobIds].sort(),
    'one job for each key and none besides',
  );
  assert.ok(
    jobs.every(({ status }) => status === 'done'),
    readFileSync(cast.files.provider, 'utf8'),
  );
  const batches = await database.read.selectFrom('batches').select('id').execute();
  const told = database.read.selectFrom('events').select('job_id').where('type', '=', 'batch.completed');
  assert.deepEqual(
    (await told.execute()).map(({ job_id: id }) => id).sort(),
    batches.map(({ id }) => id).sort(),
    'the end of each batch is told once',
  );
  assert.deepEqual(await findViolations(database.read), []);
  const { violations } = await verifyImages({ database, images: await openStore(readConfig(cast.env)) });
  assert.deepEqual(violations, [], 'the images of done jobs are all there');
}
