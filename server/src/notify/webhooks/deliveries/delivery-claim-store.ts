import { sql } from 'kysely';
import { isAnyOf, isFoundBy, isPostgres, nowMs, rowsOf } from '../../../base/db/rows.ts';
import type { DeliveriesTable, Queries, Tx } from '../../../base/db/schema.ts';
import type { CancelReason, LeasedDelivery } from '../delivery.ts';
import { subjectOf } from '../event-subject.ts';

// The lock under which claims of all processes take turns, so that hosts' limits are exact. The number is arbitrary.
const claimLock = 4_736_253;

const waits = sql<boolean>`worker is null and status = 'pending'`;
const isLeased = sql<boolean>`worker is not null`;

const firstLane = sql`(select min(lane) from deliveries where ${waits})`;

export const isAnyDeliveryWaiting = sql<boolean>`${firstLane} is not null`;

export const isAnyDeliveryLeased = sql<boolean>`exists (select 1 from deliveries where ${isLeased})`;

/** Waits until no other process is claiming. SQLite has only one writer anyway. */
export async function lockDeliveryClaims(tx: Tx): Promise<void> {
  if (isPostgres(tx)) await sql`select pg_advisory_xact_lock(${sql.lit(claimLock)})`.execute(tx);
}

/** Skips through the index from lane to lane, because a dead receiver may have a million deliveries in one lane. */
export async function findDueLanes(queries: Queries): Promise<string[]> {
  const { rows } = await sql<{ lane: string }>`
    with recursive lanes (lane) as (
      select * from ${firstLane} as first
      union all
      select (select min(lane) from deliveries where ${waits} and lane > lanes.lane)
      from lanes where lanes.lane is not null)
    select lane from lanes where lane is not null and exists (
      select 1 from deliveries where ${waits} and deliveries.lane = lanes.lane and claimable_at <= ${nowMs})`.execute(
    queries,
  );
  return rows.map(({ lane }) => lane);
}

export async function countRunningDeliveries(tx: Tx): Promise<Map<string, number>> {
  const rows = await tx
    .selectFrom('deliveries')
    .select(({ fn }) => ['lane', fn.countAll<number>().as('count')])
    .where(isLeased)
    .groupBy('lane')
    .execute();
  return new Map(rows.map(({ lane, count }) => [lane, count]));
}

/** Finds the deliveries that have been due the longest, up to each lane's quota. */
export async function findDue(tx: Tx, quotas: ReadonlyMap<string, number>): Promise<number[]> {
  const most = Math.max(...quotas.values());
  const wanted = rowsOf(
    tx,
    { lane: 'text', quota: 'integer' },
    [...quotas].map(([lane, quota]) => ({ lane, quota })),
  );
  const found = sql`select id from deliveries where ${waits} and lane = wanted.lane and claimable_at <= ${nowMs}
      order by claimable_at limit ${most}`;
  const { rows } = await sql<{ id: number; lane: string }>`select deliveries.id, deliveries.lane
    from ${wanted} as wanted join deliveries on deliveries.id ${isFoundBy(tx, found)}
    order by deliveries.claimable_at`.execute(tx);
  const left = new Map(quotas);
  return rows.flatMap(({ id, lane }) => {
    const quota = left.get(lane) ?? 0;
    left.set(lane, quota - 1);
    return quota > 0 ? [id] : [];
  });
}

export async function findOrphaned(
  tx: Tx,
  ids: readonly number[],
): Promise<{ id: number; endpointId: string; reason: CancelReason }[]> {
  if (ids.length === 0) return [];
  const due = rowsOf(
    tx,
    { id: 'integer' },
    ids.map((id) => ({ id })),
  );
  const { rows } = await sql<{ id: number; endpointId: string; reason: CancelReason }>`
    select deliveries.id, deliveries.endpoint_id as "endpointId", case
      when own.id is null then 'endpoint_removed'
      when own.disabled_at is not null then 'endpoint_disabled'
      else 'endpoint_replaced' end as reason
    from ${due} as due join deliveries on deliveries.id = due.id
      left join endpoints as own on own.id = deliveries.endpoint_id
    where deliveries.endpoint_id is not null
      and (own.id is null or own.disabled_at is not null or own.url <> deliveries.url)`.execute(tx);
  return rows;
}

type LeasedRow = Pick<
  DeliveriesTable,
  'event_id' | 'account_id' | 'endpoint_id' | 'url' | 'lane' | 'attempt'
> & { id: number; secret_owner: string };

export async function leaseDeliveries(
  tx: Tx,
  ids: readonly number[],
  { worker, leaseMs }: { worker: string; leaseMs: number },
): Promise<LeasedDelivery[]> {
  if (ids.length === 0) return [];
  const claimed = rowsOf(
    tx,
    { id: 'integer' },
    ids.map((id) => ({ id })),
  );
  // A delivery that was cancelled after it was found does not match, and stays unchanged.
  const { rows } = await sql<LeasedRow>`update deliveries set worker = ${worker},
      attempt = attempt + 1, claimable_at = ${nowMs} + ${sql.lit(leaseMs)}
    from ${claimed} as claimed
    where deliveries.id = claimed.id and deliveries.worker is null and deliveries.status = 'pending'
    returning deliveries.id, deliveries.event_id, deliveries.account_id, deliveries.endpoint_id, deliveries.url,
      deliveries.lane, deliveries.attempt, coalesce((
        select endpoints.id from endpoints where endpoints.id = deliveries.endpoint_id and endpoints.is_default = 0
      ), deliveries.account_id) as secret_owner`.execute(tx);
  const events = await tx
    .selectFrom('events')
    .leftJoin('jobs', 'jobs.id', 'events.job_id')
    .select(['events.id', 'type', 'job_id', 'data', 'events.created_at', 'key_id', 'request_id'])
    .where(
      isAnyOf(
        tx,
        'events.id',
        rows.map((row) => row.event_id),
        'text',
      ),
    )
    .execute();
  const byId = new Map(events.map((event) => [event.id, event]));
  return rows.flatMap((row) => {
    const event = byId.get(row.event_id);
    if (!event) return []; // a foreign key forbids it
    const { id, type, created_at, key_id, request_id } = event;
    return [
      {
        id: row.id,
        accountId: row.account_id,
        endpointId: row.endpoint_id,
        secretOwner: row.secret_owner,
        url: row.url,
        lane: row.lane,
        attempt: row.attempt,
        event: { id, type, ...subjectOf(event), createdAt: created_at, keyId: key_id, requestId: request_id },
      },
    ];
  });
}

/** Finds deliveries whose worker stopped before it recorded an attempt. The clock may jump, so `now` is read once. */
export async function findExpired(
  queries: Queries,
  now: number,
  limit: number,
): Promise<{ id: number; attempt: number; worker: string; endpointId: string | null; url: string }[]> {
  const rows = await queries
    .selectFrom('deliveries')
    .select(['id', 'attempt', 'worker', 'endpoint_id', 'url'])
    .where(isLeased)
    .where('claimable_at', '<=', now)
    .orderBy('claimable_at')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    attempt: row.attempt,
    worker: row.worker ?? '',
    endpointId: row.endpoint_id,
    url: row.url,
  }));
}
