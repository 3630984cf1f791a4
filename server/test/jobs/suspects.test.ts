import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AttemptFailure, Job } from '../../src/jobs/job.ts';
import { decideWithSuspects } from '../../src/jobs/queue/decide-with-suspects.ts';
import { createEndWriter } from '../../src/jobs/queue/end-writer.ts';
import { companyOf } from '../../src/jobs/queue/suspects.ts';
import { noteWorker } from '../../src/jobs/queue/worker-store.ts';
import { until } from '../faults/support/server.ts';
import { postText } from '../http/support/requests.ts';
import { TestProvider } from '../world/provider.ts';
import { claimOnce, maintainOnce } from '../world/run-once.ts';
import { openWorld, testRoutes, type World } from '../world/world.ts';

const slots = 16;
/** The time between two losses of one job. */
const gapMs = 20_000;

async function createJobs(world: World, count: number): Promise<string[]> {
  const created = await Promise.all(Array.from({ length: count }, () => postText(world)));
  return created.map(({ body }) => String(body.job_id));
}

/** Claims jobs as an idle worker would. The leases expire at once. */
function claim({ app, watch, provider }: World, worker: string): Promise<Job[]> {
  const routes = testRoutes(provider, { slots: 100 });
  return claimOnce(app.database, watch, { worker, routes, limit: slots, slots, leaseMs: 0 });
}

async function lose(world: World): Promise<void> {
  for (;;) {
    const { reclaimed, failed } = await maintainOnce(world.app.database, world.watch);
    if (reclaimed + failed === 0) break;
  }
  await world.elapse(gapMs);
}

async function finish({ app }: World, jobs: readonly Job[], worker: string): Promise<void> {
  const write = createEndWriter(app.database, () => {});
  const outcome = { status: 'failed', error: 'No.', errorCode: 'safety_blocked' } as const;
  const ends = jobs.map(({ id, attempt }) => ({ jobId: id, attempt, worker, outcome }));
  const written = await Promise.all(ends.map((settlement) => write({ kind: 'settle', settlement })));
  assert.ok(written.every(Boolean), 'a worker that lives lost its lease');
}

async function endOf(world: World, jobId: string) {
  const { body } = await world.send('GET', `/jobs/${jobId}`);
  return [body.status, body.error_code];
}

const full = { balance: '100.00', reserved: '0.00', available: '100.00' };

describe('workers that die', { concurrency: true }, () => {
  test('fail no job if twenty are killed from outside with everything they run', async () => {
    await using world = await openWorld({ worker: false });
    const ids = await createJobs(world, 2 * slots);
    for (let death = 1; death <= 20; death++) {
      await claim(world, `killed-${death}`);
      await lose(world);
    }
    for (const id of ids) assert.notDeepEqual(await endOf(world, id), ['failed', 'interrupted']);
    for (let round = 1; (await world.balance()).reserved !== '0.00'; round++) {
      assert.ok(round <= ids.length, 'a job does not run any more');
      await finish(world, await claim(world, 'healthy'), 'healthy');
    }
    for (const id of ids) assert.deepEqual(await endOf(world, id), ['failed', 'safety_blocked']);
  });

  test('a job that kills every worker fails after six of them, and makes no other job fail', async () => {
    await using world = await openWorld({ worker: false });
    const ids = await createJobs(world, 2 * slots);
    const killer = ids[5] ?? '';
    const deaths: number[] = [];
    for (let round = 1; (await world.balance()).reserved !== '0.00'; round++) {
      assert.ok(round < 50, 'the queue does not end');
      const worker = `worker-${round}`;
      const jobs = await claim(world, worker);
      if (jobs.some(({ id }) => id === killer)) deaths.push(jobs.length);
      else await finish(world, jobs, worker);
      await lose(world);
    }
    assert.deepEqual(deaths, [slots, slots, slots / 4, 1, 1, 1]);
    assert.deepEqual(await endOf(world, killer), ['failed', 'interrupted']);
    for (const id of ids)
      if (id !== killer) assert.deepEqual(await endOf(world, id), ['failed', 'safety_blocked']);
    assert.deepEqual(await world.balance(), full);
  });

  test('jobs that lost no worker get their turn, however many suspects there are', async () => {
    await using world = await openWorld({ worker: false });
    await createJobs(world, slots);
    const dieWith = async (worker: string) => {
      const jobs = await claim(world, worker);
      await lose(world);
      return jobs.map(({ id }) => id);
    };
    for (const worker of ['first', 'second']) assert.equal((await dieWith(worker)).length, slots);
    const others = await createJobs(world, 2);
    const taken = new Set<string>();
    // Suspects alone would take the next 52 turns. After two losses of each, the chance that no turn went to another
    // job is one in forty million.
    for (let death = 1; death <= 36; death++)
      for (const id of await dieWith(`killed-${death}`)) taken.add(id);
    assert.ok(others.every((id) => taken.has(id)));
    assert.ok(taken.size > others.length, 'suspects get theirs, too');
  });

  test('leases that expire under living workers do not count, however often they expire', async () => {
    await using world = await openWorld({ worker: false });
    const [id = ''] = await createJobs(world, 1);
    const { database } = world.app;
    const report = (worker: string) => database.transaction((tx) => noteWorker(tx, worker, slots));
    for (let pause = 1; pause <= 12; pause++) {
      const worker = `paused-${pause}`;
      const [job] = await claim(world, worker);
      assert.equal(job?.attempt, pause);
      await lose(world);
      await report(worker); // the worker continues, and finds its lease lost
    }
    await finish(world, await claim(world, 'healthy'), 'healthy');
    assert.deepEqual(await endOf(world, id), ['failed', 'safety_blocked']);
  });

  test('a busy worker finishes its jobs, and then runs the suspect alone', async () => {
    const provider = new TestProvider();
    const release = new Map<string, () => void>();
    const running = new Set<string>();
    const company = new Map<string, string[]>();
    provider.handler = async (request) => {
      running.add(request.jobId);
      for (const id of running) company.set(id, [...(company.get(id) ?? []), ...running]);
      await new Promise<void>((resolve) => release.set(request.jobId, resolve));
      running.delete(request.jobId);
      return provider.answer(request);
    };
    await using world = await openWorld({ replacements: { routes: testRoutes(provider, { slots: 2 }) } });
    const busy = await createJobs(world, 2);
    await until(() => running.size === 2);
    const [suspect = ''] = await createJobs(world, 1);
    await world.app.database.transaction((tx) =>
      tx
        .updateTable('jobs')
        .set({ failures: JSON.stringify(lost(3)) })
        .where('id', '=', suspect)
        .execute(),
    );
    const [after = ''] = await createJobs(world, 1);
    const end = async (id: string) => {
      release.get(id)?.();
      assert.equal((await world.finished(id)).status, 'done');
    };
    for (const id of busy) await end(id);
    for (const left = new Set([suspect, after]); left.size > 0; ) {
      await until(() => [...left].some((id) => running.has(id)));
      for (const id of left)
        if (running.has(id)) {
          await end(id);
          left.delete(id);
        }
    }
    assert.deepEqual(new Set(company.get(suspect)), new Set([suspect]));
    assert.deepEqual(new Set(company.get(after)), new Set([after]));
  });
});

const lost = (count: number): AttemptFailure[] =>
  Array.from({ length: count }, (_, attempt) => ({
    attempt,
    at: 0,
    route: 'r',
    kind: 'lost',
    message: 'Lost.',
  }));
const candidate = (id: string, losses = 0, accountId = 'a') => ({
  ...{ id, accountId, keyId: accountId, model: 'nb2', routes: ['r'] },
  ...{ losses, company: companyOf(lost(losses), slots) },
});
const situation = {
  running: [],
  free: [{ routeId: 'r', free: 10 }],
  mostRunning: () => undefined,
  worker: 'own',
  workers: ['own', 'other'],
  held: { jobs: 0, company: Number.POSITIVE_INFINITY },
};
const idsOf = (claims: readonly { jobId: string }[]) => claims.map(({ jobId }) => jobId);

test('one lost worker changes nothing; after two a job runs with few others, then alone', () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((losses) => companyOf(lost(losses), slots)),
    [Infinity, Infinity, 4, 1, 1],
  );
  assert.equal(companyOf(lost(2), 1), 1);
});

test('two times in three, an idle worker claims suspects that may run together, and nothing else with them', () => {
  const suspects = [candidate('2', 2), candidate('3', 3), candidate('4', 2), candidate('5', 2)];
  const few = { ...situation, held: { jobs: 3, company: 4 } };
  const turn = (other: string) =>
    [situation, few].map((one) => idsOf(decideWithSuspects([candidate(other), ...suspects], one, 10)));
  assert.deepEqual(turn('a0'), [['2', '4', '5'], ['2']]);
  assert.deepEqual(turn('a1'), [['a1'], []]);
  assert.deepEqual(turn('a2'), [['2', '4', '5'], ['2']]);
  assert.deepEqual(idsOf(decideWithSuspects([candidate('1'), candidate('3', 3)], few, 1)), []);
});

test('a busy worker stops claiming for its own suspects; another leaves them one slot and continues', () => {
  const busy = { ...situation, held: { jobs: 5, company: Number.POSITIVE_INFINITY } };
  const suspects = ['s1', 's2', 's3', 's4', 's5', 's6'].map((id) => candidate(id, 3));
  const others = ['t1', 't2', 't3'].map((id) => candidate(id));
  const by = (worker: string, waiting: typeof others, free = 10) =>
    idsOf(decideWithSuspects(waiting, { ...busy, worker, free: [{ routeId: 'r', free }] }, 10));
  const owners = new Set<boolean>();
  for (const suspect of suspects) {
    const [own, other] = [by('own', [suspect, ...others]), by('other', [suspect, ...others])];
    assert.deepEqual([own.length, other.length].toSorted(), [0, 3], 'one of the two stops for it');
    owners.add(own.length === 0);
    const [lastSlot, lastOfOther] = [
      by('own', [suspect, ...others], 1),
      by('other', [suspect, ...others], 1),
    ];
    assert.deepEqual([lastSlot, lastOfOther], [[], []], 'the slot is left to it');
  }
  assert.equal(owners.size, 2, 'each of the two stops for some');
  assert.deepEqual(by('own', suspects, 0), []);
  assert.deepEqual(by('own', [...suspects, { ...candidate('t1'), routes: ['q'] }], 0), []);
});

test('a suspect that cannot run now delays no other job', () => {
  const busy = { ...situation, held: { jobs: 5, company: Number.POSITIVE_INFINITY } };
  const elsewhere = { ...candidate('s', 3), routes: ['full'] };
  for (const held of [busy.held, situation.held])
    assert.deepEqual(idsOf(decideWithSuspects([elsewhere, candidate('1')], { ...busy, held }, 10)), ['1']);
});
