import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { endKeyNow } from '../../src/accounts/key-store.ts';
import { takeTry } from '../../src/accounts/sign-in/sign-in-limit-store.ts';
import { followClock } from '../../src/base/db/follow-clock.ts';
import { readNow } from '../../src/base/db/rows.ts';
import { createRateLimiter, takeOne } from '../../src/base/http/rate-limit.ts';
import { createClockWatch } from '../../src/base/std/clock-watch.ts';
import { newId } from '../../src/base/std/ids.ts';
import { readConfig } from '../../src/config/config.ts';
import { sweepOrphans } from '../../src/images/sweep-orphans.ts';
import { holdKeyIfFree } from '../../src/jobs/admission/idempotency-store.ts';
import { decideRetry } from '../../src/jobs/queue/decide-retry.ts';
import { extendLeases } from '../../src/jobs/queue/lease-store.ts';
import { listRunningWorkers, noteWorker } from '../../src/jobs/queue/worker-store.ts';
import { openCircuit } from '../../src/jobs/routes/circuit-store.ts';
import { listEndings } from '../../src/jobs/upkeep/metrics-store.ts';
import { listProcesses, noteProcess } from '../../src/jobs/upkeep/process-store.ts';
import { recordInterrupted } from '../../src/notify/webhooks/deliveries/attempt-recorder.ts';
import { ProviderError } from '../../src/upstream/providers/provider.ts';
import { receiverNetwork, startReceiver } from '../webhooks/support/receiver.ts';
import { HeldClock } from '../world/clock.ts';
import { TestProvider } from '../world/provider.ts';
import { recordTime } from '../world/record-time.ts';
import { claimOnce, maintainOnce } from '../world/run-once.ts';
import { openWorld, testRoutes, type World } from '../world/world.ts';
import { until } from './support/server.ts';

const timeout = 120_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const jumps = [
  ['an hour forward', hourMs],
  ['an hour back', -hourMs],
] as const;

// Shorter than in production, so that a lease expires during the test.
const leaseMs = 8_000;
const policy = { ...readConfig({}).worker, leaseMs, heartbeatMs: 500 };
// A lease and the rests that the tests request, and as much again for a slow machine.
const withinMs = 40_000;

// The tests mostly wait. With more at once, this process would open worlds for longer than a lease lasts.
const concurrency = 3;

for (const [name, byMs] of jumps) {
  describe(`the clock jumps ${name}`, { concurrency }, () => {
    test('jobs that wait, run, rest or lost their worker are all done soon, each made and paid for once', {
      timeout,
    }, async () => {
      const provider = new TestProvider();
      const release = Promise.withResolvers<void>();
      const unblock = Promise.withResolvers<void>();
      provider.handler = async (request, { attempt }) => {
        if (request.prompt === 'runs') await release.promise;
        if (request.prompt === 'blocks') await unblock.promise;
        if (request.prompt === 'rests' && attempt === 1)
          throw new ProviderError('unavailable', 'It is busy.', { retryAfterMs: 3_000 });
        return provider.answer(request);
      };
      const routes = testRoutes(provider, { slots: 2 }).map((route) => ({ ...route, perMinute: 120 }));
      await using world = await openWorld({ config: { worker: policy }, replacements: { routes } });
      const { database } = world.app;

      const running = await world.create(undefined, { prompt: 'runs' });
      const resting = await world.create('/nb/text-generations', { prompt: 'rests' });
      await until(async () => (await rowOf(world, resting)).failures !== '[]');
      const ill = { state: 'open', openMs: 3_000, reason: 'unavailable', detail: null, failures: 1 } as const;
      await database.transaction((tx) => openCircuit(tx, { route: 'pro/test', ...ill }));
      const routeless = await world.create('/text-generations');
      const blocking = await world.create(undefined, { prompt: 'blocks' });
      // By their number, the request could be that of the resting job's second attempt.
      await until(() => provider.requests.some(({ request }) => request.prompt === 'blocks'));
      const orphaned = await world.create();
      const places = { routes: testRoutes(provider, { slots: 3 }), limit: 1 };
      const [lost] = await claimOnce(database, world.watch, { worker: 'dead', leaseMs, ...places });
      assert.equal(lost?.id, orphaned);
      const queued = await world.create(undefined, {}, { 'idempotency-key': 'before-the-jump' });
      unblock.resolve();
      await world.finished(blocking);

      await world.jump(byMs);
      const jumpedAt = performance.now();
      // The second slot becomes free when the dead worker's lease expires; the running job's lease has been
      // extended by then.
      for (const id of [orphaned, queued, resting, routeless])
        assert.equal((await world.finished(id)).status, 'done');
      release.resolve();
      assert.equal((await world.finished(running)).status, 'done');
      const later = await world.create();
      assert.equal((await world.finished(later)).status, 'done');
      const tookMs = performance.now() - jumpedAt;
      assert.ok(tookMs < withinMs, `it took ${Math.round(tookMs)} ms`);

      const asked = provider.requests.map(({ request, attempt }) => `${request.jobId} ${attempt}`);
      const expected = [
        `${running} 1`,
        `${blocking} 1`,
        `${orphaned} 2`,
        `${queued} 1`,
        `${resting} 1`,
        `${resting} 2`,
        `${routeless} 1`,
        `${later} 1`,
      ];
      assert.deepEqual(asked.sort(), expected.sort());
      assert.deepEqual(await world.balance(), { balance: '99.70', reserved: '0.00', available: '99.70' });
      const replay = await world.send('POST', '/nb2/text-generations', {
        body: { prompt: 'a fox', aspect_ratio: '1:1' },
        headers: { 'idempotency-key': 'before-the-jump' },
      });
      assert.equal(replay.body.job_id, queued);
    });

    test('a lease lasts exactly its length of time', { timeout }, async () => {
      const provider = new TestProvider();
      const release = Promise.withResolvers<void>();
      provider.handler = async (request) => {
        await release.promise;
        return provider.answer(request);
      };
      const routes = testRoutes(provider, { slots: 1 });
      await using world = await openWorld({ config: { worker: policy }, replacements: { routes } });
      const { database } = world.app;
      await world.create();
      await until(() => provider.requests.length === 1);
      const jobId = await world.create(); // the only slot is used, so only this test's worker claims the job
      const places = { routes: testRoutes(provider, { slots: 2 }), limit: 1 };
      const [claimed] = await claimOnce(database, world.watch, { worker: 'slow', leaseMs, ...places });
      assert.equal(claimed?.id, jobId);

      await world.jump(byMs);
      await sleep(leaseMs / 2); // expired leases are searched for every second
      const lease = { jobId, attempt: 1, worker: 'slow' };
      const extendedAt = performance.now();
      assert.deepEqual(await database.transaction((tx) => extendLeases(tx, [lease], leaseMs)), [jobId]);
      release.resolve();
      assert.equal((await world.finished(jobId)).status, 'done');
      const heldMs = performance.now() - extendedAt;
      assert.ok(heldMs > leaseMs - 100 && heldMs < withinMs, `it was held for ${Math.round(heldMs)} ms`);
      assert.deepEqual(
        provider.requests.map(({ attempt }) => attempt),
        [1, 2],
      );
    });

    test('a webhook that waits for its next attempt comes soon', { timeout }, async () => {
      await using receiver = await startReceiver();
      receiver.answer = (response, _received, nth) => response.writeHead(nth === 1 ? 500 : 204).end();
      await using world = await openWorld({ env: { DARKROOM_ALLOW_NETWORKS: receiverNetwork } });
      await world.finished(await world.create(undefined, { callback_url: receiver.url }));
      await until(async () => typeof (await deliveriesOf(world))[0]?.failure === 'string');

      await world.jump(byMs);
      const jumpedAt = performance.now();
      await receiver.got(2);
      assert.ok(performance.now() - jumpedAt < withinMs);
      await until(async () => (await deliveriesOf(world)).every(({ status }) => status === 'delivered'));
      assert.equal(receiver.received.length, 2);
    });

    // Not concurrent with the others: the receiver has only 15 s, which other tests could use up.
    test('a webhook that is being sent is not sent twice', { timeout }, async () => {
      await using receiver = await startReceiver();
      const release = Promise.withResolvers<void>();
      receiver.answer = (response) => void release.promise.then(() => response.writeHead(204).end());
      await using world = await openWorld({ env: { DARKROOM_ALLOW_NETWORKS: receiverNetwork } });
      await world.finished(await world.create(undefined, { callback_url: receiver.url }));
      await receiver.got(1);

      await world.jump(byMs);
      await sleep(2_500); // leases of dead processes are searched for every second
      release.resolve();
      await until(async () => (await deliveriesOf(world)).every(({ status }) => status === 'delivered'));
      assert.equal(receiver.received.length, 1);
    });

    test('a link is valid until its time by the server’s clock', { timeout }, async () => {
      await using world = await openWorld();
      const { result } = await world.finished(await world.create());
      const { image_url: link } = result as { image_url: string }; // a done job has a result
      await world.jump(byMs);
      assert.equal(await statusOf(link), 200);
      await world.elapse(dayMs - byMs - 60_000);
      assert.equal(await statusOf(link), 200);
      // The expiry moves in steps of an hour, so a link may be valid for up to an hour longer.
      await world.elapse(60 * 60_000 + 61_000);
      assert.equal(await statusOf(link), 403);
    });

    test('a dead request blocks its key, and sign-ins their limit, no longer than without the jump', {
      timeout,
    }, async () => {
      await using world = await openWorld();
      const { database } = world.app;
      const holdMs = 60_000;
      const hold = { accountId: world.accountId, key: 'dead', fingerprint: '', holder: 'dead', holdMs };
      assert.equal(await database.transaction((tx) => holdKeyIfFree(tx, hold)), true);
      const limit = { id: 'address 192.0.2.7', burst: 2, everyMs: 1_000 };
      const tryNow = () => database.transaction((tx) => takeTry(tx, limit));
      assert.deepEqual([await tryNow(), await tryNow()], [0, 0]);

      await world.jump(byMs);
      await until(async () => (await heldFor(world)) <= holdMs);
      await until(async () => (await tryNow()) <= limit.burst * limit.everyMs);
    });

    test('a dead worker and a dead process are gone as soon as without the jump', { timeout }, async () => {
      await using world = await openWorld();
      const { database } = world.app;
      await database.transaction((tx) => noteWorker(tx, 'dead', 8));
      await database.transaction((tx) => noteProcess(tx, 'dead', { role: 'worker', version: '0' }));
      await recordTime(world);
      await world.jump(byMs);
      await followClock(database);
      await world.elapse(120_000);
      const workers = await listRunningWorkers(database.read);
      const processes = await listProcesses(database.read);
      const names = [...workers.map(({ worker }) => worker), ...processes.map(({ process }) => process)];
      assert.equal(names.includes('dead'), false);
    });

    test('a disabled key is refused, even where it was cached a moment ago', {
      timeout,
    }, async () => {
      await using world = await openWorld();
      const { key, keyId } = await world.account('other');
      const ask = async () =>
        (await world.send('GET', '/balance', { headers: { authorization: `Bearer ${key}` } })).status;
      assert.equal(await ask(), 200);
      await world.jump(byMs);
      assert.equal(await ask(), 200);
      await world.app.database.transaction((tx) => endKeyNow(tx, keyId));
      await until(async () => (await ask()) === 401);
    });

    test('a request limit neither blocks for longer nor admits more at once', () => {
      const clock = new HeldClock();
      const limiter = createRateLimiter(clock);
      const take = () => takeOne(limiter, { id: 'key', perSecond: 1, burst: 2 }).allowed;
      assert.deepEqual([take(), take(), take()], [true, true, false]);
      clock.jump(byMs);
      take();
      clock.advance(1_000);
      assert.equal(take(), true);
      clock.advance(dayMs);
      assert.deepEqual([take(), take(), take()], [true, true, false]);
    });

    test('jobs that ended before the jump are counted', { timeout }, async () => {
      await using world = await openWorld();
      await world.finished(await world.create());
      await world.elapse(60_000);
      await world.jump(byMs);
      assert.equal((await listEndings(world.app.database.read, 0, 10)).length, 1);
    });
  });
}

// PostgreSQL's clock cannot be set between two statements of another session, so on PostgreSQL this only shows that
// nothing is given up.
test('a clock that is set forward during the search for dead processes ends no lease', {
  timeout,
}, async () => {
  await using receiver = await startReceiver();
  const release = Promise.withResolvers<void>();
  receiver.answer = (response) => void release.promise.then(() => response.writeHead(204).end());
  await using world = await openWorld({ env: { DARKROOM_ALLOW_NETWORKS: receiverNetwork } });
  const { database } = world.app;
  await world.finished(await world.create(undefined, { callback_url: receiver.url }));
  await receiver.got(1);
  world.provider.handler = async (request) => {
    await release.promise;
    return world.provider.answer(request);
  };
  const running = await world.create();
  await until(() => world.provider.requests.length === 2);

  const { ask, ...watch } = createClockWatch(world.clock);
  const leases = {
    leaseMs: hourMs,
    watch: {
      ...watch,
      ask() {
        const answered = ask();
        return (shownMs: number) => {
          answered(shownMs);
          world.clock.jump(2 * hourMs);
        };
      },
    },
  };
  const nobody = () => assert.fail('somebody was woken');
  assert.equal(await recordInterrupted(database, leases), 0);
  const given = { maxQueuedMs: dayMs, jobTimeoutMs: dayMs, leases, onSettled: nobody, onClaimable: nobody };
  assert.equal((await maintainOnce(database, leases.watch, given)).reclaimed, 0);
  release.resolve();
  assert.equal((await world.finished(running)).status, 'done');
});

test('a running request’s inputs are not swept away after a jump forward', { timeout }, async () => {
  await using world = await openWorld();
  const { images } = world.app;
  const bytes = Buffer.from('an input');
  await images.put(`inputs/${newId(Date.now())}/0`, bytes, { mediaType: 'image/png', bytes: bytes.length });
  await world.jump(hourMs);
  const isKnown = async () => new Set<string>();
  const swept = await sweepOrphans(images, { prefix: 'inputs/', isKnown, nowMs: world.clock.nowMs() });
  assert.deepEqual(swept, { seen: 1, removed: 0 });
});

test('passed time is distinguished from a clock that was set forward, even for what began since the last check', () => {
  const clock = new HeldClock();
  const watch = createClockWatch(clock);
  const look = () => watch.ask()(clock.nowMs());
  const passedSince = (then: number) => Math.round((clock.nowMs() - watch.restate(then)) / 1_000);
  look();
  clock.advance(60_000);
  const then = clock.nowMs();
  look();
  clock.advance(800);
  const sinceLook = clock.nowMs();
  clock.jump(hourMs);
  clock.advance(4_200);
  const after = clock.nowMs();
  look();
  assert.deepEqual([passedSince(then), passedSince(sinceLook), passedSince(after)], [5, 4, 0]);
  assert.equal(watch.wasSetForwardWithin(20_000), true);
  clock.advance(20_000);
  look();
  assert.equal(watch.wasSetForwardWithin(20_000), false);
  clock.jump(-hourMs);
  look();
  assert.deepEqual([passedSince(then), passedSince(sinceLook)], [25, 24]);
});

test('a job that is lost before and after a jump back rests as long as between any two losses', () => {
  const at = Date.now();
  const lost = (attempt: number, at: number) =>
    ({ attempt, at, route: 'nb2/test', kind: 'lost', message: 'It was lost.' }) as const;
  const decision = decideRetry([lost(1, at), lost(2, at - hourMs)], { leftMs: 900_000 });
  assert.deepEqual(decision, { kind: 'retry', delayMs: 20_000 });
});

async function rowOf({ app }: World, jobId: string) {
  return app.database.read
    .selectFrom('jobs')
    .select('failures')
    .where('id', '=', jobId)
    .executeTakeFirstOrThrow();
}

async function deliveriesOf({ app }: World) {
  return app.database.read.selectFrom('deliveries').select(['status', 'failure']).execute();
}

async function heldFor({ app: { database } }: World): Promise<number> {
  const record = await database.read
    .selectFrom('idempotency_keys')
    .select('held_until')
    .where('key', '=', 'dead')
    .executeTakeFirst();
  return (record?.held_until ?? 0) - (await readNow(database.read));
}

async function statusOf(link: string): Promise<number> {
  const response = await fetch(link);
  await response.arrayBuffer();
  return response.status;
}
