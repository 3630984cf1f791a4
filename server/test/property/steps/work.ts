import assert from 'node:assert/strict';
import fc from 'fast-check';
import { extendLeases } from '../../../src/jobs/queue/lease-store.ts';
import type { Settlement } from '../../../src/jobs/settlement-store.ts';
import type { ModelId } from '../../../src/upstream/catalog/models.ts';
import { claimOnce } from '../../world/run-once.ts';
import {
  end,
  isOutOfTime,
  isOverdue,
  isPaused,
  isUnderWay,
  jobTimeoutMs,
  leaseMs,
  type ModelJob,
  type ModelLease,
  type ModelState,
  maxLost,
  promisedPixels,
  slotsPerModel,
} from '../model.ts';
import { isFull, mostOf, runningOf, subjectsOf } from '../model-limits.ts';
import { index, type Kind, step } from './step.ts';

const worker = fc.constantFrom('w1', 'w2');
const retryDelayMs = 5_000;

export const work: Record<string, Kind> = {
  claim: {
    weight: 5,
    steps: fc.tuple(worker, fc.integer({ min: 1, max: 4 })).map(([who, limit]) => claim(who, limit)),
  },
  heartbeat: { weight: 2, steps: worker.map(heartbeat) },
  finish: { weight: 4, steps: index.map(finish) },
  fail: { weight: 2, steps: index.map(fail) },
  retry: { weight: 2, steps: index.map(retry) },
  'zombie finish': { weight: 3, steps: index.map(zombieFinish) },
};

function claim(who: string, limit: number) {
  return step('claim', [who, limit], async (state, system) => {
    const settled: string[] = [];
    const claimed = await claimOnce(system.database, system.watch, {
      worker: who,
      routes: system.routes,
      limit,
      leaseMs,
      jobTimeoutMs,
      limitDefaults: state.defaults,
      onSettled: (jobIds) => settled.push(...jobIds),
    });

    for (const id of settled) {
      const job = state.jobs.find((job) => job.id === id);
      assert.ok(job && isUnderWay(job) && !job.lease, 'ended what was running or over');
      assert.ok(isOverdue(state, job) || isOutOfTime(state, job), 'ended before its time was over');
      end(job, isOverdue(state, job) ? 'deadline_exceeded' : 'timed_out');
    }

    assert.ok(claimed.length <= limit, 'more than the limit');
    for (const { id, attempt } of claimed) {
      const job = state.jobs.find((job) => job.id === id);
      assert.ok(job && mayBegin(state, job), 'began what may not begin');
      assert.equal(attempt, job.attempt + 1);
      const lease = { job, attempt, worker: who, until: state.nowMs + leaseMs };
      state.leases.push(lease);
      const startedAt = job.startedAt ?? state.nowMs;
      Object.assign(job, { status: 'processing', attempt, lease, startedAt });
      assertWithinLimits(state, job);
    }
    for (const { model } of claimed) assert.ok(freeOn(state, model) >= 0, `too many on ${model}`);
    const taken = state.jobs.filter(({ id }) => claimed.some((one) => one.id === id));
    if (taken.some(isSuspect)) return assertApart(taken);
    assertFair(state, taken);
    // Suspects and the others take turns.
    const isTurnOf = (job: ModelJob) => taken.length === 0 || !isSuspect(job);
    const forgotten = state.jobs.find(
      (job) =>
        mayBegin(state, job) &&
        isTurnOf(job) &&
        freeOn(state, job.model) > 0 &&
        !isFull(state, job.account, job.keyId),
    );
    assert.ok(
      claimed.length === limit || !forgotten,
      `a free slot stayed empty while ${forgotten?.id} waited`,
    );
  });
}

function mayBegin(state: ModelState, job: ModelJob): boolean {
  const isDue = isUnderWay(job) && !job.lease && job.claimableAt <= state.nowMs;
  const isHeldBack = job.status === 'queued' && isPaused(state, job.model);
  return isDue && !isHeldBack && !isOutOfTime(state, job) && !isOverdue(state, job);
}

function freeOn({ jobs }: ModelState, model: ModelId): number {
  return slotsPerModel - jobs.filter((job) => job.lease && job.model === model).length;
}

function assertWithinLimits(state: ModelState, { account, keyId }: ModelJob): void {
  for (const { kind, id } of subjectsOf(account, keyId)) {
    const most = mostOf(state, kind, id, 'running');
    assert.ok(most === undefined || runningOf(state, id) <= most, `too many of the ${kind} run`);
  }
}

function isSuspect({ lost }: ModelJob): boolean {
  return lost >= maxLost.free;
}

function assertApart(taken: readonly ModelJob[]): void {
  assert.ok(taken.every(isSuspect), 'a suspect began beside another job');
  const beside = taken.some(({ lost }) => lost >= maxLost.beside) ? 1 : Number.POSITIVE_INFINITY;
  assert.ok(taken.length <= beside, 'a suspect began beside another that should run alone');
}

/**
 * Asserts that no account was served before one that has fewer running jobs of the model and may run more. Suspects
 * take separate turns.
 */
function assertFair(state: ModelState, taken: readonly ModelJob[]): void {
  const runningOf = ({ account, model }: ModelJob) =>
    state.jobs.filter((job) => job.lease && job.account === account && job.model === model).length;
  for (const served of taken)
    for (const job of state.jobs)
      if (
        job.model === served.model &&
        mayBegin(state, job) &&
        !isSuspect(job) &&
        !isFull(state, job.account, job.keyId)
      )
        assert.ok(runningOf(served) - 1 <= runningOf(job), `${served.id} was served before its turn`);
}

function heartbeat(who: string) {
  return step('heartbeat', who, async (state, system) => {
    const all = state.leases.filter((lease) => lease.worker === who);
    const kept = await system.database.transaction((tx) => extendLeases(tx, all.map(fenceOf), leaseMs));
    const current = all.filter((lease) => lease.job.lease === lease);
    assert.deepEqual(kept.toSorted(), current.map((lease) => lease.job.id).toSorted());
    for (const lease of current) lease.until = state.nowMs + leaseMs;
  });
}

const currentLease = (state: ModelState, i: number): ModelLease | undefined => {
  const current = state.leases.filter((lease) => lease.job.lease === lease);
  return current[i % Math.max(1, current.length)];
};

function finish(i: number) {
  return step('finish', i, async (state, system) => {
    const lease = currentLease(state, i);
    if (!lease) return;
    assert.equal(await system.finish({ kind: 'settle', settlement: done(lease) }), true);
    end(lease.job, null);
  });
}

function fail(i: number) {
  return step('fail', i, async (state, system) => {
    const lease = currentLease(state, i);
    if (!lease) return;
    const outcome = { status: 'failed', error: 'No.', errorCode: 'safety_blocked' } as const;
    assert.equal(await system.finish({ kind: 'settle', settlement: { ...fenceOf(lease), outcome } }), true);
    end(lease.job, 'safety_blocked');
  });
}

function retry(i: number) {
  return step('retry', i, async (state, system) => {
    const lease = currentLease(state, i);
    if (!lease) return;
    const retry = { lease: fenceOf(lease), failures: [], delayMs: retryDelayMs, remoteId: null };
    assert.equal(await system.finish({ kind: 'retry', retry }), true);
    // This step replaces the list of failures, so that earlier losses are forgotten.
    Object.assign(lease.job, { lease: null, claimableAt: state.nowMs + retryDelayMs, lost: 0 });
  });
}

/** A worker that has lost its lease changes nothing, whatever it tries. */
function zombieFinish(i: number) {
  return step('zombie finish', i, async (state, system) => {
    const old = state.leases.filter((lease) => lease.job.lease !== lease);
    const lease = old[i % Math.max(1, old.length)];
    if (!lease) return;
    assert.equal(await system.finish({ kind: 'settle', settlement: done(lease) }), false);
    const retry = { lease: fenceOf(lease), failures: [], delayMs: 0, remoteId: null };
    assert.equal(await system.finish({ kind: 'retry', retry }), false);
  });
}

function fenceOf({ job, attempt, worker }: ModelLease) {
  return { jobId: job.id, attempt, worker };
}

function done(lease: ModelLease): Settlement {
  const { job, attempt } = lease;
  const image = {
    key: `results/${job.id}/${attempt}.png`,
    mediaType: 'image/png' as const,
    ...promisedPixels(job.model),
    bytes: 1,
    sha256: 'x',
  };
  return {
    ...fenceOf(lease),
    outcome: { status: 'done', image, aspectRatio: '1:1', notes: [], costMicros: null },
  };
}
