import { DatabaseUnavailable } from '../../base/db/database.ts';
import { writeAtOnce } from '../../base/db/decide-and-write.ts';
import type { Meter } from '../../base/metrics/meter.ts';
import type { Clock } from '../../base/std/clock.ts';
import type { ByteBudget } from '../../base/std/memory/byte-budget.ts';
import { beginSpan, runSpan, type Span } from '../../base/tracing/run-span.ts';
import { contextOf, newSpan } from '../../base/tracing/trace-context.ts';
import { preciseNow, type Tracing } from '../../base/tracing/tracing.ts';
import type { MarkPolicy } from '../../images/marks/origin-mark.ts';
import type { Renditions } from '../../images/renditions/renditions.ts';
import type { Signer } from '../../images/signing/open-signer.ts';
import type { RateBook } from '../../upstream/prices/rate-book.ts';
import type { Guardrail } from '../guardrails/guardrail.ts';
import type { Lease } from '../job.ts';
import { servingRoutes } from '../routes/decide-routes.ts';
import type { LiveRoutes } from '../routes/live-routes.ts';
import { shapeOf } from '../routes/plan-request.ts';
import type { Route } from '../routes/route.ts';
import { decideEnd } from './decide-end.ts';
import { noteRemoteIdIfLeased } from './lease-store.ts';
import { limitTime } from './limit-time.ts';
import { createEndRecorder, type RecordDeps, type RecordedEnd } from './record-end.ts';
import { type AttemptOutcome, type AttemptResult, runAttempt, type StopReason } from './run-attempt.ts';
import type { RunningJob } from './running-job.ts';

export interface AttemptDeps extends RecordDeps {
  /** All routes of this process, because a failed job can continue on another route. */
  routes: LiveRoutes;
  clock: Clock;
  currency: string;
  rates: RateBook;
  marking: MarkPolicy;
  signer: Signer | null;
  guardrail: Guardrail | null;
  memory: ByteBudget;
  tracing: Tracing;
  meter: Meter;
  renditions: Pick<Renditions, 'openPlace' | 'makeLater'>;
}

export type AttemptJob = (running: RunningJob, route: Route) => Promise<void>;

export function createAttempts(deps: AttemptDeps): AttemptJob {
  const record = createEndRecorder(deps);
  const count = createAttemptCount(deps.meter);
  return async (running, route) => {
    const { job, lease, stop } = running;
    const beganMs = deps.clock.monotonicMs();
    const tookMs = () => Math.round(deps.clock.monotonicMs() - beganMs);
    const span = traceAttempt(deps, running);
    const leftMs = () => job.leftMs - tookMs();
    const timeoutMs = Math.max(0, Math.min(route.timeoutMs, leftMs()));
    const limit = limitTime({ timeoutMs, leftMs, memory: deps.memory }, () =>
      stop.abort('timed_out' satisfies StopReason),
    );
    using places = new DisposableStack();
    const place = places.use(deps.renditions.openPlace());
    const outcome = await runAttempt({
      job,
      route,
      images: deps.images,
      memory: limit.memory,
      signal: stop.signal,
      nowMs: deps.clock.nowMs(),
      currency: deps.currency,
      rates: deps.rates,
      marking: deps.marking,
      signer: deps.signer,
      guardrail: deps.guardrail,
      place,
      timeoutMs,
      part: (name, work) => {
        const kind = name === 'upstream call' ? 'client' : 'internal';
        return runSpan(deps.tracing, { parent: span.context, name, kind }, work);
      },
      async noteRemoteId(remoteId) {
        if (!(await noteIfLeased(lease, remoteId, deps))) stop.abort('lease_lost' satisfies StopReason);
        stop.signal.throwIfAborted();
      },
    }).finally(() => limit[Symbol.dispose]());

    const decision = decideEnd(running, outcome, {
      leftMs: leftMs(),
      routes: servingRoutes(deps.routes.list(), shapeOf(job.accepted, job)),
      wasCutShort: (job.attempt > 1 || job.endsAtDeadline) && timeoutMs < route.timeoutMs,
    });
    if (decision.end) await noteIfRefused(deps, running, outcome);
    const next = await record(running, route, { ...outcome, tookMs: tookMs() }, decision);
    if (next === 'done' && outcome.kind === 'done') {
      places.move();
      deps.renditions.makeLater({ jobId: job.id, key: outcome.image.key, place });
    }
    const failure = outcome.kind === 'done' ? undefined : wordFor(outcome);
    const { billed, costMicros } = outcome.charge;
    const cost = costMicros === null ? {} : { 'darkroom.cost': Number(costMicros) / microsInUnit };
    const ending = { 'darkroom.outcome': wordFor(outcome), 'darkroom.next': next, 'darkroom.billed': billed };
    span.end({ ...ending, ...cost }, failure);
    const ms = tookMs();
    count(job, outcome, { next, ms });
    logAttempt(deps, running, outcome, { next, ms });
  };
}

/** Records a refusal before the attempt's end. A crash in between may record it twice, but never loses it. */
async function noteIfRefused(
  { guardrail, log }: AttemptDeps,
  { job }: RunningJob,
  outcome: AttemptOutcome,
): Promise<void> {
  if (outcome.kind !== 'failed' || !outcome.refusedBy) return;
  const { accountId, keyId, model, requestId, prompt } = job;
  const about = { accountId, keyId, model, requestId, prompt, stage: 'image', jobId: job.id } as const;
  await guardrail?.note({ ...about, ...outcome.refusedBy }).catch((error: unknown) => {
    log.error('policy.refusal_not_noted', { job_id: job.id, account_id: accountId, reason: String(error) });
  });
}

/** Starts the attempt's span under the create's span, after a span for the time in the queue. */
function traceAttempt({ tracing, clock }: AttemptDeps, { job }: RunningJob): Span {
  const parent = contextOf(job.requestId);
  const fields = { 'darkroom.job_id': job.id, 'darkroom.model': job.model };
  if (tracing.share !== null && parent && job.attempt === 1) {
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
 * Records the remote id. Returns false if the lease was lost. Returns true if the database is unavailable, because the
 * attempt's end then writes the id.
 */
async function noteIfLeased(
  lease: Lease,
  remoteId: string,
  { database, log }: AttemptDeps,
): Promise<boolean> {
  try {
    return await writeAtOnce(database, (tx) => noteRemoteIdIfLeased(tx, lease, remoteId));
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    log.warn('attempt.remote_id_not_noted', { job_id: lease.jobId, reason: String(error) });
    return true;
  }
}

// Histogram bounds in seconds. Images take from a second to minutes.
const attemptBounds = [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 900];
const microsInUnit = 1_000_000;
/** The number of a prompt's first characters to search for in an answer, which may quote only a part of the prompt. */
const promptMark = 24;

function createAttemptCount(meter: Meter) {
  const attempts = meter.counter('darkroom_attempts_total', 'Attempts by outcome.', [
    'model',
    'route',
    'outcome',
  ]);
  const seconds = meter.histogram(
    'darkroom_attempt_seconds',
    'Duration of an attempt, until its end is recorded.',
    ['model', 'route'],
    attemptBounds,
  );
  const cost = meter.counter(
    'darkroom_attempt_cost_total',
    'Known upstream cost of attempts, including attempts without an image, in the currency of the installation.',
    ['model', 'route'],
  );
  const lost = meter.counter(
    'darkroom_leases_lost_total',
    'Attempts whose job was taken away: by a cancel, or by another worker after the lease expired.',
  );
  return (
    { model, route: id }: RunningJob['job'],
    outcome: AttemptResult,
    { next, ms }: { next: RecordedEnd; ms: number },
  ) => {
    const route = id ?? '';
    const word = wordFor(outcome);
    attempts.add([model, route, word]);
    seconds.observe(ms / 1000, [model, route]);
    const { costMicros, currency } = outcome.charge;
    if (costMicros !== null && currency === null) cost.add([model, route], Number(costMicros) / microsInUnit);
    if (next === 'lease_lost' || word === 'lease_lost') lost.add();
  };
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
    ...(detail !== undefined && { detail: withoutPrompt(detail, job.prompt) }),
    ms,
  });
}

/** Cuts an answer off where the prompt begins, because some models repeat the prompt. */
function withoutPrompt(detail: string, prompt: string): string {
  const at = detail.indexOf(prompt.slice(0, promptMark));
  return at === -1 ? detail : `${detail.slice(0, at)}…`;
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
