import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { notBilled } from '../../src/jobs/costs/charge.ts';
import type { Lease } from '../../src/jobs/job.ts';
import { findJob } from '../../src/jobs/job-store.ts';
import type { ClaimedJob } from '../../src/jobs/queue/claim-jobs.ts';
import { type AttemptEnd, createEndWriter } from '../../src/jobs/queue/end-writer.ts';
import { keepLeases } from '../../src/jobs/queue/keep-leases.ts';
import { noteRemoteIdIfLeased } from '../../src/jobs/queue/lease-store.ts';
import { createEndRecorder } from '../../src/jobs/queue/record-end.ts';
import type { RunningJob } from '../../src/jobs/queue/running-job.ts';
import { TestProvider } from '../world/provider.ts';
import { claimOnce, maintainOnce } from '../world/run-once.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld, testRoutes } from '../world/world.ts';
import { openContenders } from './support/contenders.ts';
import { overtakenBy } from './support/overtaken.ts';

const world = await openWorld({ worker: false });
after(() => world[Symbol.asyncDispose]());
const { database } = world.app;
const settled: string[] = [];
const write = createEndWriter(database, (jobIds) => settled.push(...jobIds));
const leaseMs = 60_000;

/** A worker has lost a job's first attempt and begun the second one, so both attempts have the same worker name. */
describe('of two attempts of a job by one worker, the first', () => {
  let first: Lease;
  let second: Lease;
  let claimed: ClaimedJob;

  async function claimAgain(jobId: string, attempt: number, forMs: number): Promise<Lease> {
    const routes = testRoutes(world.provider);
    const options = { worker: 'own', routes, limit: 1, leaseMs: forMs };
    const [job] = await claimOnce(database, world.watch, options);
    assert(job);
    assert.deepEqual([job.id, job.attempt], [jobId, attempt]);
    claimed = job;
    return { jobId, attempt, worker: 'own' };
  }

  async function loseAndClaimAgain(jobId: string): Promise<Lease> {
    assert.equal((await maintainOnce(database, world.watch)).reclaimed, 1);
    await world.elapse(60_000); // jobs that lost their worker rest
    return claimAgain(jobId, 2, leaseMs);
  }

  beforeEach(async () => {
    await openContenders(world).settleAll();
    const jobId = await world.create();
    first = await claimAgain(jobId, 1, -1);
    second = await loseAndClaimAgain(jobId);
  });

  const ofSecond = () => database.read.selectFrom('jobs').where('id', '=', second.jobId);
  const readLease = () => ofSecond().select(['status', 'worker', 'remote_id']).executeTakeFirst();

  const held = (lease: Lease): RunningJob => ({
    ...{ job: claimed, lease, stop: new AbortController() },
    ...{ extendedAt: performance.now(), ended: Promise.resolve() },
  });
  const doneEnd = ({ jobId, attempt, worker }: Lease): AttemptEnd => {
    const key = `results/${jobId}/${attempt}.png`;
    const image = {
      key,
      mediaType: 'image/png',
      width: 1024,
      height: 1024,
      bytes: 1,
      sha256: '0'.repeat(64),
    } as const;
    const outcome = { status: 'done', image, aspectRatio: '1:1', notes: [], costMicros: null } as const;
    return { kind: 'settle', settlement: { jobId, attempt, worker, outcome } };
  };
  const failEnd = ({ jobId, attempt, worker }: Lease): AttemptEnd => {
    const outcome = { status: 'failed', error: 'No.', errorCode: 'safety_blocked' } as const;
    return { kind: 'settle', settlement: { jobId, attempt, worker, outcome } };
  };
  const retryEnd = (lease: Lease): AttemptEnd => {
    return { kind: 'retry', retry: { lease, failures: [], delayMs: 0, remoteId: 'of-its-own' } };
  };

  for (const [what, endOf] of Object.entries({ doneEnd, failEnd, retryEnd }))
    test(`ends nothing (${what}), and the second ends the job`, async () => {
      assert.equal(await write(endOf(first)), false);
      assert.deepEqual({ ...(await readLease()) }, { status: 'processing', worker: 'own', remote_id: null });
      assert.deepEqual(await Promise.all([write(endOf(first)), write(doneEnd(second))]), [false, true]);
      const ended = await findJob(database.read, second.jobId);
      assert.deepEqual([ended?.status, ended?.image?.key], ['done', `results/${second.jobId}/2.png`]);
      const told = settled.filter((jobId) => jobId === second.jobId);
      assert.equal(told.length, 1, 'whoever waits for it is told once');
    });

  test('keeps no lease', async () => {
    const dueAt = async () => {
      const job = await ofSecond().select('claimable_at').executeTakeFirstOrThrow();
      return job.claimable_at;
    };
    const before = await dueAt();
    const [old, own] = [held(first), held(second)].map((one) => ({ ...one, extendedAt: 0 }));
    assert(old && own);
    const deps = { database, log: silentLog, leaseMs: 10 * leaseMs, patienceMs: 60_000 };
    assert.equal(await keepLeases(deps, [old]), true);
    assert.deepEqual([old.stop.signal.reason, old.extendedAt], ['lease_lost', 0]);
    assert.equal(await dueAt(), before);
    await keepLeases(deps, [own]);
    assert.equal(own.stop.signal.aborted, false);
    assert.ok(own.extendedAt > 0);
    assert.ok((await dueAt()) > before);
  });

  test('records no request at the upstream', async () => {
    const note = (lease: Lease, remoteId: string) =>
      database.transaction((tx) => noteRemoteIdIfLeased(tx, lease, remoteId));
    assert.equal(await note(second, 'of the second'), true);
    assert.equal(await note(first, 'of the first'), false);
    assert.equal((await findJob(database.read, second.jobId))?.remoteId, 'of the second');
  });

  test('has its upstream request cancelled, but not one that the second continues', async () => {
    const cancelled: string[] = [];
    const provider = Object.assign(new TestProvider(), {
      async cancel(remoteId: string) {
        cancelled.push(remoteId);
      },
    });
    const route = { id: 'nb2/test', model: 'nb2', provider, slots: 1, timeoutMs: 1_000 };
    const { images } = world.app;
    const record = createEndRecorder({ database, images, log: silentLog, leaseMs, onSettled: () => {} });
    await database.transaction((tx) => noteRemoteIdIfLeased(tx, second, 'of the second'));
    for (const remoteId of ['of the first', 'of the second']) {
      const outcome = {
        kind: 'stopped',
        reason: 'lease_lost',
        remoteId,
        charge: notBilled,
        tookMs: 1,
      } as const;
      const nothing = { end: null, report: null, cancelUpstream: null };
      assert.equal(await record(held(first), route, outcome, nothing), 'none');
    }
    assert.deepEqual(cancelled, ['of the first']);
  });

  test('does not end the job if it is overtaken between the read and the write of its end', {
    skip: database.kind === 'sqlite' && 'SQLite has one writer',
  }, async () => {
    await write(failEnd(second));
    const jobId = await world.create();
    const lost = await claimAgain(jobId, 1, -1);
    const on = overtakenBy(() => loseAndClaimAgain(jobId), database);
    assert.equal(await createEndWriter(on, () => {})(doneEnd(lost)), false);
    assert.equal((await findJob(database.read, jobId))?.status, 'processing');
  });
});
