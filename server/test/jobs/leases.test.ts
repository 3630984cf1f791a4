import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import pg from 'pg';
import type { Database } from '../../src/base/db/database.ts';
import { newWorkerId } from '../../src/base/std/worker-id.ts';
import { readConfig } from '../../src/config/config.ts';
import { resultKey } from '../../src/images/object-keys.ts';
import { endDeadLeases } from '../../src/jobs/queue/end-dead-leases.ts';
import { type AttemptEnd, createEndWriter } from '../../src/jobs/queue/end-writer.ts';
import { keepLeases } from '../../src/jobs/queue/keep-leases.ts';
import {
  extendLeases,
  findExpiredLeases,
  findOverdue,
  findStale,
  findWorkers,
  lockExpiredLeases,
  noteRemoteIdIfLeased,
} from '../../src/jobs/queue/lease-store.ts';
import { until } from '../faults/support/server.ts';
import { TestProvider } from '../world/provider.ts';
import { claimOnce, maintainOnce } from '../world/run-once.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld, testRoutes, type World } from '../world/world.ts';

const timeout = 120_000;
const policy = { ...readConfig({}).worker, leaseMs: 4_000, heartbeatMs: 500 };

/** Blocks all writes until the returned function is called; reads continue. */
async function stopWrites({ config }: World): Promise<() => Promise<void>> {
  if (!config.databaseUrl) {
    const file = new DatabaseSync(join(config.dataDir, 'darkroom.db'), { timeout: 10_000 });
    file.exec('begin immediate');
    return async () => file.close();
  }
  const client = new pg.Client({ connectionString: config.databaseUrl });
  await client.connect();
  await client.query('begin; lock table jobs in exclusive mode');
  return () => client.end();
}

async function openHeld({ worker = policy, log = silentLog } = {}) {
  const provider = new TestProvider();
  const release = Promise.withResolvers<void>();
  const signals: AbortSignal[] = [];
  provider.handler = async (request, { signal }) => {
    signals.push(signal);
    await release.promise;
    return provider.answer(request);
  };
  const world = await openWorld({
    config: { worker },
    replacements: { routes: testRoutes(provider, { slots: 1 }), log },
  });
  const jobId = await world.create();
  await until(() => provider.requests.length >= 1);
  return { world, provider, jobId, signals, release: release.resolve };
}

describe('a database that does not answer', { concurrency: true }, () => {
  test('an image stays stored while its job’s end may still be written', { timeout }, async () => {
    const gaveUp = Promise.withResolvers<void>();
    const error = (event: string) => event === 'attempt.not_recorded' && gaveUp.resolve();
    const { world, jobId, provider, release } = await openHeld({ log: { ...silentLog, error } });
    await using _ = world;
    const goOn = await stopWrites(world);
    release();
    const isStored = () => world.app.images.get(resultKey(jobId, 1));
    (await until(isStored)).body.destroy();
    await gaveUp.promise;
    await goOn();
    assert.equal((await world.finished(jobId)).status, 'done');
    assert.ok(provider.requests.length > 1);
    const stored = await isStored();
    assert.ok(stored, 'the image was removed');
    stored.body.destroy();
  });

  test('a request that the upstream accepted is not sent again because its id could not be recorded', {
    timeout,
  }, async () => {
    const provider = new TestProvider();
    await using world = await openWorld({ replacements: { routes: testRoutes(provider) } });
    provider.handler = async (request, { onSubmitted }) => {
      const goOn = await stopWrites(world);
      await onSubmitted('accepted-1').finally(goOn);
      return provider.answer(request);
    };
    assert.equal((await world.finished(await world.create())).status, 'done');
    assert.equal(provider.requests.length, 1);
  });

  test('a heartbeat that hangs is given up, and the next one extends the leases', { timeout }, async () => {
    await using world = await openWorld({ worker: false });
    const { database } = world.app;
    await world.create();
    const routes = testRoutes(world.provider);
    const [job] = await claimOnce(database, world.watch, {
      worker: 'own',
      routes,
      limit: 1,
      leaseMs: 60_000,
    });
    assert(job);
    const lease = { jobId: job.id, attempt: 1, worker: 'own' };
    const held = {
      job,
      lease,
      stop: new AbortController(),
      extendedAt: performance.now(),
      ended: Promise.resolve(),
    };
    const deps = { log: silentLog, leaseMs: 60_000, patienceMs: 100 };
    const hanging: Database = { ...database, transaction: () => new Promise(() => {}) };
    assert.equal(await keepLeases({ ...deps, database: hanging }, [held]), false);
    assert.equal(await keepLeases({ ...deps, database, patienceMs: 10_000 }, [held]), true);
    assert.equal(held.stop.signal.aborted, false);
    const gone = { ...held, lease: { ...lease, attempt: 2 }, extendedAt: performance.now() - 61_000 };
    assert.equal(await keepLeases({ ...deps, database: hanging }, [gone]), false);
    assert.equal(gone.stop.signal.reason, 'lease_lost');
  });
});

test('an attempt stops if its process claims the same job again', { timeout }, async () => {
  const { world, jobId, provider, signals, release } = await openHeld({
    worker: { ...policy, heartbeatMs: 60_000 },
  });
  await using _ = world; // no heartbeat comes, so the lease of a living worker expires
  await until(() => provider.requests.length >= 2);
  assert.equal(signals[0]?.reason, 'lease_lost');
  release();
  assert.equal((await world.finished(jobId)).status, 'done');
});

test('of two ends of one job in a batch, only the later attempt counts', async () => {
  await using world = await openWorld({ worker: false });
  const { database } = world.app;
  await world.create();
  const claim = () =>
    claimOnce(database, world.watch, {
      worker: 'own',
      routes: testRoutes(world.provider),
      limit: 1,
      leaseMs: 1,
    });
  await claim();
  await until(async () => (await maintainOnce(database, world.watch)).reclaimed === 1);
  const [job] = await claim();
  assert.equal(job?.attempt, 2);
  const endOf = (attempt: number): AttemptEnd => ({
    kind: 'retry',
    retry: {
      lease: { jobId: job.id, attempt, worker: 'own' },
      failures: job.failures,
      delayMs: 0,
      remoteId: null,
    },
  });
  const finish = createEndWriter(database, () => {});
  assert.deepEqual(await Promise.all([finish(endOf(1)), finish(endOf(2))]), [false, true]);
});

test('an end that the database refuses fails alone, not with the others of its transaction', async () => {
  await using world = await openWorld({ worker: false });
  const { database } = world.app;
  for (let made = 0; made < 2; made += 1) await world.create();
  const routes = testRoutes(world.provider);
  const claimed = await claimOnce(database, world.watch, {
    worker: 'own',
    routes,
    limit: 2,
    leaseMs: 60_000,
  });
  const write = createEndWriter(database, () => {});
  const ends = claimed.map(({ id: jobId, attempt }, nth) => {
    const error = nth === 0 ? 'No.' : (null as unknown as string); // a failed job has an error
    const outcome = { status: 'failed', error, errorCode: 'cancelled' } as const;
    return write({ kind: 'settle', settlement: { jobId, attempt, worker: 'own', outcome } });
  });
  const outcomes = await Promise.allSettled(ends);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  );
});

function openCancellable() {
  const cancelled: string[] = [];
  const cancel = async (remoteId: string) => void cancelled.push(remoteId);
  return { cancelled, provider: Object.assign(new TestProvider(), { cancel }) };
}

test('the upstream request of a lost attempt continues for the next attempt', async () => {
  await using world = await openWorld({ worker: false });
  const { database } = world.app;
  const jobId = await world.create();
  const { provider, cancelled } = openCancellable();
  const routes = testRoutes(provider);
  await claimOnce(database, world.watch, { worker: 'own', routes, limit: 1, leaseMs: -1 });
  const lease = { jobId, attempt: 1, worker: 'own' };
  assert.ok(await database.transaction((tx) => noteRemoteIdIfLeased(tx, lease, 'accepted-1')));
  const deps = { routes: { list: () => routes } };
  assert.equal((await maintainOnce(database, world.watch, deps)).reclaimed, 1);
  assert.deepEqual(cancelled, []);
});

test('a job whose time is over ends at the next claim, and so does its upstream request', async () => {
  await using world = await openWorld({ worker: false });
  const { database } = world.app;
  const jobId = await world.create();
  const { provider, cancelled } = openCancellable();
  const claim = () =>
    claimOnce(database, world.watch, {
      worker: 'own',
      routes: testRoutes(provider),
      limit: 1,
      leaseMs: 60_000,
    });
  const rest = async (attempt: number) => {
    const lease = { jobId, attempt, worker: 'own' };
    const retry = { lease, failures: [], delayMs: 0, remoteId: 'accepted-1' };
    assert.equal(await createEndWriter(database, () => {})({ kind: 'retry', retry }), true);
  };
  await claim();
  await rest(1);
  await world.elapse(60_000);
  const [again] = await claim();
  assert.ok(again && again.leftMs <= policy.jobTimeoutMs - 60_000, 'earlier attempts took of its time');
  await rest(2);
  await world.elapse(policy.jobTimeoutMs);
  assert.deepEqual(await claim(), []);
  const job = await world.finished(jobId);
  assert.deepEqual([job.status, job.error_code], ['failed', 'timed_out']);
  assert.deepEqual(cancelled, ['accepted-1']);
  assert.equal((await world.balance()).reserved, '0.00');
});

test('a start ends only the leases of processes that no longer run, on PostgreSQL none', async () => {
  await using world = await openWorld({ worker: false });
  const { database } = world.app;
  const { pid } = spawnSync(process.execPath, ['--version']);
  const workers = [`${hostname()}:${pid}:abcdef`, newWorkerId(Date.now()), `elsewhere:${pid}:abcdef`];
  const routes = testRoutes(world.provider);
  for (const worker of workers) {
    await world.create();
    await claimOnce(database, world.watch, { worker, routes, limit: 1, leaseMs: 60_000 });
  }
  // With PostgreSQL, a worker on another machine may have the same host name.
  const ended = database.kind === 'sqlite' ? 1 : 0;
  assert.equal(await endDeadLeases(database), ended);
  assert.equal((await maintainOnce(database, world.watch)).reclaimed, ended);
  assert.deepEqual((await findWorkers(database.read)).sort(), workers.slice(ended).sort());
});

test('of expired leases, only those of locked accounts are taken', async () => {
  await using world = await openWorld({ worker: false });
  const { database } = world.app;
  const routes = testRoutes(world.provider);
  const jobIds = [await world.create(), await world.create()];
  await claimOnce(database, world.watch, { worker: 'own', routes, limit: 2, leaseMs: -1 });
  const now = world.clock.nowMs() + 60_000;
  for (const jobId of jobIds) {
    const lost = await database.transaction((tx) => lockExpiredLeases(tx, now, [jobId]));
    assert.deepEqual(
      lost.map(({ job }) => job.id),
      [jobId],
    );
  }
});

test('one round of maintenance takes a limited number of jobs of each kind, and leaves the rest to the next', async () => {
  await using world = await openWorld({ worker: false });
  const { database } = world.app;
  const routes = testRoutes(world.provider);
  const late = [await world.create(), await world.create()];
  await claimOnce(database, world.watch, { worker: 'own', routes, limit: late.length, leaseMs: -1 });
  for (const own of [{ deadline_seconds: 1 }, { deadline_seconds: 1 }, {}, {}])
    await world.create(undefined, own);
  await world.elapse(60_000);
  const now = world.clock.nowMs();
  const counts = (limit: number) =>
    database.transaction(async (tx) => [
      (await findExpiredLeases(tx, now, limit)).length,
      (await findOverdue(tx, limit)).length,
      (await findStale(tx, { maxQueuedMs: 1_000, jobTimeoutMs: 1_000 }, limit)).length,
    ]);
  assert.deepEqual(await counts(1), [1, 1, 1]);
  assert.deepEqual(await counts(10), [2, 2, 2]);
});

test('waiting clients learn that a job waited too long, and are not notified of nothing', async () => {
  await using world = await openWorld({ worker: false });
  const jobId = await world.create();
  const told: string[][] = [];
  const maintain = () =>
    maintainOnce(world.app.database, world.watch, {
      maxQueuedMs: 60_000,
      onSettled: (ids) => told.push(ids),
    });
  await maintain();
  assert.deepEqual(told, []);
  await world.elapse(61_000);
  await maintain();
  await maintain();
  assert.deepEqual(told, [[jobId]]);
});

test('a lease that is extended at the same moment was late, but has not ended', async (t) => {
  await using world = await openWorld({ worker: false });
  const { database } = world.app;
  if (database.kind === 'sqlite') return t.skip('SQLite has one writer');
  const jobId = await world.create();
  const routes = testRoutes(world.provider);
  await claimOnce(database, world.watch, { worker: 'own', routes, limit: 1, leaseMs: 1 });
  const lease = { jobId, attempt: 1, worker: 'own' };
  const extended = Promise.withResolvers<void>();
  const commit = Promise.withResolvers<void>();
  const beat = database.transaction(async (tx) => {
    const kept = await extendLeases(tx, [lease], 60_000);
    extended.resolve();
    await commit.promise;
    return kept;
  });
  await extended.promise;
  assert.equal((await maintainOnce(database, world.watch)).reclaimed, 0);
  commit.resolve();
  assert.deepEqual(await beat, [jobId]);
  assert.equal((await maintainOnce(database, world.watch)).reclaimed, 0);
});

test('a job that has begun fails once no worker has taken it for the time limit and the longest wait', async () => {
  await using world = await openWorld({ worker: false });
  const { database } = world.app;
  const jobId = await world.create();
  const routes = testRoutes(world.provider);
  const [claimed] = await claimOnce(database, world.watch, { worker: 'gone', routes, limit: 1, leaseMs: -1 });
  const lease = { jobId, attempt: claimed?.attempt ?? 0, worker: 'gone' };
  await database.transaction((tx) => noteRemoteIdIfLeased(tx, lease, 'remote-1'));
  const cancelled: string[] = [];
  const route = {
    id: claimed?.route ?? '',
    provider: { cancel: async (id: string) => void cancelled.push(id) },
  };
  const maintain = () =>
    maintainOnce(database, world.watch, {
      ...{ maxQueuedMs: 60_000, jobTimeoutMs: 30_000 },
      routes: { list: () => [route] },
    });
  await maintain();
  const read = async () => (await world.send('GET', `/jobs/${jobId}`)).body;
  // No worker has a route of the job's model any more.
  await world.elapse(80_000);
  await maintain();
  assert.deepEqual([(await read()).status, cancelled], ['processing', []]);
  await world.elapse(20_000);
  await maintain();
  const job = await read();
  assert.deepEqual([job.status, job.error_code, cancelled], ['failed', 'timed_out', ['remote-1']]);
  assert.match(String(job.error), /no time left/);
  assert.equal((await world.balance()).reserved, '0.00');
});
