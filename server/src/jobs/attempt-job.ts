import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, DatabaseUnavailable } from '../db/database.ts';
import type { ImageStore } from '../images/image-store.ts';
import type { Clock } from '../std/clock.ts';
import type { Log } from '../std/log.ts';
import type { ClaimedJob } from './claim-jobs.ts';
import { servingRoutes } from './decide-route.ts';
import { endOf, isAbandoned, seenIn } from './end-attempt.ts';
import { type AttemptEnd, createFinisher } from './finish-attempts.ts';
import type { Job, Lease } from './job.ts';
import { findJob, noteRemoteIdIfLeased } from './job-store.ts';
import { createHealthKeeper } from './keep-health.ts';
import { shapeOf } from './plan-request.ts';
import type { Route } from './route.ts';
import { type AttemptOutcome, runAttempt, type StopReason } from './run-attempt.ts';

export interface AttemptDeps {
  database: Database;
  images: ImageStore;
  /** All that this process serves: a failed job may go on at another. */
  routes: readonly Route[];
  clock: Clock;
  log: Log;
  leaseMs: number;
  onSettled(jobIds: string[]): void;
}

/** A job under our lease. Whoever stops it says why, with a `StopReason`. */
export interface HeldJob {
  job: ClaimedJob;
  lease: Lease;
  stop: AbortController;
}

/** Makes one attempt of a job under our lease and records how it ended. */
export type AttemptJob = (held: HeldJob, route: Route) => Promise<void>;

const persistRetryMs = 250;

export function createAttempts(deps: AttemptDeps): AttemptJob {
  const { database, images, routes, clock, log } = deps;
  const finish = createFinisher(database, deps.onSettled);
  const health = createHealthKeeper(database, log);
  return async ({ job, lease, stop }, route) => {
    const startedAt = performance.now();
    const leftMs = () => job.leftMs - (performance.now() - startedAt);
    const timeoutMs = Math.max(0, Math.min(route.timeoutMs, leftMs()));
    const timeout = setTimeout(() => stop.abort('timed_out' satisfies StopReason), timeoutMs);
    const outcome = await runAttempt({
      job,
      route,
      images,
      signal: stop.signal,
      nowMs: clock.nowMs(),
      timeoutMs,
      async noteRemoteId(remoteId) {
        if (!(await noteIfLeased(lease, remoteId, deps))) stop.abort('lease_lost' satisfies StopReason);
        stop.signal.throwIfAborted();
      },
    }).finally(() => clearTimeout(timeout));

    const seen = seenIn(outcome, job.probeOf);
    // What earlier attempts have left of a job's time may be too little for any route.
    const isFair = job.attempt === 1 || timeoutMs === route.timeoutMs;
    if (isFair || seen.outcome !== 'timeout') await health.note(route, seen);
    const able = servingRoutes(routes, shapeOf(job));
    const end = endOf(job, lease, outcome, { leftMs: leftMs(), routes: able });
    const written = end && (await persist(end, lease, finish, deps));
    if (written === 'lease_lost' || isLost(outcome)) await letGo(job.id, outcome, route, deps);
    if (end && written === 'yes' && isAbandoned(outcome, end))
      await route.provider.cancel?.(outcome.remoteId).catch(() => {});
    logAttempt(log, job, outcome, {
      next: nextOf(end, written),
      ms: Math.round(performance.now() - startedAt),
    });
  };
}

/**
 * Whether the lease is still ours. A database that does not answer now costs nobody the request that the upstream has
 * accepted: its id is written with the end of the attempt, if not before.
 */
async function noteIfLeased(
  lease: Lease,
  remoteId: string,
  { database, log }: AttemptDeps,
): Promise<boolean> {
  try {
    return await database.transaction((tx) => noteRemoteIdIfLeased(tx, lease, remoteId));
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    log.warn('attempt.remote_id_not_noted', { job_id: lease.jobId, reason: String(error) });
    return true;
  }
}

/** `unknown`: the last try may have been written, or may still be. */
type Written = 'yes' | 'lease_lost' | 'unknown';

/** Tries until the database takes it or the lease must be over; the fence makes a second writing harmless. */
async function persist(
  end: AttemptEnd,
  lease: Lease,
  finish: (end: AttemptEnd) => Promise<boolean>,
  { leaseMs, log }: AttemptDeps,
): Promise<Written> {
  for (const giveUpAt = performance.now() + leaseMs; ; ) {
    try {
      return (await finish(end)) ? 'yes' : 'lease_lost';
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || performance.now() > giveUpAt) {
        const { jobId, attempt } = lease;
        log.error('attempt.not_recorded', { job_id: jobId, attempt, reason: String(error) });
        return 'unknown';
      }
      await sleep(persistRetryMs);
    }
  }
}

function isLost(outcome: AttemptOutcome): boolean {
  return outcome.kind === 'stopped' && outcome.reason === 'lease_lost';
}

/** Leaves nothing of an attempt whose lease is lost: neither an image here nor, for nobody, work upstream. */
async function letGo(jobId: string, outcome: AttemptOutcome, route: Route, deps: AttemptDeps): Promise<void> {
  if (outcome.kind === 'done') await dropUnlessRecorded(jobId, outcome.image.key, deps);
  else if (outcome.remoteId !== null) await cancelUpstreamIfCancelled(jobId, outcome.remoteId, route, deps);
}

/** A job that was cancelled needs nothing more of what was submitted for it; one that another worker has does. */
async function cancelUpstreamIfCancelled(
  jobId: string,
  remoteId: string,
  { provider }: Route,
  { database, log }: AttemptDeps,
): Promise<void> {
  try {
    const job = await findJob(database.read, jobId);
    if (job?.errorCode === 'cancelled') await provider.cancel?.(remoteId);
  } catch (error) {
    log.warn('attempt.not_cancelled', { job_id: jobId, reason: String(error) });
  }
}

/**
 * A commit whose answer was lost looks like a lost lease when it is tried again, so the job says whose image it has.
 * While it cannot say, the image stays, as it does when a commit may still be under way: it is an orphan once the job is
 * removed.
 */
async function dropUnlessRecorded(
  jobId: string,
  imageKey: string,
  { database, images, log }: AttemptDeps,
): Promise<void> {
  try {
    const job = await findJob(database.read, jobId);
    if (job?.image?.key !== imageKey) await images.remove(imageKey);
  } catch (error) {
    log.warn('image.not_removed', { job_id: jobId, key: imageKey, reason: String(error) });
  }
}

type Next = 'retry' | 'done' | 'failed' | 'none' | Exclude<Written, 'yes'>;

function nextOf(end: AttemptEnd | undefined, written: Written | undefined): Next {
  if (!end || !written) return 'none';
  if (written !== 'yes') return written;
  return end.kind === 'rest' ? 'retry' : end.settlement.outcome.status;
}

function logAttempt(
  log: Log,
  job: Job,
  outcome: AttemptOutcome,
  { next, ms }: { next: Next; ms: number },
): void {
  const detail = outcome.kind === 'failed' ? outcome.failure.detail : undefined;
  log.info('attempt.finished', {
    job_id: job.id,
    account_id: job.accountId,
    key_id: job.keyId,
    ...(job.requestId !== null && { request_id: job.requestId }),
    model: job.model,
    route: job.route,
    attempt: job.attempt,
    outcome: wordFor(outcome),
    next,
    ...(detail !== undefined && { detail }),
    ms,
  });
}

function wordFor(outcome: AttemptOutcome): string {
  switch (outcome.kind) {
    case 'done':
      return 'done';
    case 'stopped':
      return outcome.reason;
    case 'failed':
      return outcome.failure.kind;
  }
}
