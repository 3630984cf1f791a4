import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, DatabaseUnavailable } from '../../base/db/database.ts';
import type { Log } from '../../base/std/log.ts';
import type { ImageStore } from '../../images/image-store.ts';
import type { AttemptCost } from '../costs/attempt-cost-store.ts';
import { resumedNext } from '../costs/charge.ts';
import { findJob } from '../job-store.ts';
import { createCircuitBreaker } from '../routes/circuit-breaker.ts';
import type { Route } from '../routes/route.ts';
import type { EndDecision } from './decide-end.ts';
import { type AttemptEnd, createEndWriter } from './end-writer.ts';
import type { AttemptOutcome, AttemptResult } from './run-attempt.ts';
import type { RunningJob } from './running-job.ts';

export interface RecordDeps {
  database: Database;
  images: ImageStore;
  log: Log;
  leaseMs: number;
  onSettled(jobIds: string[]): void;
}

/** The outcome of recording an attempt's end. `unknown`: the last write may have succeeded, or may still succeed. */
export type RecordedEnd = 'retry' | 'done' | 'failed' | 'none' | 'lease_lost' | 'unknown';

export type RecordEnd = (
  running: RunningJob,
  route: Route,
  result: AttemptResult & { tookMs: number },
  decision: EndDecision,
) => Promise<RecordedEnd>;

const persistRetryMs = 250;

export function createEndRecorder(deps: RecordDeps): RecordEnd {
  const write = createEndWriter(deps.database, deps.onSettled);
  const breaker = createCircuitBreaker(deps.database, deps.log);
  return async (running, route, outcome, { end, report, cancelUpstream }) => {
    const { job, lease } = running;
    // The report comes before the write to the job, because the claim after a retry must see the circuit's new state.
    if (report) await breaker.report(route, report);
    const who = {
      job_id: job.id,
      account_id: job.accountId,
      ...(job.requestId !== null && { request_id: job.requestId }),
      attempt: lease.attempt,
    };
    const cost = costOf(running, route, outcome, end);
    if (!end) await write({ kind: 'lost', lease, cost }).catch(notNoted(deps, who));
    const written = end ? await persist(() => write({ ...end, cost }), deps, who) : 'lease_lost';
    if (written === 'lease_lost') await letGo(job.id, outcome, route, deps);
    if (!end) return 'none';
    if (written !== 'written') return written;
    if (cancelUpstream !== null) await route.provider.cancel?.(cancelUpstream).catch(() => {});
    return end.kind === 'retry' ? 'retry' : end.settlement.outcome.status;
  };
}

function costOf(
  { job, lease }: RunningJob,
  { id: route, provider }: Route,
  { charge, tookMs }: AttemptResult & { tookMs: number },
  end: AttemptEnd | null,
): AttemptCost {
  const isResumed = end?.kind === 'retry' && end.retry.remoteId !== null;
  const known = isResumed ? resumedNext(charge) : charge;
  return {
    jobId: lease.jobId,
    attempt: lease.attempt,
    accountId: job.accountId,
    keyId: job.keyId,
    model: job.model,
    route,
    provider: provider.id,
    upstreamModel: provider.model,
    tookMs,
    billed: known.billed,
    costMicros: known.costMicros,
    possibleMicros: known.possibleMicros,
    currency: known.currency,
    usage: known.usage,
  };
}

/** Logs that a cost was not recorded. Does not retry, because the database may be down. */
function notNoted({ log }: RecordDeps, who: object): (error: unknown) => void {
  return (error) => log.warn('attempt.cost_not_noted', { ...who, reason: String(error) });
}

/** Retries until the database accepts the end or the lease must have expired. The fence makes repeats harmless. */
async function persist(
  write: () => Promise<boolean>,
  { leaseMs, log }: RecordDeps,
  who: object,
): Promise<'written' | 'lease_lost' | 'unknown'> {
  for (const giveUpAt = performance.now() + leaseMs; ; ) {
    try {
      return (await write()) ? 'written' : 'lease_lost';
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || performance.now() > giveUpAt) {
        log.error('attempt.not_recorded', { ...who, reason: String(error) });
        return 'unknown';
      }
      await sleep(persistRetryMs);
    }
  }
}

/** Cleans up after a lost lease. */
async function letGo(jobId: string, outcome: AttemptOutcome, route: Route, deps: RecordDeps): Promise<void> {
  if (outcome.kind === 'done') await dropUnlessRecorded(jobId, outcome.image.key, deps);
  else if (outcome.remoteId !== null) await cancelUnlessWanted(jobId, outcome.remoteId, route, deps);
}

/** Cancels the request, unless another worker leases the job now and may resume it. */
async function cancelUnlessWanted(
  jobId: string,
  remoteId: string,
  { provider }: Route,
  { database, log }: RecordDeps,
): Promise<void> {
  try {
    const job = await findJob(database.read, jobId);
    const isWanted = job?.remoteId === remoteId && job.status !== 'failed';
    if (!isWanted) await provider.cancel?.(remoteId);
  } catch (error) {
    log.warn('attempt.not_cancelled', { job_id: jobId, reason: String(error) });
  }
}

/** Deletes the image unless the job refers to it: a commit may have succeeded although its answer was lost. */
async function dropUnlessRecorded(
  jobId: string,
  imageKey: string,
  { database, images, log }: RecordDeps,
): Promise<void> {
  try {
    const job = await findJob(database.read, jobId);
    if (job?.image?.key !== imageKey) await images.remove(imageKey);
  } catch (error) {
    log.warn('image.not_removed', { job_id: jobId, key: imageKey, reason: String(error) });
  }
}
