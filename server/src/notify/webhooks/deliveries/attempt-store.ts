import { type RawBuilder, sql } from 'kysely';
import { isPostgres, nowMs, rowsOf } from '../../../base/db/rows.ts';
import type { Tx } from '../../../base/db/schema.ts';
import type { AttemptResult } from '../delivery.ts';
import type { EarlierAttempts, NextStep } from './decide-next.ts';

/** The end of an attempt. It changes the delivery only if this worker still holds its lease for this attempt. */
export interface DeliveryEnd {
  deliveryId: number;
  attempt: number;
  worker: string;
  endpointId: string | null;
  /** The address that was called; the endpoint may have another one by now. */
  url: string;
  result: AttemptResult;
}

export async function countEarlier(
  tx: Tx,
  ends: readonly DeliveryEnd[],
): Promise<Map<number, EarlierAttempts>> {
  const repeated = ends.filter(({ attempt }) => attempt > 1);
  if (repeated.length === 0) return new Map();
  const ended = rowsOf(
    tx,
    { id: 'integer', attempt: 'integer' },
    repeated.map(({ deliveryId, attempt }) => ({ id: deliveryId, attempt })),
  );
  const { rows } = await sql<{ id: number; attempts: number; interrupted: number }>`select ended.id,
      count(*) as attempts, sum(case failure when 'interrupted' then 1 else 0 end) as interrupted
    from ${ended} as ended join delivery_attempts
      on delivery_attempts.delivery_id = ended.id and delivery_attempts.attempt < ended.attempt
    group by ended.id`.execute(tx);
  return new Map(
    rows.map(({ id, attempts, interrupted }) => [id, { ended: attempts - interrupted, interrupted }]),
  );
}

/** Inserts attempts even if the lease was lost or the delivery cancelled. Returns those that are new. */
export async function insertAttempts(tx: Tx, ends: readonly DeliveryEnd[]): Promise<DeliveryEnd[]> {
  const incoming = rowsOf(
    tx,
    {
      id: 'integer',
      attempt: 'integer',
      duration: 'integer',
      status: 'integer',
      failure: 'text',
      answer: 'text',
    },
    ends.map(({ deliveryId, attempt, result }) => ({
      id: deliveryId,
      attempt,
      duration: result.durationMs,
      status: result.status,
      failure: result.failure,
      answer: result.answer,
    })),
  );
  const { rows } = await sql<{ id: number; attempt: number }>`insert into delivery_attempts (
      delivery_id, attempt, at, duration_ms, status, failure, answer)
    select incoming.id, incoming.attempt, ${nowMs} - duration, duration, incoming.status, incoming.failure, answer
    from ${incoming} as incoming join deliveries on deliveries.id = incoming.id
    where true ${lockPresent(tx)} on conflict do nothing returning delivery_id as id, attempt`.execute(tx);
  const written = new Set(rows.map(({ id, attempt }) => `${id} ${attempt}`));
  return ends.filter(({ deliveryId, attempt }) => written.has(`${deliveryId} ${attempt}`));
}

/**
 * Waits for concurrent removals of jobs. Until a removal commits, its deliveries are still visible; attempts inserted
 * for them would violate the foreign key and fail the batch.
 */
function lockPresent(tx: Tx): RawBuilder<unknown> {
  return isPostgres(tx) ? sql`for key share of deliveries` : sql``;
}

export async function applyIfLeased(
  tx: Tx,
  steps: readonly { end: DeliveryEnd; step: NextStep }[],
): Promise<Set<number>> {
  const incoming = rowsOf(
    tx,
    { id: 'integer', attempt: 'integer', worker: 'text', status: 'text', delay: 'integer', failure: 'text' },
    steps.map(({ end, step }) => ({
      id: end.deliveryId,
      attempt: end.attempt,
      worker: end.worker,
      status: step.kind === 'retry' ? 'pending' : step.kind,
      delay: step.kind === 'retry' ? step.delayMs : 0,
      failure: end.result.failure,
    })),
  );
  const { rows } = await sql<{ id: number }>`update deliveries set worker = null, status = step.status,
      failure = step.failure, claimable_at = ${nowMs} + step.delay,
      ended_at = case when step.status = 'pending' then null else ${nowMs} end
    from ${incoming} as step
    where deliveries.id = step.id and deliveries.attempt = step.attempt and deliveries.worker = step.worker
    returning deliveries.id`.execute(tx);
  return new Set(rows.map(({ id }) => id));
}

export async function releaseLeases(
  tx: Tx,
  leases: readonly { id: number; attempt: number }[],
  worker: string,
): Promise<void> {
  const unused = rowsOf(
    tx,
    { id: 'integer', attempt: 'integer' },
    leases.map(({ id, attempt }) => ({ id, attempt })),
  );
  await sql`update deliveries set worker = null, claimable_at = ${nowMs} from ${unused} as unused
    where deliveries.id = unused.id and deliveries.attempt = unused.attempt
      and deliveries.worker = ${worker}`.execute(tx);
}
