import { DatabaseUnavailable } from '../db/database.ts';
import type { Lease } from '../jobs/job.ts';
import type { Renditions } from '../renditions/renditions.ts';
import { servingRoutes } from '../routes/decide-routes.ts';
import type { LiveRoutes } from '../routes/live-routes.ts';
import { shapeOf } from '../routes/plan-request.ts';
import type { Route } from '../routes/route.ts';
import type { Clock } from '../std/clock.ts';
import { beginSpan, runSpan, type Span } from '../tracing/run-span.ts';
import { contextOf, newSpan } from '../tracing/trace-context.ts';
import { preciseNow, type Tracing } from '../tracing/tracing.ts';
import { decideEnd } from './decide-end.ts';
import { noteRemoteIdIfLeased } from './lease-store.ts';
import { createEndRecorder, type RecordDeps, type RecordedEnd } from './record-end.ts';
import { type AttemptOutcome, runAttempt, type StopReason } from './run-attempt.ts';
import type { RunningJob } from './running-job.ts';

export interface AttemptDeps extends RecordDeps {
  /** All routes of this process: a failed job may go on at another. */
  routes: LiveRoutes;
  clock: Clock;
  currency: string;
  tracing: Tracing;
  renditions: Pick<Renditions, 'makeLater'>;
}

/** Makes one attempt of a job under our lease: run, decide, record. */
export type AttemptJob = (running: RunningJob, route: Route) => Promise<void>;

export function createAttempts(deps: AttemptDeps): AttemptJob {
  const record = createEndRecorder(deps);
  return async (running, route) => {
    const { job, lease, stop } = running;
    const startedAt = performance.now();
    const span = traceAttempt(deps, running);
    const leftMs = () => job.leftMs - (performance.now() - startedAt);
    const timeoutMs = Math.max(0, Math.min(route.timeoutMs, leftMs()));
    const timeout = setTimeout(() => stop.abort('timed_out' satisfies StopReason), timeoutMs);
    const outcome = await runAttempt({
      job,
      route,
      images: deps.images,
      signal: stop.signal,
      nowMs: deps.clock.nowMs(),
      currency: deps.currency,
      timeoutMs,
      part: (name, work) => {
        const kind = name === 'upstream call' ? 'client' : 'internal';
        return runSpan(deps.tracing, { parent: span.context, name, kind }, work);
      },
      async noteRemoteId(remoteId) {
        if (!(await noteIfLeased(lease, remoteId, deps))) stop.abort('lease_lost' satisfies StopReason);
        stop.signal.throwIfAborted();
      },
    }).finally(() => clearTimeout(timeout));

    const decision = decideEnd(running, outcome, {
      leftMs: leftMs(),
      routes: servingRoutes(deps.routes.list(), shapeOf(job.accepted, job)),
      wasCutShort: (job.attempt > 1 || job.endsAtDeadline) && timeoutMs < route.timeoutMs,
    });
    const next = await record(running, route, outcome, decision);
    if (next === 'done' && outcome.kind === 'done')
      deps.renditions.makeLater({ jobId: job.id, key: outcome.image.key });
    const failure = outcome.kind === 'done' ? undefined : wordFor(outcome);
    span.end({ 'darkroom.outcome': wordFor(outcome), 'darkroom.next': next }, failure);
    logAttempt(deps, running, outcome, { next, ms: Math.round(performance.now() - startedAt) });
  };
}

/** Below the create, after the time in the queue. */
function traceAttempt({ tracing, clock }: AttemptDeps, { job }: RunningJob): Span {
  const parent = contextOf(job.requestId);
  const fields = { 'darkroom.job_id': job.id, 'darkroom.model': job.model };
  if (tracing.isOn && parent && job.attempt === 1) {
    const endMs = preciseNow();
    const startMs = endMs - Math.max(0, clock.nowMs() - job.createdAt);
    const context = newSpan(parent);
    tracing.record({
      context,
      parentId: parent.spanId,
      name: 'queue',
      kind: 'internal',
      startMs,
      endMs,
      fields,
    });
  }
  const more = { 'darkroom.route': job.route, 'darkroom.attempt': job.attempt };
  return beginSpan(tracing, { parent, name: 'attempt', kind: 'consumer', fields: { ...fields, ...more } });
}

/**
 * Returns whether the lease is still ours. If the database does not answer now, the request that the upstream
 * accepted is not lost: its id is written with the end of the attempt.
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

function logAttempt(
  { log }: AttemptDeps,
  { job }: RunningJob,
  outcome: AttemptOutcome,
  { next, ms }: { next: RecordedEnd; ms: number },
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
