import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../base/db/database.ts';
import { startRestingLoop } from '../../base/db/start-resting-loop.ts';
import { type Meter, secondBounds } from '../../base/metrics/meter.ts';
import type { Clock } from '../../base/std/clock.ts';
import type { ClockWatch } from '../../base/std/clock-watch.ts';
import type { Log } from '../../base/std/log.ts';
import { startLoop } from '../../base/std/loop.ts';
import { newWorkerId } from '../../base/std/worker-id.ts';
import type { Tracing } from '../../base/tracing/tracing.ts';
import type { ImageStore } from '../../images/image-store.ts';
import type { MarkPolicy } from '../../images/marks/origin-mark.ts';
import type { Renditions } from '../../images/renditions/renditions.ts';
import type { Signer } from '../../images/signing/open-signer.ts';
import type { LimitDefaults } from '../../money/limits/limit.ts';
import type { Catalogue } from '../../upstream/catalog/catalogue.ts';
import type { RateBook } from '../../upstream/prices/rate-book.ts';
import { listenForUpstreamCancels } from '../cancel/cancel-upstream.ts';
import type { Guardrail } from '../guardrails/guardrail.ts';
import type { LiveRoutes } from '../routes/live-routes.ts';
import type { Route } from '../routes/route.ts';
import { keepRouteCosts } from '../routes/route-costs.ts';
import type { JobSignals } from '../signals.ts';
import { createAttempts } from './attempt-job.ts';
import { type ClaimedJob, claimJobs } from './claim-jobs.ts';
import { isAnyJobWaiting } from './claim-store.ts';
import { createImageMemory } from './image-memory.ts';
import { keepLeases } from './keep-leases.ts';
import type { StopReason } from './run-attempt.ts';
import type { RunningJob } from './running-job.ts';
import { companyOf } from './suspects.ts';
import { forgetWorker, noteWorker, presenceMs } from './worker-store.ts';

export interface WorkerPolicy {
  concurrency: number;
  /** A worker that has not extended its leases for this long is presumed dead. */
  leaseMs: number;
  heartbeatMs: number;
  /** The interval of checks for jobs that nothing announces, such as jobs of other processes and due retries. */
  pollMs: number;
  /** The maximum time from the start of a job's first attempt to the end of its last. */
  jobTimeoutMs: number;
  /** The memory for the images of all jobs. Upstream answers wait until enough of it is free. */
  imageBytes: number;
  /** How long running attempts may continue after a shutdown is requested. */
  drainMs: number;
}

export interface WorkerDeps {
  database: Database;
  images: ImageStore;
  catalogue: Catalogue;
  routes: LiveRoutes;
  signals: JobSignals;
  clock: Clock;
  watch: ClockWatch;
  log: Log;
  policy: WorkerPolicy;
  limitDefaults: LimitDefaults;
  currency: string;
  rates: RateBook;
  marking: MarkPolicy;
  signer: Signer | null;
  guardrail: Guardrail | null;
  tracing: Tracing;
  meter: Meter;
  renditions: Pick<Renditions, 'openPlace' | 'makeLater'>;
  onSettled(jobIds: string[]): void;
}

const heartbeatRetryMs = 250;

/** Claims jobs and extends their leases until disposed, then drains. */
export function startWorker(deps: WorkerDeps): AsyncDisposable {
  const worker = createWorker(deps);
  const onError = (error: unknown) => deps.log.warn('worker.failed', { reason: String(error) });
  const claims = startRestingLoop({
    database: deps.database,
    waits: [isAnyJobWaiting],
    runOnce: async () => (await worker.claimOnce()) > 0,
    everyMs: deps.policy.pollMs,
    onError,
  });
  const heartbeats = startLoop({
    runOnce: async () => {
      const kept = await worker.heartbeatOnce();
      if (!kept) await sleep(heartbeatRetryMs);
      return !kept;
    },
    everyMs: deps.policy.heartbeatMs,
    onError,
  });
  const presence = startLoop({
    runOnce: async () => {
      await worker.show();
      return false;
    },
    everyMs: presenceMs,
    onError,
  });
  const stopListening = [
    deps.signals.onQueued(() => claims.wake()),
    deps.database.listen('jobs', () => claims.wake()),
    // Wakes the heartbeat, which finds the lost lease.
    deps.signals.onTakenAway(() => heartbeats.wake()),
    deps.database.listen('taken_away', () => heartbeats.wake()),
    listenForUpstreamCancels(deps),
  ];
  return {
    async [Symbol.asyncDispose]() {
      for (const stop of stopListening) stop();
      await claims[Symbol.asyncDispose]();
      await worker.drain();
      await heartbeats[Symbol.asyncDispose]();
      await presence[Symbol.asyncDispose]();
      await worker.leave().catch(onError);
    },
  };
}

interface Worker {
  claimOnce(): Promise<number>;
  /** Returns `false` if the database did not confirm the extension. */
  heartbeatOnce(): Promise<boolean>;
  show(): Promise<void>;
  leave(): Promise<void>;
  /** Resolves when no attempt is running. Attempts that take too long are stopped, and their jobs released. */
  drain(): Promise<void>;
}

function createWorker(deps: WorkerDeps): Worker {
  const { database, clock, routes, signals, watch, limitDefaults } = deps;
  const { concurrency, leaseMs, heartbeatMs, jobTimeoutMs, drainMs, imageBytes } = deps.policy;
  const id = newWorkerId(clock.nowMs());
  const running = new Map<string, RunningJob>();
  const attempt = createAttempts({ ...deps, leaseMs, memory: createImageMemory(imageBytes) });
  const costs = keepRouteCosts(deps);
  const count = createClaimCount(deps.meter, () => running.size);

  async function claimOnce(): Promise<number> {
    const list = routes.list();
    const began = performance.now();
    const jobs = await claimJobs(database, {
      worker: id,
      routes: list,
      costs: await costs.current(list),
      catalogue: deps.catalogue,
      ...roomBeside([...running.values()], concurrency),
      ...{ leaseMs, jobTimeoutMs, limitDefaults, watch },
      onSettled(jobIds) {
        deps.onSettled(jobIds);
        signals.queued(); // there may be more unroutable jobs
      },
    });
    count(jobs, performance.now() - began);
    for (const job of jobs) start(job, list);
    signals.started(jobs.map(({ id }) => id));
    return jobs.length;
  }

  function start(job: ClaimedJob, list: readonly Route[]): void {
    const route = list.find((route) => route.id === job.route);
    if (!route) throw new Error(`claimed a job for the unknown route ${job.route}`);
    const lease = { jobId: job.id, attempt: job.attempt, worker: id };
    const entry: RunningJob = {
      job,
      lease,
      stop: new AbortController(),
      extendedAt: performance.now(),
      ended: Promise.resolve(),
    };
    // This process claimed the job again after its lease expired, so it stops its own earlier attempts.
    for (let earlier = 1; earlier < job.attempt; earlier++)
      running.get(nameOf(job.id, earlier))?.stop.abort('lease_lost' satisfies StopReason);
    running.set(nameOf(job.id, job.attempt), entry);
    entry.ended = attempt(entry, route).finally(() => {
      running.delete(nameOf(job.id, job.attempt));
      signals.queued(); // a slot is free
    });
  }

  return {
    claimOnce,
    heartbeatOnce: () => keepLeases({ ...deps, leaseMs, patienceMs: heartbeatMs }, [...running.values()]),
    show: () => database.transaction((tx) => noteWorker(tx, id, concurrency)),
    leave: () => database.transaction((tx) => forgetWorker(tx, id)),
    async drain() {
      const patience = new AbortController();
      const hurry = sleep(drainMs, undefined, { signal: patience.signal }).then(
        () => {
          for (const { stop } of running.values()) stop.abort('draining' satisfies StopReason);
        },
        () => {},
      );
      await Promise.all([...running.values()].map(({ ended }) => ended));
      patience.abort();
      await hurry;
    },
  };
}

function createClaimCount(meter: Meter, countRunning: () => number) {
  const claimed = meter.counter('darkroom_jobs_claimed_total', 'Jobs that this worker claimed.', [
    'model',
    'route',
  ]);
  const seconds = meter.histogram(
    'darkroom_claim_seconds',
    'Duration of finding and claiming jobs.',
    [],
    secondBounds,
  );
  meter.reading('darkroom_attempts_running', 'Attempts running in this process.', [], () => [
    [countRunning(), []],
  ]);
  return (jobs: readonly ClaimedJob[], ms: number) => {
    seconds.observe(ms / 1000);
    for (const { model, route } of jobs) claimed.add([model, route ?? '']);
  };
}

function roomBeside(running: readonly RunningJob[], slots: number) {
  const company = Math.min(...running.map(({ job }) => companyOf(job.failures, slots)));
  const held = { jobs: running.length, company };
  return { slots, held, limit: Math.min(slots, company) - running.length };
}

function nameOf(jobId: string, attempt: number): string {
  return `${jobId} ${attempt}`;
}
