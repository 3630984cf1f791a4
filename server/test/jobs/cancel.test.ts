import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { objectsOf } from '../../src/images/object-keys.ts';
import { findJob } from '../../src/jobs/job-store.ts';
import { ProviderError } from '../../src/upstream/providers/provider.ts';
import { eventually } from '../http/support/requests.ts';
import { TestProvider } from '../world/provider.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld, testRoutes, type World } from '../world/world.ts';

const timeout = 60_000;

/** A provider that runs until it is stopped, and records the reason. */
class SlowProvider extends TestProvider {
  readonly begun = Promise.withResolvers<void>();
  readonly stopped = Promise.withResolvers<void>();
  readonly cancelled = Promise.withResolvers<string>();

  constructor() {
    super();
    this.handler = async (_request, { signal, onSubmitted }) => {
      await onSubmitted('upstream-1');
      this.begun.resolve();
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          this.stopped.resolve();
          reject(signal.reason);
        });
      });
      throw new Error('it never comes to this');
    };
  }

  async cancel(remoteId: string): Promise<void> {
    this.cancelled.resolve(remoteId);
  }
}

async function assertCancelled(world: World, jobId: string): Promise<void> {
  const { status, body } = await world.send('POST', `/jobs/${jobId}/cancel`);
  assert.deepEqual([status, body.status, body.error_code], [200, 'failed', 'cancelled']);
  assert.equal(body.error, 'The job was cancelled while it was being made.');
  assert.ok(body.started_at && body.finished_at);
  assert.deepEqual(await world.balance(), { balance: '100.00', reserved: '0.00', available: '100.00' });
}

test('cancelling a running job releases its money and stops the work, even at the upstream', {
  timeout,
}, async () => {
  const provider = new SlowProvider();
  // Only the cancel stops the work in time: no heartbeat, and not the route's time limit.
  const worker = { ...readConfig({}).worker, heartbeatMs: 600_000 };
  await using world = await openWorld({
    replacements: { routes: testRoutes(provider, { timeoutMs: 600_000 }) },
    config: { worker },
  });
  const jobId = await world.create();
  await provider.begun.promise;
  await assertCancelled(world, jobId);
  await provider.stopped.promise;
  assert.equal(await provider.cancelled.promise, 'upstream-1');
  assert.equal((await world.send('POST', `/jobs/${jobId}/cancel`)).body.code, 'job_not_cancellable');
  assert.equal((await world.send('POST', '/jobs/nobody/cancel')).body.code, 'not_found');
});

test('a worker in another process learns of the cancel, too', { timeout }, async () => {
  const provider = new SlowProvider();
  await using world = await openWorld({ worker: false });
  const worker = { ...readConfig({}).worker, heartbeatMs: 500 };
  await using _ = await startApp(
    { ...world.config, role: 'worker', worker },
    { clock: world.clock, log: silentLog, routes: testRoutes(provider) },
  );
  const jobId = await world.create();
  await provider.begun.promise;
  await assertCancelled(world, jobId);
  await provider.stopped.promise;
  assert.equal(await provider.cancelled.promise, 'upstream-1');
});

function restingProvider(): SlowProvider {
  const provider = new SlowProvider();
  provider.handler = async (_request, { onSubmitted }) => {
    await onSubmitted('upstream-1');
    throw new ProviderError('unavailable', 'Come back.', { resumable: true, retryAfterMs: 60_000 });
  };
  return provider;
}

async function untilResting(world: World, jobId: string): Promise<void> {
  await eventually(
    async () => (await findJob(world.app.database.read, jobId))?.failures.length,
    (failures) => failures === 1,
  );
}

test('a job that rests between attempts is cancelled at the upstream, too', { timeout }, async () => {
  const provider = restingProvider();
  const elsewhere = new SlowProvider();
  elsewhere.cancel = async () => provider.cancelled.resolve('at another provider');
  const routes = testRoutes(provider).map((route) => ({
    ...route,
    ...(route.model !== 'nb2' && { provider: elsewhere }),
  }));
  await using world = await openWorld({ replacements: { routes } });
  const jobId = await world.create();
  await untilResting(world, jobId);
  await assertCancelled(world, jobId);
  assert.equal(await provider.cancelled.promise, 'upstream-1');
});

test('so is a job of a cancelled batch', { timeout }, async () => {
  const provider = restingProvider();
  await using world = await openWorld({ replacements: { routes: testRoutes(provider) } });
  const request = { model: 'nb2', mode: 'text', body: { prompt: 'a fox', aspect_ratio: '1:1' } };
  const { body } = await world.send('POST', '/batches', { body: { requests: [request] } });
  const { body: list } = await world.send('GET', `/jobs?batch_id=${body.batch_id}`);
  const [job] = list.data as { job_id: string }[];
  await untilResting(world, job?.job_id ?? '');
  await world.send('POST', `/batches/${body.batch_id}/cancel`);
  assert.equal(await provider.cancelled.promise, 'upstream-1');
});

test('a resting job is also cancelled at the upstream if the workers are other processes', {
  timeout,
  skip: !process.env.TEST_DATABASE_URL && 'SQLite carries no hints between processes',
}, async () => {
  const provider = restingProvider();
  await using world = await openWorld({ worker: false });
  await using _ = await startApp(
    { ...world.config, role: 'worker' },
    { clock: world.clock, log: silentLog, routes: testRoutes(provider) },
  );
  const jobId = await world.create();
  await untilResting(world, jobId);
  await assertCancelled(world, jobId);
  assert.equal(await provider.cancelled.promise, 'upstream-1');
});

test('a request that an attempt submits after its job has failed is cancelled at the upstream', {
  timeout,
}, async () => {
  const provider = new SlowProvider();
  const release = Promise.withResolvers<void>();
  provider.handler = async (_request, { onSubmitted }) => {
    provider.begun.resolve();
    await release.promise;
    await onSubmitted('upstream-1');
    throw new Error('it never comes to this');
  };
  const worker = { ...readConfig({}).worker, heartbeatMs: 600_000 }; // this worker does not extend its lease
  await using world = await openWorld({
    replacements: { routes: testRoutes(provider, { timeoutMs: 600_000 }) },
    config: { worker },
  });
  const jobId = await world.create();
  await provider.begun.promise;
  await world.elapse(worker.jobTimeoutMs + worker.leaseMs);
  assert.equal((await world.finished(jobId)).error_code, 'interrupted');
  release.resolve();
  assert.equal(await provider.cancelled.promise, 'upstream-1');
});

test('the late result of a cancelled attempt is dropped: one end, one event, no image', {
  timeout,
}, async () => {
  const provider = new TestProvider();
  const begun = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  provider.handler = async (request) => {
    begun.resolve();
    await release.promise; // ignores its signal
    return provider.answer(request);
  };
  // Late heartbeats, so that the attempt ends before its worker learns of the cancel.
  const worker = { ...readConfig({}).worker, heartbeatMs: 10_000 };
  await using world = await openWorld({ worker: false });
  await using _ = await startApp(
    { ...world.config, role: 'worker', worker },
    { clock: world.clock, log: silentLog, routes: testRoutes(provider, { slots: 1 }) },
  );
  const jobId = await world.create();
  await begun.promise;
  await assertCancelled(world, jobId);
  release.resolve();
  // The slot is free again, so the next job is made.
  assert.equal((await world.finished(await world.create())).status, 'done');
  assert.equal((await world.send('GET', `/jobs/${jobId}`)).body.error_code, 'cancelled');
  const events = (await world.send('GET', '/events')).body.data as { type: string }[];
  assert.deepEqual(
    events.map(({ type }) => type),
    ['job.failed', 'job.done'],
  );
  await eventually(
    () => Array.fromAsync(world.app.images.list(objectsOf('results', jobId))),
    ({ length }) => length === 0,
  );
});
