import { type RawBuilder, sql } from 'kysely';
import { nowMs } from '../../../base/db/rows.ts';
import type { Queries, Tx } from '../../../base/db/schema.ts';

export interface ReplayFilter {
  accountId: string;
  after: number;
  limit: number;
  eventId: string | null;
  /** Replays only to this endpoint, even if it does not subscribe to these events. */
  endpointId: string | null;
  /** Replays only to the target that the request gave. */
  ownTarget: boolean;
  sinceMs: number | null;
  delivered: boolean;
  tried: boolean;
}

export interface Replayable {
  seq: number;
  eventId: string;
  endpointId: string | null;
  url: string;
}

/**
 * Finds events, oldest first, and the targets that each is sent to again. A target is left out if its delivery of the
 * event is pending or, unless `delivered`, was delivered. A target that never had a delivery of the event gets it only
 * if no other delivery of the event has such a state, so that new endpoints do not get what others received. A bucket
 * that `endpointId` names gets all events.
 */
export async function findReplayable(tx: Tx, filter: ReplayFilter): Promise<Replayable[]> {
  const { rows } = await sql<Replayable>`select events.seq, events.id as "eventId",
      endpoints.id as "endpointId", ${url} as url
    ${replayable(filter)} order by events.seq, endpoints.id limit ${filter.limit}`.execute(tx);
  return rows;
}

export async function countReplayable(queries: Queries, filter: ReplayFilter): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from (
    select 1 ${replayable(filter)} limit ${filter.limit}) as replayable`.execute(queries);
  return rows[0]?.count ?? 0;
}

/** The target given by the request that created the job or batch. It replaces endpoints, except buckets. */
const ownTarget = sql`coalesce(jobs.callback_url, batches.callback_url)`;
const isBucket = sql`endpoints.url like 's3://%'`;
const url = sql`case places.own when 1 then ${ownTarget} else endpoints.url end`;

function replayable({ delivered, endpointId, ...filter }: ReplayFilter): RawBuilder<unknown> {
  const named = sql`endpoints.events like '%"' || events.type || '"%'`;
  const has = sql`select 1 from deliveries where deliveries.event_id = events.id`;
  const here = sql`(deliveries.endpoint_id = endpoints.id
    or (deliveries.endpoint_id is null and endpoints.id is null))`;
  const wanted =
    endpointId === null
      ? sql`((events.data is null and endpoints.events is null) or ${named})`
      : sql`endpoints.id = ${endpointId} and (
          (events.data is null and not ${isBucket}) or ${named} or exists (${has} and ${here}))`;
  const open = delivered
    ? sql`deliveries.status = 'pending'`
    : sql`deliveries.status in ('pending', 'delivered')`;
  const unseen = sql`(exists (${has} and ${here}) or not exists (${has} and ${open}))`;
  const conditions = [
    sql`events.account_id = ${filter.accountId} and events.seq > ${filter.after}`,
    sql`${url} is not null`,
    ...(endpointId === null ? [] : [sql`places.own = 0`]),
    ...(filter.ownTarget ? [sql`places.own = 1`] : []),
    sql`not exists (${has} and ${open} and ${here})`,
    endpointId === null ? unseen : sql`(${isBucket} or ${unseen})`,
    ...(filter.eventId === null ? [] : [sql`events.id = ${filter.eventId}`]),
    ...(filter.sinceMs === null ? [] : [sql`events.created_at >= ${nowMs} - ${sql.lit(filter.sinceMs)}`]),
    ...(filter.tried ? [sql`exists (${has})`] : []),
  ];
  return sql`from events left join jobs on jobs.id = events.job_id
    left join batches on batches.id = events.job_id
    cross join (select 0 as own union all select 1) as places
    left join endpoints on places.own = 0 and (${ownTarget} is null or ${isBucket})
      and endpoints.account_id = events.account_id
      and endpoints.disabled_at is null and ${wanted}
    where ${sql.join(conditions, sql` and `)}`;
}
