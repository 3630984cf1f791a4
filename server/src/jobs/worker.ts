import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, DatabaseUnavailable } from '../db/database.ts';
import type { ImageStore } from '../images/image-store.ts';
import type { Clock } from '../std/clock.ts';
import type { ClockWatch } from '../std/clock-watch.ts';
import type { Log } from '../std/log.ts';
import { startLoop } from '../std/loop.ts';
import { newWorkerId } from '../std/worker-id.ts';
import { type ClaimedJob, claimJobs } from './claim-jobs.ts';
import { servingRoutes } from './decide-route.ts';
import { endOf, isAbandoned, seenIn } from './end-attempt.ts';
import { type AttemptEnd, createFinisher } from './finish-attempts.ts';
import type { Job, Lease } from './job.ts';
import { extendLeases, findJob, noteRemoteIdIfLeased } from './job-store.ts';
import { createHealthKeeper } from './keep-health.ts';
import { shapeOf } from './plan-request.ts';
import type { Route } from './route.ts';
import { type AttemptOutcome, runAttempt, type StopReason } from './run-attempt.ts';
import type { JobSignals } from './signals.ts';

export interface WorkerPolicy {
  /** Jobs at once in this process. */
  concurrency: number;
  /** A worker that is silent for so long is presumed dead. */
  leaseMs: number;
  /** How often leases are extended. */
  beatMs: number;
  /** How long to wait before looking for jobs that nobody announced: of other processes, or due after a rest. */
  pollMs: number;
  /** From the first attempt's start to the end of the last. */
  jobTimeoutMs: number;
  /** How long running attempts may go on after the process was asked to stop. */
  drainMs: number;
}

export interface WorkerDeps {
  database: Database;
  images: ImageStore;
  routes: readonly Route[];
  signals: JobSignals;
  clock: Clock;
  /** Of the database's clock. */
  watch: ClockWatch;
  log: Log;
  policy: WorkerPolicy;
}

export interface Worker extends AsyncDisposable {
  readonly id: string;
  /** Claims what it has room for and starts it; says how many. */
  claimOnce(): Promise<number>;
  /** Extends the leases of running attempts and stops those whose lease is lost. */
  beatOnce(): Promise<{ extended: number; lost: number }>;
  /** Resolves when no attempt is running. */
  idle(): Promise<void>;
}

interface Running {
  job: ClaimedJob;
  lease: Lease;
  stop: AbortController;
  extendedAt: number;
  ended: Promise<void>;
}

export function createWorker(deps: WorkerDeps): Worker {
  const { database, clock, log, policy, routes, signals } = deps;
  const id = newWorkerId(clock.nowMs());
  const running = new Map<string, Running>();
  const onSettled = (jobIds: string[]) => {
    signals.finished(jobIds);
    database.notify('finished');
  };
  const finish = createFinisher(database, onSettled);
  const health = createHealthKeeper(database, log);

  async function claimOnce(): Promise<number> {
    const limit = policy.concurrency - running.size;
    const { leaseMs, jobTimeoutMs } = policy;
    const jobs = await claimJobs(database, {
      worker: id,
      routes,
      limit,
      leaseMs,
      jobTimeoutMs,
      watch: deps.watch,
      onSettled(jobIds) {
        onSettled(jobIds);
        signals.queued(); // behind those that ended there may be more
      },
    });
    for (const job of jobs) start(job);
    return jobs.length;
  }

  function start(job: ClaimedJob): void {
    const route = routes.find((route) => route.id === job.route);
    if (!route) throw new Error(`claimed a job for the unknown route ${job.route}`);
    const stop = new AbortController();
    const lease = { jobId: job.id, attempt: job.attempt, worker: id };
    const entry: Running = { job, lease, stop, extendedAt: performance.now(), ended: Promise.resolve() };
    running.set(job.id, entry);
    entry.ended = run(entry, route).finally(() => {
      if (running.get(job.id) === entry) running.delete(job.id);
      signals.queued(); // a slot is free
    });
  }

  async function run({ job, lease, stop }: Running, route: Route): Promise<void> {
    const startedAt = performance.now();
    const leftMs = () => job.leftMs - (performance.now() - startedAt);
    const timeout = setTimeout(
      () => stop.abort('timed_out' satisfies StopReason),
      Math.max(0, Math.min(route.timeoutMs, leftMs())),
    );
    const outcome = await runAttempt({
      job,
      route,
      images: deps.images,
      signal: stop.signal,
      nowMs: clock.nowMs(),
      async noteRemoteId(remoteId) {
        const ours = await database.transaction((tx) => noteRemoteIdIfLeased(tx, lease, remoteId));
        if (!ours) stop.abort('lease_lost' satisfies StopReason);
        stop.signal.throwIfAborted();
      },
    }).finally(() => clearTimeout(timeout));

    await health.note(route, seenIn(outcome, job.probeOf));
    const end = endOf(job, lease, outcome, {
      leftMs: leftMs(),
      routes: servingRoutes(routes, shapeOf(job)),
    });
    const written = end !== undefined && (await persist(end, lease));
    if (outcome.kind === 'done' && !written) await dropUnlessRecorded(job.id, outcome.image.key);
    if (written && isAbandoned(outcome, end)) await route.provider.cancel?.(outcome.remoteId).catch(() => {});
    logEnd({ job, outcome, end, written, ms: Math.round(performance.now() - startedAt) });
  }

  /** Tries until the database takes it or the lease must be over; the fence makes a second writing harmless. */
  async function persist(end: AttemptEnd, lease: Lease): Promise<boolean> {
    for (const giveUpAt = performance.now() + policy.leaseMs; ; ) {
      try {
        return await finish(end);
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable) || performance.now() > giveUpAt) {
          log.error('attempt.not_recorded', {
            job_id: lease.jobId,
            attempt: lease.attempt,
            reason: String(error),
          });
          return false;
        }
        await sleep(persistRetryMs);
      }
    }
  }

  /**
   * A commit whose answer was lost looks like a lost lease when it is tried again, so the job says whose image it has.
   * While it cannot say, the image stays: it is an orphan once the job is removed.
   */
  async function dropUnlessRecorded(jobId: string, imageKey: string): Promise<void> {
    try {
      const job = await findJob(database.read, jobId);
      if (job?.image?.key !== imageKey) await deps.images.remove(imageKey);
    } catch (error) {
      log.warn('image.not_removed', { job_id: jobId, key: imageKey, reason: String(error) });
    }
  }

  async function beatOnce(): Promise<{ extended: number; lost: number }> {
    const entries = [...running.values()];
    if (entries.length === 0) return { extended: 0, lost: 0 };
    const beganAt = performance.now();
    const leases = entries.map(({ lease }) => lease);
    const kept = await database
      .transaction((tx) => extendLeases(tx, leases, policy.leaseMs))
      .then((ids) => new Set(ids))
      .catch((error: unknown) => {
        log.warn('worker.beat_failed', { reason: String(error) });
        return undefined;
      });
    let lost = 0;
    for (const entry of entries) {
      if (kept?.has(entry.lease.jobId)) entry.extendedAt = beganAt;
      else if (kept || beganAt - entry.extendedAt > policy.leaseMs) {
        entry.stop.abort('lease_lost' satisfies StopReason);
        lost += 1;
      }
    }
    return { extended: kept?.size ?? 0, lost };
  }

  function logEnd(fields: {
    job: Job;
    outcome: AttemptOutcome;
    end: AttemptEnd | undefined;
    written: boolean;
    ms: number;
  }) {
    const { job, outcome, end, written, ms } = fields;
    log.info('attempt.finished', {
      job_id: job.id,
      model: job.model,
      route: job.route,
      attempt: job.attempt,
      outcome:
        outcome.kind === 'failed'
          ? outcome.failure.kind
          : outcome.kind === 'stopped'
            ? outcome.reason
            : 'done',
      next:
        end === undefined
          ? 'none'
          : !written
            ? 'lease_lost'
            : end.kind === 'rest'
              ? 'retry'
              : end.settlement.outcome.status,
      ...(outcome.kind === 'failed' &&
        outcome.failure.detail !== undefined && { detail: outcome.failure.detail }),
      ms,
    });
  }

  async function drain(): Promise<void> {
    const patience = new AbortController();
    const hurry = sleep(policy.drainMs, undefined, { signal: patience.signal }).then(
      () => {
        for (const { stop } of running.values()) stop.abort('draining' satisfies StopReason);
      },
      () => {},
    );
    await Promise.all([...running.values()].map(({ ended }) => ended));
    patience.abort();
    await hurry;
  }

  return {
    id,
    claimOnce,
    beatOnce,
    async idle() {
      while (running.size > 0) await Promise.all([...running.values()].map(({ ended }) => ended));
    },
    [Symbol.asyncDispose]: drain,
  };
}

/** Claims and beats until disposed, then drains. */
export function startWorker(deps: WorkerDeps): Worker {
  const worker = createWorker(deps);
  const onError = (error: unknown) => deps.log.warn('worker.failed', { reason: String(error) });
  const claims = startLoop({
    runOnce: async () => (await worker.claimOnce()) > 0,
    everyMs: deps.policy.pollMs,
    onError,
  });
  const beats = startLoop({
    runOnce: async () => {
      await worker.beatOnce();
      return false;
    },
    everyMs: deps.policy.beatMs,
    onError,
  });
  const stopListening = [
    deps.signals.onQueued(() => claims.wake()),
    deps.database.listen('jobs', () => claims.wake()),
  ];
  return {
    ...worker,
    async [Symbol.asyncDispose]() {
      for (const stop of stopListening) stop();
      await claims[Symbol.asyncDispose]();
      await worker[Symbol.asyncDispose]();
      await beats[Symbol.asyncDispose]();
    },
  };
}

const persistRetryMs = 250;
