import { sql } from 'kysely';
import type { EmailTopic } from '../../accounts/people/email-topics.ts';
import { rowsOf } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import { isBucket } from './buckets/bucket-target.ts';
import { insertDeliveries, type NewDelivery } from './deliveries/delivery-store.ts';
import { assertSameEndpoints, type Endpoint, findEndpoints } from './endpoints/endpoint-store.ts';
import {
  type EventType,
  type JobEventType,
  jobEventTypes,
  mailedTypes,
  type OtherEventType,
  topicOf,
} from './event-types.ts';
import { findRecipients } from './mail/email-store.ts';
import { mailTarget } from './mail/mail-target.ts';

export interface JobEnd {
  jobId: string;
  accountId: string;
  status: 'done' | 'failed';
  /** Null to copy the end time from the job's row, which is written in the same round trip. */
  finishedAt: number | null;
  callbackUrl: string | null;
}

export interface Notice {
  accountId: string;
  type: OtherEventType;
  /** The id of the notice's subject, such as a batch, if the subject has only one event; otherwise a new id. */
  aboutId: string;
  at: number;
  data: object;
  /** Replaces the endpoints as the event's target. Buckets still get copies. */
  callbackUrl?: string | null;
  /** False if the email about another event also covers this one. */
  isMailed?: boolean;
}

export interface JobEvent {
  /** Orders an account's events. */
  seq: number;
  /** The `webhook-id` of every delivery. */
  id: string;
  type: JobEventType;
  jobId: string;
  createdAt: number;
}

/**
 * Writes an event for every job that ended, and a delivery for each target, in the transaction that ended the jobs.
 * The accounts must be locked. Events are numbered under that lock, which lasts until the commit, so a reader that has
 * seen one of an account's events has seen all before it.
 */
export async function recordEvents(tx: Tx, ends: readonly JobEnd[]): Promise<void> {
  await writeEvents(tx, ends.map(eventOf));
}

/** Like `recordEvents`, but saves a round trip, because the endpoints were read before the lock. */
export async function recordEventsFor(
  tx: Tx,
  ends: readonly JobEnd[],
  endpoints: readonly Endpoint[],
): Promise<void> {
  const events = ends.map(eventOf);
  await Promise.all([
    assertSameEndpoints(tx, accountsOf(events), endpoints),
    insertEvents(tx, events),
    insertDeliveries(tx, deliveriesOf(events, endpoints)),
  ]);
}

function eventOf({ jobId, accountId, status, finishedAt, callbackUrl }: JobEnd): NewEvent {
  return { accountId, aboutId: jobId, type: `job.${status}`, data: null, at: finishedAt, callbackUrl };
}

/** Delivers an event to its own target, or to each endpoint that names its type. */
export async function recordNotices(tx: Tx, notices: readonly Notice[]): Promise<void> {
  await writeEvents(
    tx,
    notices.map(({ data, callbackUrl = null, isMailed: _, ...notice }) => ({
      ...notice,
      callbackUrl,
      data: JSON.stringify(data),
    })),
  );
  const mailed = notices.filter(({ type, isMailed = true }) => isMailed && mailedTypes[type] !== undefined);
  for (const [topic, of] of Map.groupBy(mailed, ({ type }) => topicOf(type))) await mail(tx, topic, of);
}

async function mail(tx: Tx, topic: EmailTopic | null, notices: readonly Notice[]): Promise<void> {
  const accountIds = [...new Set(notices.map(({ accountId }) => accountId))];
  const found = await findRecipients(tx, accountIds, topic);
  const recipients = Map.groupBy(found, ({ accountId }) => accountId);
  await insertDeliveries(
    tx,
    notices.flatMap(({ aboutId, accountId }) =>
      (recipients.get(accountId) ?? []).map(({ email }) => ({
        ...{ eventId: eventIdOf(aboutId), accountId, endpointId: null, url: mailTarget(email) },
      })),
    ),
  );
}

interface NewEvent extends Omit<Notice, 'type' | 'at' | 'data' | 'callbackUrl'> {
  type: EventType;
  at: number | null;
  data: string | null;
  callbackUrl: string | null;
}

async function writeEvents(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const [endpoints] = await Promise.all([findEndpoints(tx, accountsOf(events)), insertEvents(tx, events)]);
  await insertDeliveries(tx, deliveriesOf(events, endpoints));
}

async function insertEvents(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  const incoming = rowsOf(
    tx,
    { id: 'text', account_id: 'uuid', job_id: 'uuid', type: 'text', data: 'text', created_at: 'integer' },
    events.map(({ aboutId, accountId, type, data, at }) => ({
      id: eventIdOf(aboutId),
      account_id: accountId,
      job_id: aboutId,
      type,
      data,
      created_at: at,
    })),
  );
  await sql`insert into events (id, account_id, job_id, type, data, created_at)
    select id, account_id, job_id, type, data,
      coalesce(created_at, (select finished_at from jobs where jobs.id = incoming.job_id))
    from ${incoming} as incoming`.execute(tx);
}

function accountsOf(events: readonly Pick<NewEvent, 'accountId'>[]): string[] {
  return [...new Set(events.map(({ accountId }) => accountId))];
}

function deliveriesOf(events: readonly NewEvent[], endpoints: readonly Endpoint[]): NewDelivery[] {
  const byAccount = Map.groupBy(endpoints, ({ accountId }) => accountId);
  return events.flatMap(({ aboutId, accountId, type, callbackUrl }): NewDelivery[] => {
    const event = { eventId: eventIdOf(aboutId), accountId };
    const wanting = (byAccount.get(accountId) ?? []).filter((endpoint) => wants(endpoint, type));
    const toEndpoints = wanting.map(({ id, url }) => ({ ...event, endpointId: id, url }));
    if (callbackUrl === null) return toEndpoints;
    const copies = toEndpoints.filter(({ url }) => isBucket(url));
    return [{ ...event, endpointId: null, url: callbackUrl }, ...copies];
  });
}

function wants({ disabledAt, events }: Endpoint, type: EventType): boolean {
  const wanted: readonly EventType[] = events ?? jobEventTypes;
  return disabledAt === null && wanted.includes(type);
}

/** Oldest first. */
export async function listJobEvents(
  queries: Queries,
  { accountId, after, limit }: { accountId: string; after: number; limit: number },
): Promise<JobEvent[]> {
  const rows = await queries
    .selectFrom('events')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('seq', '>', after)
    .where('data', 'is', null)
    .orderBy('seq')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    seq: row.seq,
    id: row.id,
    type: row.type as JobEventType, // a CHECK enforces it
    jobId: row.job_id,
    createdAt: row.created_at,
  }));
}

export async function lastEventSeq(queries: Queries, accountId: string): Promise<number> {
  const row = await queries
    .selectFrom('events')
    .select(({ fn }) => fn.max('seq').as('seq'))
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row?.seq ?? 0;
}

export async function lastSeqOfAll(queries: Queries): Promise<number> {
  const row = await queries
    .selectFrom('events')
    .select(({ fn }) => fn.max('seq').as('seq'))
    .executeTakeFirst();
  return row?.seq ?? 0;
}

export async function hasEvent(queries: Queries, accountId: string, id: string): Promise<boolean> {
  const row = await queries
    .selectFrom('events')
    .select('id')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Each job or other subject ends only once, so its id determines the event's id. */
export function eventIdOf(aboutId: string): string {
  return `evt_${aboutId.replaceAll('-', '')}`;
}
