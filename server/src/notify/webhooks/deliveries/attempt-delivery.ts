import { setTimeout as sleep } from 'node:timers/promises';
import type { Agent } from 'undici';
import { type Database, DatabaseUnavailable } from '../../../base/db/database.ts';
import { type Meter, secondBounds } from '../../../base/metrics/meter.ts';
import type { Clock } from '../../../base/std/clock.ts';
import type { Log } from '../../../base/std/log.ts';
import { beginSpan } from '../../../base/tracing/run-span.ts';
import { contextOf, traceparentOf } from '../../../base/tracing/trace-context.ts';
import type { Tracing } from '../../../base/tracing/tracing.ts';
import { readBucketKey } from '../buckets/bucket-key.ts';
import { isBucket } from '../buckets/bucket-target.ts';
import type { CopyImage } from '../buckets/copy-image.ts';
import type { AttemptResult, LeasedDelivery } from '../delivery.ts';
import { readMailTarget } from '../mail/mail-target.ts';
import type { Mailer } from '../mail/mailer.ts';
import { sendWebhook } from '../send-webhook.ts';
import { signRequest } from '../sign-request.ts';
import { presentEvent } from '../webhook-body.ts';
import type { CheckTarget } from '../webhook-target.ts';
import { createRecorder, type Recorded } from './attempt-recorder.ts';
import type { DeliveryEnd } from './attempt-store.ts';

export interface DeliveryAttemptDeps {
  database: Database;
  checkTarget: CheckTarget;
  mailer: Mailer;
  copyImage: CopyImage;
  clock: Clock;
  log: Log;
  tracing: Tracing;
  meter: Meter;
  agent: () => Promise<Agent>;
  worker: string;
  leaseMs: number;
  /** Aborts when the process stops. Running attempts then end as `interrupted`. */
  signal: AbortSignal;
}

/** Makes one attempt under our lease, and records it. Never throws. */
export type AttemptDelivery = (
  delivery: LeasedDelivery,
  data: object,
  secrets: readonly string[],
) => Promise<void>;

const recordRetryMs = 250;
// How long ended attempts wait to share a transaction. With one each, a fast receiver would get a seventh of the rate.
const momentMs = 5;

export function createDeliveryAttempts(deps: DeliveryAttemptDeps): AttemptDelivery {
  const { checkTarget, clock, agent, worker, signal } = deps;
  const nowMs = () => clock.nowMs();
  const record = createRecorder(deps.database);
  const endOfMoment = createMoments(momentMs);
  const count = createDeliveryCount(deps.meter);
  return async (delivery, data, secrets) => {
    const { id, event, url, endpointId, attempt } = delivery;
    const span = beginSpan(deps.tracing, {
      parent: contextOf(event.requestId),
      name: 'webhook',
      kind: 'client',
      fields: {
        ...(event.jobId !== null && { 'darkroom.job_id': event.jobId }),
        'darkroom.event_id': event.id,
        'darkroom.attempt': attempt,
      },
    });
    const sendSigned = async (): Promise<AttemptResult> => {
      if (secrets.length === 0) return unsigned;
      const signed = signRequest({ url, id: event.id, payload: presentEvent(event, data) }, secrets, nowMs());
      if (span.context) signed.headers.traceparent = traceparentOf(span.context);
      return sendWebhook(signed, { dispatcher: await agent(), checkTarget, nowMs, signal });
    };
    const copy = async (): Promise<AttemptResult> => {
      const key = readBucketKey(secrets);
      if (!key) return unsigned;
      return deps.copyImage(event, { url, key }, { agent: await agent(), checkTarget, signal });
    };
    const to = readMailTarget(url);
    const send = isBucket(url) ? copy : sendSigned;
    const result = to === undefined ? await send() : await deps.mailer.send(event, to, signal);
    span.end({ 'http.response.status_code': result.status }, result.failure ?? undefined);
    count(result, nowMs() - event.createdAt);
    await endOfMoment();
    const end = { deliveryId: id, attempt, worker, endpointId, url, result };
    logAttempt(deps.log, delivery, result, await persist(end, record, deps, namesOf(delivery)));
  };
}

// The bounds go up to a day, because retries can be that late.
const lagBounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200, 86_400];

function createDeliveryCount(meter: Meter) {
  const attempts = meter.counter(
    'darkroom_delivery_attempts_total',
    'Attempts to deliver a webhook, by how they ended.',
    ['outcome'],
  );
  const seconds = meter.histogram(
    'darkroom_delivery_attempt_seconds',
    'Duration of the exchange with the receiver.',
    [],
    secondBounds,
  );
  const lag = meter.histogram(
    'darkroom_delivery_lag_seconds',
    'Time from an event to the attempt that delivered it.',
    [],
    lagBounds,
  );
  return ({ failure, durationMs }: AttemptResult, sinceEventMs: number) => {
    attempts.add([failure ?? 'delivered']);
    seconds.observe(durationMs / 1000);
    if (failure === null) lag.observe(Math.max(0, sinceEventMs) / 1000);
  };
}

const unsigned: AttemptResult = {
  status: null,
  failure: 'secret_unreadable',
  durationMs: 0,
  answer: null,
  retryAfterMs: null,
};

/** Tries again until the end is recorded or the lease has expired. After an expiry, another attempt sends the event. */
async function persist(
  end: DeliveryEnd,
  record: (end: DeliveryEnd) => Promise<Recorded>,
  { leaseMs, signal, log }: DeliveryAttemptDeps,
  who: object,
): Promise<Recorded | undefined> {
  for (const giveUpAt = performance.now() + leaseMs; ; ) {
    try {
      return await record(end);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || performance.now() > giveUpAt || signal.aborted) {
        log.error('delivery.not_recorded', { ...who, reason: String(error) });
        return undefined;
      }
      await sleep(recordRetryMs);
    }
  }
}

function logAttempt(
  log: Log,
  delivery: LeasedDelivery,
  result: AttemptResult,
  recorded: Recorded | undefined,
): void {
  log.info('delivery.attempted', {
    ...namesOf(delivery),
    attempt: delivery.attempt,
    outcome: result.failure ?? 'delivered',
    ...(result.status !== null && { status: result.status }),
    next: recorded?.next ?? 'unrecorded',
    ms: result.durationMs,
  });
  if (!recorded?.disabled) return;
  log.warn('endpoint.disabled', { ...namesOf(delivery), reason: recorded.disabled });
}

function namesOf({ id, accountId, event }: LeasedDelivery): object {
  return {
    delivery_id: id,
    event_id: event.id,
    ...(event.jobId !== null && { job_id: event.jobId }),
    account_id: accountId,
    ...(event.keyId !== null && { key_id: event.keyId }),
    ...(event.requestId !== null && { request_id: event.requestId }),
  };
}

/** Returns one promise to all calls within `ms`, so that they share a transaction. */
function createMoments(ms: number): () => Promise<void> {
  let current: Promise<void> | undefined;
  return () => {
    current ??= sleep(ms).then(() => {
      current = undefined;
    });
    return current;
  };
}
