import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { firstIdAt, lastIdAt, newId } from '../../src/base/std/ids.ts';
import { pauseJobs } from '../../src/jobs/admission/pause-jobs.ts';
import { findJob } from '../../src/jobs/job-store.ts';
import { decideClaims } from '../../src/jobs/queue/decide-claims.ts';
import { expectArrivals } from '../../src/jobs/queue/estimate/arrivals.ts';
import { estimateQueue } from '../../src/jobs/queue/estimate/estimate-queue.ts';
import type { Line, QueueState } from '../../src/jobs/queue/estimate/queue-state.ts';
import { ProviderError } from '../../src/upstream/providers/provider.ts';
import { eventually } from '../http/support/requests.ts';
import { TestProvider } from '../world/provider.ts';
import { openWorld, testRoutes, type World } from '../world/world.ts';
import { judge, replay } from './support/replay.ts';

interface Queue {
  position: number;
  ahead: number;
  eta: { p50: number; p95: number } | null;
  reason: string;
  until?: string;
  attempt?: number;
}

async function openSlow(): Promise<{ world: World; release: () => void } & AsyncDisposable> {
  const provider = new TestProvider();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  provider.handler = async (request) => {
    await released;
    return provider.answer(request);
  };
  const world = await openWorld({ replacements: { routes: testRoutes(provider, { slots: 1 }) } });
  return {
    world,
    release,
    async [Symbol.asyncDispose]() {
      release();
      await world[Symbol.asyncDispose]();
    },
  };
}

async function queueOf(world: World, jobId: string, key = world.key): Promise<Queue | undefined> {
  const { body } = await world.send('GET', `/jobs/${jobId}`, { headers: { authorization: `Bearer ${key}` } });
  return body.queue as Queue | undefined;
}

async function untilProcessing({ app: { database } }: World, jobId: string): Promise<void> {
  while ((await findJob(database.read, jobId))?.status === 'queued') await nextTurn();
}

test('a waiting job shows its place, the reason, and when it will end; one that runs or has ended does not', async () => {
  await using slow = await openSlow();
  const { world } = slow;
  const first = await world.create();
  await untilProcessing(world, first);
  const second = await world.create();
  const third = await world.create();
  // Times are unknown until the worker has reported itself.
  const next = await eventually(
    () => queueOf(world, second),
    (queue) => queue?.eta !== null,
  );
  assert.deepEqual([next?.position, next?.ahead, next?.reason], [1, 0, 'route_full']);
  const last = await queueOf(world, third);
  assert.deepEqual([last?.position, last?.ahead, last?.reason], [2, 1, 'turn']);
  assert.ok(next?.eta && last?.eta && next.eta.p50 < last.eta.p50 && last.eta.p50 < last.eta.p95);
  assert.equal(await queueOf(world, first), undefined);
  slow.release();
  for (const jobId of [first, second, third]) assert.equal('queue' in (await world.finished(jobId)), false);
});

test('the place follows the fair order: one job of another account is next, however many wait', async () => {
  await using world = await openWorld({ worker: false });
  const other = await world.account('other', { creditMicros: 1_000_000n });
  const own = [await world.create(), await world.create(), await world.create()];
  const theirs = await world.create(undefined, {}, { authorization: `Bearer ${other.key}` });
  const places = await Promise.all(own.map(async (jobId) => (await queueOf(world, jobId))?.ahead));
  // No worker runs, so neither the order of accounts nor the time can be estimated.
  assert.deepEqual(places, [0, 1, 2]);
  assert.equal((await queueOf(world, theirs, other.key))?.eta, null);
});

test('a job says that it waits for its next attempt, which one, and when', async () => {
  await using world = await openWorld();
  const failed = Promise.withResolvers<void>();
  world.provider.handler = () => {
    failed.resolve();
    return Promise.reject(new ProviderError('bad_response', 'The answer was no image.'));
  };
  let jobId: string;
  {
    await using _held = await world.hold(); // without this, the last attempt may fail before the test looks
    jobId = await world.create();
    await failed.promise;
    for (;;) {
      const queue = await queueOf(world, jobId);
      if (queue?.reason !== 'retry') continue;
      assert.equal(queue.attempt, 2);
      assert.ok(Date.parse(queue.until ?? '') > world.clock.nowMs());
      break;
    }
  }
  world.provider.handler = async (request) => world.provider.answer(request);
  assert.equal((await world.finished(jobId)).status, 'done');
});

test('a job of a paused model says so, and until when', async () => {
  await using world = await openWorld({ worker: false });
  const [endless, ending] = [await world.create('/nb/text-generations'), await world.create()];
  const until = world.clock.nowMs() + 60_000;
  for (const pause of [
    { scope: 'nb', until: null },
    { scope: 'nb2', until },
  ] as const)
    await pauseJobs(world.app, { ...pause, reason: null }, commandLine);
  assert.deepEqual(await queueOf(world, endless), { position: 1, ahead: 0, eta: null, reason: 'paused' });
  const queue = await queueOf(world, ending);
  assert.deepEqual([queue?.reason, queue?.until], ['paused', new Date(until).toISOString()]);
});

const quiet: QueueState = {
  nowMs: 1_700_000_000_000,
  routes: [{ id: 'nb2/a', model: 'nb2', slots: 2 }],
  workerSlots: 10,
  resting: new Map(),
  paces: new Map(),
  paused: new Map(),
  running: [],
  mostRunning: () => undefined,
  lines: [],
  recent: [],
};

function lineOf(accountId: string, count: number, fromMs = quiet.nowMs - 60_000): Line {
  const marks = Array.from({ length: count }, (_, index) => ({ rank: index + 1, id: newId(fromMs + index) }));
  return { accountId, model: 'nb2', marks };
}

const job = { id: null, accountId: 'a', keyId: 'key', model: 'nb2', retryAt: null };

test('a job says that its routes rest, take no more this minute, or that its account runs its most jobs', () => {
  const until = quiet.nowMs + 30_000;
  const lines = [lineOf('a', 1)];
  const resting = estimateQueue({ ...quiet, lines, resting: new Map([['nb2/a', until]]) }).of(job);
  assert.deepEqual([resting.reason, resting.until], ['route_resting', until]);
  assert.ok((resting.eta?.p50Ms ?? 0) > 30_000);
  const paced = estimateQueue({
    ...quiet,
    lines,
    routes: [{ id: 'nb2/a', model: 'nb2', slots: 2, perMinute: 30 }],
    paces: new Map([['nb2/a', until]]),
  }).of(job);
  assert.deepEqual([paced.reason, paced.until], ['paced', until]);
  const running = [
    {
      accountId: 'a',
      keyId: 'key',
      model: 'nb2',
      route: 'nb2/a',
      createdAt: quiet.nowMs,
      startedAt: quiet.nowMs,
    },
  ];
  const mostRunning = () => 1;
  assert.equal(estimateQueue({ ...quiet, lines, running, mostRunning }).of(job).reason, 'account_limit');
});

test('jobs begin in the order in which claims take them', () => {
  const batch = { ...lineOf('a', 40, quiet.nowMs - 90_000), ofBatches: true };
  const batches = [
    { accountId: 'a', first: firstIdAt(quiet.nowMs - 90_000), last: lastIdAt(quiet.nowMs - 89_000) },
  ];
  const lines = [
    lineOf('a', 15),
    lineOf('b', 2, quiet.nowMs - 30_000),
    lineOf('c', 1, quiet.nowMs - 10_000),
    batch,
  ];
  const running = [
    {
      accountId: 'a',
      keyId: 'key',
      model: 'nb2',
      route: 'nb2/a',
      createdAt: quiet.nowMs,
      startedAt: quiet.nowMs,
    },
    {
      accountId: 'c',
      keyId: 'key',
      model: 'nb2',
      route: 'nb2/a',
      createdAt: quiet.nowMs,
      startedAt: quiet.nowMs,
    },
  ];
  const routes = [{ id: 'nb2/a', model: 'nb2', slots: 60 }];
  const estimate = estimateQueue({ ...quiet, lines, batches, running, routes, workerSlots: 60 });
  const all = lines.flatMap(({ accountId, marks, ofBatches = false }) =>
    marks.map(({ id }) => ({ id, accountId, inBatch: ofBatches })),
  );
  const claims = decideClaims(
    all.map((one) => ({ ...one, keyId: 'key', model: 'nb2', routes: ['nb2/a'] })),
    running.map((one) => ({ ...one, count: 1 })),
    [{ routeId: 'nb2/a', free: 58 }],
    58,
  );
  const said = all
    .map((one) => ({ id: one.id, ahead: estimate.of({ ...job, ...one }).ahead }))
    .sort((one, other) => one.ahead - other.ahead);
  assert.deepEqual(
    said.map(({ id }) => id),
    claims.map(({ jobId }) => jobId),
  );
});

test('a queue of a hundred thousand is estimated to its end', () => {
  const ranks = [...Array(256).keys(), 4_095, 49_999, 99_999].map((index) => index + 1);
  const marks = ranks.map((rank) => ({ rank, id: newId(quiet.nowMs - 1_000_000 + rank) }));
  const lines: Line[] = [{ accountId: 'a', model: 'nb2', marks }, lineOf('b', 100)];
  const recent = Array.from({ length: 50 }, () => ({
    accountId: 'gone',
    model: 'nb2',
    route: 'nb2/a',
    createdAt: 0,
    startedAt: quiet.nowMs - 10_000,
    finishedAt: quiet.nowMs,
  }));
  const estimate = estimateQueue({ ...quiet, lines, recent });
  const middle = estimate.of({ ...job, id: marks.at(-2)?.id ?? '' });
  const last = estimate.of({ ...job, id: marks.at(-1)?.id ?? '' });
  const other = estimate.of({ ...job, accountId: 'b', id: lines[1]?.marks.at(-1)?.id ?? '' });
  assert.deepEqual([last.ahead, other.ahead < 202], [100_099, true]);
  const near = (ms: number | undefined, expected: number) =>
    assert.ok(ms !== undefined && Math.abs(ms / expected - 1) < 0.02, `${ms} is not about ${expected}`);
  near(middle.eta?.p50Ms, (50_100 / 2) * 10_000);
  near(last.eta?.p50Ms, (100_100 / 2) * 10_000);
});

test('the estimate expects jobs at the rate at which accounts sent them lately, from the first second on', () => {
  const minuteMs = 60_000;
  // Fifty accounts that each send one job per minute for ten minutes.
  const recent = Array.from({ length: 500 }, (_, index) => {
    const at = quiet.nowMs - 1 - Math.floor(index / 50) * minuteMs;
    return {
      ...{ accountId: `account-${index % 50}`, model: 'nb2', route: 'nb2/a' },
      ...{ createdAt: at, startedAt: at, finishedAt: at },
    };
  });
  const arrivals = expectArrivals({ ...quiet, recent });
  const within = (ms: number) =>
    arrivals.reduce((sum, { firstMs, everyMs }) => sum + Math.max(0, Math.ceil((ms - firstMs) / everyMs)), 0);
  for (const seconds of [6, 15, 30, 60, 300]) {
    const expected = (seconds * 50) / 60;
    const said = within(seconds * 1_000);
    assert.ok(Math.abs(said - expected) <= 2 + expected * 0.12, `${said} of ${expected} in ${seconds} s`);
  }
});

test('over replayed hours p50 is near the actual time, and jobs end before p95', () => {
  const { near, before } = judge(replay({ hours: 1, seed: 7, askEveryMs: 20_000 }));
  assert.ok(near >= 0.65, `${near} of them within a fifth`);
  assert.ok(before >= 0.9, `${before} of them before p95`);
});
