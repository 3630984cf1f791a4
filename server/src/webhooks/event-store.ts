import { sql } from 'kysely';
import { rowsOf } from '../db/rows.ts';
import type { Queries, Tx } from '../db/schema.ts';
import { insertDeliveries, type NewDelivery } from './deliveries/delivery-store.ts';
import { type Endpoint, findEndpoints } from './endpoints/endpoint-store.ts';
import type { EventType } from './event-types.ts';

/** The end of a job, as its event records it. */
export interface JobEnd {
  jobId: string;
  accountId: string;
  status: 'done' | 'failed';
  finishedAt: number;
  callbackUrl: string | null;
}

export interface WebhookEvent {
  /** Ascending; the order in which an account's events are read. */
  seq: number;
  /** The `webhook-id` of every delivery. */
  id: string;
  type: EventType;
  jobId: string;
  /** When the job ended, to the millisecond. */
  createdAt: number;
}

/**
 * Writes an event for every job that ended, and a delivery for each target that wants it, in the transaction that
 * ended the jobs.
 *
 * The accounts must already be locked. Their events are numbered under that lock, which is held until the
 * commit, so numbers of an account become visible in order, and a reader that has seen one has seen all
 * before it.
 */
export async function recordEvents(tx: Tx, ends: readonly JobEnd[]): Promise<void> {
  if (ends.length === 0) return;
  const incoming = rowsOf(
    tx,
    { id: 'text', account_id: 'uuid', job_id: 'uuid', type: 'text', created_at: 'integer' },
    ends.map(({ jobId, accountId, status, finishedAt }) => ({
      id: eventIdOf(jobId),
      account_id: accountId,
      job_id: jobId,
      type: `job.${status}`,
      created_at: finishedAt,
    })),
  );
  const written = sql`insert into events (id, account_id, job_id, type, created_at)
    select id, account_id, job_id, type, created_at from ${incoming} as incoming`.execute(tx);

  const accountIds = [...new Set(ends.map(({ accountId }) => accountId))];
  const [endpoints] = await Promise.all([findEndpoints(tx, accountIds), written]);
  const byAccount = Map.groupBy(endpoints, ({ accountId }) => accountId);
  await insertDeliveries(
    tx,
    ends.flatMap(({ jobId, accountId, status, callbackUrl }): NewDelivery[] => {
      const event = { eventId: eventIdOf(jobId), accountId };
      if (callbackUrl !== null) return [{ ...event, endpointId: null, url: callbackUrl }];
      const wanting = (byAccount.get(accountId) ?? []).filter((endpoint) => wants(endpoint, `job.${status}`));
      return wanting.map(({ id, url }) => ({ ...event, endpointId: id, url }));
    }),
  );
}

function wants({ disabledAt, events }: Endpoint, type: EventType): boolean {
  return disabledAt === null && (events === null || events.includes(type));
}

/** An account's events after `after`, oldest first. */
export async function listEvents(
  queries: Queries,
  { accountId, after, limit }: { accountId: string; after: number; limit: number },
): Promise<WebhookEvent[]> {
  const rows = await queries
    .selectFrom('events')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    seq: row.seq,
    id: row.id,
    type: row.type,
    jobId: row.job_id,
    createdAt: row.created_at,
  }));
}

/** The number of the account's last event; 0 without any. */
export async function lastEventSeq(queries: Queries, accountId: string): Promise<number> {
  const row = await queries
    .selectFrom('events')
    .select(({ fn }) => fn.max('seq').as('seq'))
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row?.seq ?? 0;
}

/** A job ends once, so its event's id is derived from its own. */
export function eventIdOf(jobId: string): string {
  return `evt_${jobId.replaceAll('-', '')}`;
}
