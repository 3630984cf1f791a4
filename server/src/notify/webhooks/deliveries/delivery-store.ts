import { sql } from 'kysely';
import { isAnyOf, nowMs, rowsOf } from '../../../base/db/rows.ts';
import type { Queries, Tx } from '../../../base/db/schema.ts';
import { type DeliveryStatus, laneOf } from '../delivery.ts';
import { type EventSubject, subjectOf } from '../event-subject.ts';

export interface NewDelivery {
  eventId: string;
  accountId: string;
  endpointId: string | null;
  url: string;
}

export async function insertDeliveries(tx: Tx, deliveries: readonly NewDelivery[]): Promise<void> {
  if (deliveries.length === 0) return;
  const incoming = rowsOf(
    tx,
    { event_id: 'text', account_id: 'uuid', endpoint_id: 'uuid', url: 'text', lane: 'text' },
    deliveries.map(({ eventId, accountId, endpointId, url }) => ({
      event_id: eventId,
      account_id: accountId,
      endpoint_id: endpointId,
      url,
      lane: laneOf(accountId, url),
    })),
  );
  await sql`insert into deliveries (
      event_id, account_id, endpoint_id, url, lane, status, attempt, claimable_at, created_at)
    select event_id, account_id, endpoint_id, url, lane, 'pending', 0, ${nowMs}, ${nowMs}
    from ${incoming} as incoming`.execute(tx);
}

export async function deleteDeliveriesOf(tx: Tx, jobIds: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('deliveries')
    .where('event_id', 'in', (query) =>
      query
        .selectFrom('events')
        .select('events.id')
        .where(isAnyOf(tx, 'events.job_id', jobIds, 'uuid')),
    )
    .execute();
}

export interface Delivery extends EventSubject {
  id: number;
  eventId: string;
  type: string;
  eventAt: number;
  url: string;
  /** Null if the request had its own `callback_url`. */
  endpointId: string | null;
  status: DeliveryStatus;
  failure: string | null;
  createdAt: number;
  endedAt: number | null;
  /** When the next attempt may begin; null during an attempt, and for a delivery that is not pending. */
  nextAttemptAt: number | null;
  attempts: DeliveryAttempt[];
}

export interface DeliveryAttempt {
  attempt: number;
  at: number;
  durationMs: number;
  status: number | null;
  failure: string | null;
  answer: string | null;
}

export interface DeliveryFilter {
  accountId: string;
  status?: DeliveryStatus;
  eventId?: string;
  endpointId?: string;
  before?: number;
  limit: number;
}

/** Lists deliveries, newest first, each with all its attempts. */
export async function listDeliveries(queries: Queries, filter: DeliveryFilter): Promise<Delivery[]> {
  let query = queries
    .selectFrom('deliveries')
    .innerJoin('events', 'events.id', 'deliveries.event_id')
    .selectAll('deliveries')
    .select(['events.type', 'events.job_id', 'events.data', 'events.created_at as event_at'])
    .where('deliveries.account_id', '=', filter.accountId);
  if (filter.status) query = query.where('deliveries.status', '=', filter.status);
  if (filter.eventId) query = query.where('deliveries.event_id', '=', filter.eventId);
  if (filter.endpointId) query = query.where('deliveries.endpoint_id', '=', filter.endpointId);
  if (filter.before !== undefined) query = query.where('deliveries.id', '<', filter.before);
  const rows = await query.orderBy('deliveries.id', 'desc').limit(filter.limit).execute();
  const attempts = await listAttempts(
    queries,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    id: row.id,
    eventId: row.event_id,
    type: row.type,
    ...subjectOf(row),
    eventAt: row.event_at,
    url: row.url,
    endpointId: row.endpoint_id,
    status: row.status,
    failure: row.failure,
    createdAt: row.created_at,
    endedAt: row.ended_at,
    nextAttemptAt: row.status === 'pending' && row.worker === null ? row.claimable_at : null,
    // Leaves out an attempt recorded between the two reads, which would not match the older state of its delivery.
    attempts: (attempts.get(row.id) ?? []).filter(
      ({ attempt }) => attempt < row.attempt || (attempt === row.attempt && row.worker === null),
    ),
  }));
}

async function listAttempts(
  queries: Queries,
  ids: readonly number[],
): Promise<Map<number, DeliveryAttempt[]>> {
  const wanted = rowsOf(
    queries,
    { id: 'integer' },
    ids.map((id) => ({ id })),
  );
  const rows = await queries
    .selectFrom('delivery_attempts')
    .selectAll()
    .where('delivery_id', 'in', sql<number>`(select id from ${wanted} as wanted)`)
    .orderBy('attempt')
    .execute();
  const byDelivery = Map.groupBy(rows, (row) => row.delivery_id);
  return new Map(
    [...byDelivery].map(([id, list]) => [
      id,
      list.map(({ attempt, at, duration_ms, status, failure, answer }) => ({
        attempt,
        at,
        durationMs: duration_ms,
        status,
        failure,
        answer,
      })),
    ]),
  );
}
