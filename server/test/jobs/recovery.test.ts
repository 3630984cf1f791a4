import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { settleJobsIfUnchanged } from '../../src/jobs/settle-jobs.ts';
import { ProviderError } from '../../src/upstream/providers/provider.ts';
import { eventually, postText } from '../http/support/requests.ts';
import { TestProvider } from '../world/provider.ts';
import { claimOnce, maintainOnce } from '../world/run-once.ts';
import { openWorld, testRoutes, type World } from '../world/world.ts';

const policy = readConfig({}).worker;
const full = { balance: '100.00', reserved: '0.00', available: '100.00' };

function holdingProvider(holds: number) {
  const provider = new TestProvider();
  const begun = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  provider.handler = async (request, { signal }) => {
    if (provider.requests.length <= holds) {
      begun.resolve();
      const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      await Promise.race([release.promise, stopped]);
      signal.throwIfAborted();
    }
    return provider.answer(request);
  };
  return { provider, begun: begun.promise, release: release.resolve };
}

async function rowOf({ app }: World, jobId: string) {
  return app.database.read
    .selectFrom('jobs')
    .select(['status', 'attempt', 'worker', 'failures', 'started_at'])
    .where('id', '=', jobId)
    .executeTakeFirstOrThrow();
}

const maintain = ({ app, watch }: World) => maintainOnce(app.database, watch);

describe('restart', { concurrency: true }, () => {
  test('finished jobs stay unchanged, queued ones run after it, keys stay known', async () => {
    const provider = new TestProvider();
    await using world = await openWorld({ replacements: { routes: testRoutes(provider) } });
    const headers = { 'idempotency-key': 'over-the-restart' };
    const done = await world.create(undefined, {}, headers);
    const before = await world.finished(done);
    provider.handler = async () => {
      throw new ProviderError('invalid_input', 'The input is of no use.');
    };
    const failed = await world.create();
    const failedBefore = await world.finished(failed);
    provider.handler = async (request) => provider.answer(request);
    await world.restart();

    const { result, ...rest } = await world.finished(done);
    const { result: resultBefore, ...restBefore } = before;
    assert.deepEqual(rest, restBefore);
    const withoutLinks = (value: unknown) => ({ ...(value as object), image_url: '', thumbnail_url: '' });
    assert.deepEqual(withoutLinks(result), withoutLinks(resultBefore));
    assert.deepEqual(await world.finished(failed), failedBefore);
    const replay = await postText(world, {}, headers);
    assert.equal(replay.body.job_id, done);
    assert.equal(replay.headers.get('idempotent-replayed'), 'true');
    assert.equal((await world.balance()).balance, '99.96');
    const image = await fetch((result as { image_url: string }).image_url);
    assert.equal(image.status, 200);
    await image.arrayBuffer();
  });

  test('a running job that does not end in time is returned to the queue, not failed, and runs again', async () => {
    const { provider, begun } = holdingProvider(1);
    await using world = await openWorld({
      replacements: { routes: testRoutes(provider) },
      config: { worker: { ...policy, drainMs: 100 } },
    });
    const jobId = await world.create();
    await begun;
    const { body: running } = await world.send('GET', `/jobs/${jobId}`);
    assert.equal(running.status, 'processing');
    await world.restart();
    const job = await world.finished(jobId);
    assert.equal(job.status, 'done');
    assert.equal(job.started_at, running.started_at);
    assert.deepEqual(
      provider.requests.map(({ attempt }) => attempt),
      [1, 2],
    );
    assert.deepEqual(JSON.parse((await rowOf(world, jobId)).failures), []);
    assert.equal((await world.balance()).balance, '99.96');
  });

  test('a running job that ends in time is finished before the stop', async () => {
    const { provider, begun, release } = holdingProvider(1);
    await using world = await openWorld({ replacements: { routes: testRoutes(provider) } });
    const jobId = await world.create();
    await begun;
    const restarted = world.restart();
    release();
    await restarted;
    assert.equal((await world.finished(jobId)).status, 'done');
    assert.equal(provider.requests.length, 1);
  });
});

describe('lost workers', { concurrency: true }, () => {
  test('a job whose worker is silent past its lease is run again by another worker, and done once', async () => {
    const { provider, begun, release } = holdingProvider(1);
    await using world = await openWorld({ replacements: { routes: testRoutes(provider, { slots: 1 }) } });
    const first = await world.create();
    await begun;
    const jobId = await world.create(); // waits for the only slot
    const [claimed] = await claimOnce(world.app.database, world.watch, {
      worker: 'dead',
      routes: testRoutes(provider, { slots: 2 }),
      limit: 1,
      leaseMs: 300,
    });
    assert.equal(claimed?.id, jobId);
    const { body: running } = await world.send('GET', `/jobs/${jobId}`);
    assert.equal(running.status, 'processing');
    release();
    assert.equal((await world.finished(first)).status, 'done');
    const job = await world.finished(jobId);
    assert.equal(job.status, 'done');
    assert.equal(job.started_at, running.started_at);
    const { attempt, failures } = await rowOf(world, jobId);
    assert.equal(attempt, 2);
    assert.deepEqual(
      (JSON.parse(failures) as { kind: string }[]).map(({ kind }) => kind),
      ['lost'],
    );
    assert.deepEqual(await world.balance(), { balance: '99.92', reserved: '0.00', available: '99.92' });
  });

  test('a worker that returns after its lease was given to another ends nothing', async () => {
    await using world = await openWorld({ worker: false });
    const { database } = world.app;
    const routes = testRoutes(world.provider);
    const jobId = await world.create();
    const claim = (worker: string, leaseMs: number) =>
      claimOnce(database, world.watch, { worker, routes, limit: 5, leaseMs });
    assert.equal((await claim('zombie', 1)).length, 1);
    assert.equal((await claim('other', 60_000)).length, 0);
    await eventually(
      () => maintain(world),
      ({ reclaimed }) => reclaimed === 1,
    );
    const [second] = await claim('other', 60_000);
    assert.equal(second?.attempt, 2);

    const fail = (attempt: number, worker: string) =>
      database.transaction((tx) =>
        settleJobsIfUnchanged(tx, [
          {
            jobId,
            attempt,
            worker,
            outcome: { status: 'failed', error: 'It failed.', errorCode: 'internal' },
          },
        ]),
      );
    assert.deepEqual(await fail(1, 'zombie'), []);
    assert.deepEqual(await fail(2, 'zombie'), []);
    assert.equal((await rowOf(world, jobId)).status, 'processing');
    assert.equal((await world.balance()).reserved, '0.04');
    assert.equal((await fail(2, 'other')).length, 1);
    assert.deepEqual(await fail(2, 'other'), []);
    assert.deepEqual(await world.balance(), full);
  });

  test('a job that loses six workers, three while it runs alone, fails as interrupted and releases its money', async () => {
    await using world = await openWorld({ worker: false });
    const jobId = await world.create();
    for (const worker of ['1', '2', '3', '4', '5', '6']) {
      const routes = testRoutes(world.provider);
      const claimed = await claimOnce(world.app.database, world.watch, {
        worker,
        routes,
        limit: 1,
        leaseMs: 1,
      });
      assert.equal(claimed.length, 1);
      await eventually(
        () => maintain(world),
        ({ reclaimed, failed }) => reclaimed + failed === 1,
      );
      await world.elapse(20_000); // a job rests so that its losses are this far apart
    }
    const job = await world.finished(jobId);
    assert.deepEqual([job.status, job.error_code], ['failed', 'interrupted']);
    assert.deepEqual(await world.balance(), full);
  });

  test('two workers that claim at the same time never get the same job', async () => {
    await using world = await openWorld({ worker: false });
    await Promise.all(Array.from({ length: 40 }, () => postText(world)));
    const routes = testRoutes(world.provider, { slots: 30 });
    const claims = await Promise.all(
      ['a', 'b', 'c', 'd'].map((worker) =>
        claimOnce(world.app.database, world.watch, { worker, routes, limit: 12, leaseMs: 60_000 }),
      ),
    );
    const ids = claims.flat().map(({ id }) => id);
    assert.equal(ids.length, 30);
    assert.equal(new Set(ids).size, 30);
  });
});

describe('time', { concurrency: true }, () => {
  test('a job that no worker begins in time fails and releases its money', async () => {
    const { provider, begun, release } = holdingProvider(1);
    await using world = await openWorld({
      // The running job keeps its slot, however long it takes.
      replacements: { routes: testRoutes(provider, { slots: 1, timeoutMs: 600_000 }) },
      config: { maxQueuedMs: 3_000 },
    });
    let running: string;
    {
      await using _held = await world.hold(); // without this, it may not begin in time itself
      running = await world.create();
      await begun;
    }
    const waiting = await world.create();
    const job = await world.finished(waiting);
    assert.deepEqual([job.status, job.error_code, job.started_at], ['failed', 'timed_out', null]);
    assert.equal((await world.balance()).reserved, '0.04');
    release();
    assert.equal((await world.finished(running)).status, 'done');
  });

  test('a job that runs past its time fails as timed out and releases its money', async () => {
    const { provider } = holdingProvider(10);
    await using world = await openWorld({
      replacements: { routes: testRoutes(provider) },
      config: { worker: { ...policy, jobTimeoutMs: 400 } },
    });
    const job = await world.finished(await world.create());
    assert.deepEqual([job.status, job.error_code, job.result], ['failed', 'timed_out', null]);
    assert.deepEqual(await world.balance(), full);
  });

  test('a temporary failure is tried again; the job keeps its start', async () => {
    await using world = await openWorld();
    world.provider.handler = async (request, { attempt }) => {
      if (attempt === 1) throw new ProviderError('unavailable', 'The image service is busy.');
      return world.provider.answer(request);
    };
    const jobId = await world.create();
    const resting = await eventually(
      async () => (await world.send('GET', `/jobs/${jobId}`)).body,
      ({ started_at }) => started_at !== null,
    );
    const job = await world.finished(jobId);
    assert.equal(job.status, 'done');
    assert.equal(job.started_at, resting.started_at);
    assert.equal((await rowOf(world, jobId)).attempt, 2);
  });

  test('a job that rests between attempts is processing, and once cancelled it is never tried again', async () => {
    await using world = await openWorld();
    await using _held = await world.hold(); // without this, it would continue before it is cancelled
    world.provider.handler = async (request, { attempt }) => {
      if (attempt === 1) throw new ProviderError('unavailable', 'Busy.', { retryAfterMs: 2_000 });
      return world.provider.answer(request);
    };
    const jobId = await world.create();
    await eventually(
      () => rowOf(world, jobId),
      ({ attempt, worker }) => attempt === 1 && worker === null,
    );
    assert.equal((await world.send('GET', `/jobs/${jobId}`)).body.status, 'processing');
    const { status, body } = await world.send('POST', `/jobs/${jobId}/cancel`);
    assert.deepEqual([status, body.status, body.error_code], [200, 'failed', 'cancelled']);
    await world.elapse(60_000);
    await maintainOnce(world.app.database, world.watch);
    assert.equal(world.provider.requests.length, 1);
    assert.deepEqual(await world.balance(), full);
  });
});
