import assert from 'node:assert/strict';
import fc from 'fast-check';
import { creditAccount } from '../../src/accounts/credit-account.ts';
import { pause, resume } from '../../src/admission/pause-store.ts';
import type { ModelId, Resolution } from '../../src/catalog/models.ts';
import { specifiedIds as modelIds } from '../../src/catalog/specified-models.ts';
import { AppError } from '../../src/errors.ts';
import { cancelJob } from '../../src/jobs/cancel/cancel-job.ts';
import type { Settlement } from '../../src/jobs/settlement-store.ts';
import { extendLeases } from '../../src/queue/lease-store.ts';
import { newId } from '../../src/std/ids.ts';
import { claimOnce, maintainOnce } from '../world/run-once.ts';
import {
  end,
  isOutOfTime,
  isPaused,
  jobTimeoutMs,
  leaseMs,
  lose,
  type ModelJob,
  type ModelLease,
  type ModelState,
  maxQueuedMs,
  priceOf,
  promisedPixels,
  slotsPerModel,
} from './model.ts';
import type { System } from './system.ts';

/** One step: what it does to the real thing, and what the model says must come of it. */
export interface Step {
  name: string;
  /** How the step was drawn, for reproducing a failure by reading it. */
  text: string;
  run(state: ModelState, system: System): Promise<void>;
}

const step = (name: string, text: string, run: Step['run']): Step => ({
  name,
  text: `${name}(${text})`,
  run,
});

const index = fc.nat(50);
const accountIndex = fc.nat(1);
const resolutionFor = (model: ModelId): Resolution[] => (model === 'nb' ? ['1K'] : ['1K', '2K', '4K']);
const request = fc
  .record({
    account: accountIndex,
    model: fc.constantFrom(...modelIds),
    size: fc.nat(2),
    prompt: fc.constantFrom('fox', 'owl'),
    count: fc.constantFrom(1, 1, 1, 2, 3),
  })
  .map(({ model, size, ...rest }) => {
    const choices = resolutionFor(model);
    return { ...rest, model, resolution: choices[size % choices.length] ?? '1K' };
  });
type Request = typeof request extends fc.Arbitrary<infer Value> ? Value : never;
const worker = fc.constantFrom('w1', 'w2');

/** Every kind of step; the weights keep queues filled and money short. */
export const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: request.map((one) => create('create', one, null)) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(request, fc.constantFrom('k1', 'k2', 'k3'))
      .map(([one, key]) => create('replay', one, key)),
  },
  {
    weight: 5,
    arbitrary: fc.tuple(worker, fc.integer({ min: 1, max: 4 })).map(([who, limit]) => claim(who, limit)),
  },
  { weight: 2, arbitrary: worker.map(heartbeat) },
  { weight: 4, arbitrary: index.map((i) => finish(i)) },
  { weight: 2, arbitrary: index.map((i) => fail(i)) },
  { weight: 2, arbitrary: index.map((i) => retry(i)) },
  { weight: 2, arbitrary: index.map((i) => cancel(i)) },
  { weight: 2, arbitrary: fc.constantFrom(expireLeases(), expireEverything()) },
  { weight: 3, arbitrary: index.map((i) => zombieFinish(i)) },
  {
    weight: 1,
    arbitrary: fc.tuple(accountIndex, fc.bigInt(1n, 200_000n)).map(([i, amount]) => credit(i, amount)),
  },
  { weight: 1, arbitrary: fc.constantFrom('project' as const, ...modelIds).map(togglePause) },
  { weight: 1, arbitrary: fc.constant(restart()) },
);

export const stepNames = [
  'create',
  'replay',
  'claim',
  'heartbeat',
  'finish',
  'fail',
  'retry',
  'cancel',
  'expire',
  'zombie finish',
  'credit',
  'pause',
  'restart',
];

function create(
  name: string,
  { account: i, model, resolution, prompt, count }: Request,
  key: string | null,
): Step {
  return step(name, `${i}, ${model}, ${resolution}, ${prompt}, ${count}, ${key}`, async (state, system) => {
    const account = state.accounts[i % state.accounts.length];
    assert.ok(account);
    const ids = Array.from({ length: count }, () => newId(system.clock.nowMs()));
    const fingerprint = `${model} ${resolution} ${prompt} ${count}`;
    const price = priceOf(model, resolution);
    const total = price * BigInt(count);
    const sized = { model, resolution, priceMicros: price, aspectRatio: '1:1' } as const;
    const asked = { mode: 'text', prompt, requestedRatio: '1:1', metadata: null } as const;
    const nothing = { deadlineAt: null, origin: null, callbackUrl: null };
    const own = { ...asked, ...nothing, ...sized, modelVersion: 1, parameters: {} };
    const admission = await system.admit({
      asker: { accountId: account.id, keyId: account.keyId, clientTokenId: null, requestId: null },
      jobs: ids.map((id) => ({ ...own, id, inputs: [] })),
      inputBytes: 0,
      idempotency: key === null ? null : { key, fingerprint, holder: null },
    });

    const known = key === null ? undefined : account.keys.get(key);
    if (known) {
      const same = known.fingerprint === fingerprint;
      assert.deepEqual(admission, same ? { kind: 'replayed', jobIds: known.jobIds } : { kind: 'key_reused' });
    } else if (isPaused(state, model)) {
      assert.equal(admission.kind, 'paused');
    } else if (account.balance - account.reserved < total) {
      assert.deepEqual(admission, {
        kind: 'insufficient',
        availableMicros: account.balance - account.reserved,
      });
    } else {
      assert.deepEqual(admission, { kind: 'admitted', jobIds: ids });
      account.reserved += total;
      if (key !== null) account.keys.set(key, { fingerprint, jobIds: ids });
      const fresh = { attempt: 0, startedAt: null, lease: null, resting: false, lost: 0 };
      for (const id of ids)
        state.jobs.push({ id, account, model, price, status: 'queued', createdAt: state.nowMs, ...fresh });
    }
  });
}

function claim(who: string, limit: number): Step {
  return step('claim', `${who}, ${limit}`, async (state, system) => {
    const running = (model: ModelId) => state.jobs.filter((job) => job.lease && job.model === model).length;
    const free = (model: ModelId) => slotsPerModel - running(model);
    const certain = modelIds.reduce((sum, model) => {
      const waits = (job: ModelJob) =>
        job.model === model && job.status === 'queued' && !isPaused(state, model);
      const waiting = state.jobs.filter(waits).length;
      return sum + Math.min(free(model), waiting);
    }, 0);
    const freeBefore = new Map<ModelId, number>(modelIds.map((model) => [model, free(model)]));

    const settled: string[] = [];
    const claimed = await claimOnce(system.database, system.watch, {
      worker: who,
      routes: system.routes,
      limit,
      leaseMs,
      jobTimeoutMs,
      onSettled: (jobIds) => settled.push(...jobIds),
    });

    for (const id of settled) {
      const job = state.jobs.find((job) => job.id === id);
      assert.ok(job?.resting && isOutOfTime(state, job), 'ended before its time was over');
      end(job, 'failed');
    }

    assert.ok(claimed.length <= limit, 'more than the limit');
    assert.ok(claimed.length >= Math.min(limit, certain), 'a free slot stayed empty while a job waited');
    for (const { id, attempt, model } of claimed) {
      const job = state.jobs.find((job) => job.id === id);
      assert.ok(
        job && !job.lease && (job.status === 'queued' || (job.status === 'processing' && job.resting)),
      );
      assert.ok(
        job.status === 'processing' || !isPaused(state, job.model),
        'began while its model was paused',
      );
      assert.ok(!isOutOfTime(state, job), 'began when its time was over');
      assert.equal(attempt, job.attempt + 1);
      freeBefore.set(model, (freeBefore.get(model) ?? 0) - 1);
      const lease = { job, attempt, worker: who, until: state.nowMs + leaseMs };
      state.leases.push(lease);
      Object.assign(job, {
        status: 'processing',
        attempt,
        lease,
        resting: false,
        startedAt: job.startedAt ?? state.nowMs,
      });
    }
    for (const [model, left] of freeBefore)
      assert.ok(left >= 0 || claimed.every((job) => job.model !== model), `too many on ${model}`);
  });
}

function heartbeat(who: string): Step {
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

function finish(i: number): Step {
  return step('finish', String(i), async (state, system) => {
    const lease = currentLease(state, i);
    if (!lease) return;
    assert.equal(await system.finish({ kind: 'settle', settlement: done(lease) }), true);
    end(lease.job, 'done');
  });
}

function fail(i: number): Step {
  return step('fail', String(i), async (state, system) => {
    const lease = currentLease(state, i);
    if (!lease) return;
    const outcome = { status: 'failed', error: 'No.', errorCode: 'safety_blocked' } as const;
    assert.equal(await system.finish({ kind: 'settle', settlement: { ...fenceOf(lease), outcome } }), true);
    end(lease.job, 'failed');
  });
}

function retry(i: number): Step {
  return step('retry', String(i), async (state, system) => {
    const lease = currentLease(state, i);
    if (!lease) return;
    const retry = { lease: fenceOf(lease), failures: [], delayMs: 5_000, remoteId: null };
    assert.equal(await system.finish({ kind: 'retry', retry }), true);
    // What was lost before is forgotten with the list of failures that this step writes.
    Object.assign(lease.job, { lease: null, resting: true, lost: 0 });
  });
}

/** Whoever lost its lease changes nothing, whatever it tries. */
function zombieFinish(i: number): Step {
  return step('zombie finish', String(i), async (state, system) => {
    const old = state.leases.filter((lease) => lease.job.lease !== lease);
    const lease = old[i % Math.max(1, old.length)];
    if (!lease) return;
    assert.equal(await system.finish({ kind: 'settle', settlement: done(lease) }), false);
    const retry = { lease: fenceOf(lease), failures: [], delayMs: 0, remoteId: null };
    assert.equal(await system.finish({ kind: 'retry', retry }), false);
  });
}

function cancel(i: number): Step {
  return step('cancel', String(i), async (state, { database }) => {
    const job = state.jobs[i % Math.max(1, state.jobs.length)];
    if (!job) return;
    const wanted = { accountId: job.account.id, jobId: job.id };
    const attempt = cancelJob(
      { database, routes: { list: () => [] }, onSettled: () => {}, onTakenAway: () => {} },
      wanted,
    );
    if (job.status === 'done' || job.status === 'failed') {
      await assert.rejects(
        attempt,
        (error) => error instanceof AppError && error.code === 'job_not_cancellable',
      );
      return;
    }
    assert.equal((await attempt).errorCode, 'cancelled');
    end(job, 'failed');
  });
}

const maintain = (system: System) =>
  maintainOnce(system.database, system.watch, {
    maxQueuedMs,
    jobTimeoutMs,
    leases: { watch: system.watch, leaseMs },
  });

function expireLeases(): Step {
  return step('expire', 'leases', async (state, system) => {
    await letPass(state, system, leaseMs + 5_000);
  });
}

function expireEverything(): Step {
  return step('expire', 'everything', async (state, system) => {
    await letPass(state, system, maxQueuedMs + 60_000);
  });
}

async function letPass(state: ModelState, system: System, ms: number): Promise<void> {
  await system.elapse(ms);
  state.nowMs += ms;
  await maintain(system);
  for (const job of state.jobs) {
    if (job.lease && job.lease.until <= state.nowMs) lose(state, job);
    else if (job.status === 'queued' && state.nowMs - job.createdAt >= maxQueuedMs) end(job, 'failed');
  }
}

function credit(i: number, amountMicros: bigint): Step {
  return step('credit', `${i}, ${amountMicros}`, async (state, { database }) => {
    const account = state.accounts[i % state.accounts.length];
    assert.ok(account);
    await creditAccount({ database }, { account: account.id, amountMicros, reason: 'a test' });
    account.balance += amountMicros;
  });
}

function togglePause(scope: 'project' | ModelId): Step {
  return step('pause', scope, async (state, { database }) => {
    const wasPaused = state.paused.delete(scope);
    if (!wasPaused) state.paused.add(scope);
    await database.transaction(async (tx) => {
      if (wasPaused) await resume(tx, scope);
      else await pause(tx, { scope, reason: null, until: null });
    });
  });
}

function restart(): Step {
  return step('restart', '', (_state, system) => system.restart());
}

function fenceOf({ job, attempt, worker }: ModelLease) {
  return { jobId: job.id, attempt, worker };
}

function done(lease: ModelLease): Settlement {
  const { job, attempt } = lease;
  const image = {
    key: `results/${job.id}/${attempt}.png`,
    ...promisedPixels(job.model),
    bytes: 1,
    sha256: 'x',
  };
  return {
    ...fenceOf(lease),
    outcome: { status: 'done', image, aspectRatio: '1:1', notes: [], costMicros: null },
  };
}
