import { sql } from 'kysely';
import { followedMs } from '../../../base/db/follow-clock.ts';
import { nowMs, rowsOf } from '../../../base/db/rows.ts';
import type { Queries, Tx } from '../../../base/db/schema.ts';

/** How long a retry can find a request's jobs after the first client has left. */
const adoptableMs = 10 * 60_000;
/**
 * How long a row lasts, in case its process died. It outlives every live request, because clients wait for at most half
 * an hour.
 */
const longestMs = 40 * 60_000;

const adoptableUntil = sql<number>`${nowMs} + ${sql.lit(adoptableMs)}`;

export interface Wish {
  /** The id of a key or client token. */
  callerId: string;
  fingerprint: string;
}

export interface Waiting extends Wish {
  waiter: string;
  process: string;
  /** How often the client has sent the request before, by its own count. */
  repeats: number;
  /** The id by which a client cancels this request; null if it closes the connection instead. */
  clientRequest: string | null;
}

export type NewUnanswered = Waiting & { jobIds: readonly string[] };

/** An unanswered request, without a waiter once its client has left. */
export type Unanswered = Omit<NewUnanswered, 'waiter'> & {
  waiter: string | null;
  /** False while the inputs are fetched and there are no jobs yet. */
  isAdmitted: boolean;
  /** How long the client has been waiting. Meaningless without a waiter. */
  waitedMs: number;
};

/**
 * Records requests, so that a retry finds them. Callers do this in the transaction that creates the jobs or, if inputs
 * must be fetched first, before the fetch.
 */
export async function insertUnanswered(tx: Tx, requests: readonly NewUnanswered[]): Promise<void> {
  if (requests.length === 0) return;
  const incoming = rowsOf(
    tx,
    {
      caller_id: 'uuid',
      fingerprint: 'text',
      job_id: 'uuid',
      job_ids: 'text',
      waiter: 'uuid',
      process: 'text',
      repeats: 'integer',
      client_request: 'text',
    },
    requests.map((one) => ({
      caller_id: one.callerId,
      fingerprint: one.fingerprint,
      job_id: firstOf(one),
      job_ids: JSON.stringify(one.jobIds),
      waiter: one.waiter,
      process: one.process,
      repeats: one.repeats,
      client_request: one.clientRequest,
    })),
  );
  await sql`insert into unanswered_requests
      (caller_id, fingerprint, job_id, job_ids, waiter, process, repeats, client_request, expires_at)
    select caller_id, fingerprint, job_id, job_ids, waiter, process, repeats, client_request, ${nowMs} + ${sql.lit(longestMs)}
    from ${incoming} as incoming`.execute(tx);
}

export async function findUnanswered(
  queries: Queries,
  { callerId, fingerprint }: Wish,
): Promise<Unanswered[]> {
  const rows = await queries
    .selectFrom('unanswered_requests')
    .leftJoin('jobs', 'jobs.id', 'job_id')
    .select([
      'job_ids',
      'jobs.id as admitted',
      'waiter',
      'process',
      'repeats',
      'client_request as clientRequest',
      sql<number>`${nowMs} + ${sql.lit(longestMs)} - expires_at`.as('waitedMs'),
    ])
    .where('caller_id', '=', callerId)
    .where('fingerprint', '=', fingerprint)
    .where('expires_at', '>', followedMs)
    .orderBy('job_id')
    .execute();
  return rows.map(({ job_ids, admitted, ...row }) => ({
    callerId,
    fingerprint,
    jobIds: JSON.parse(job_ids) as string[], // as `insertUnanswered` wrote it
    isAdmitted: admitted !== null,
    ...row,
  }));
}

/** Lets another request wait for the same jobs. Returns false if they were taken or answered since the read. */
export async function takeIfUnchanged(
  tx: Tx,
  known: Unanswered,
  { waiter, process, repeats, clientRequest }: Waiting,
): Promise<boolean> {
  const result = await tx
    .updateTable('unanswered_requests')
    .set({
      waiter,
      process: known.isAdmitted ? process : known.process,
      repeats,
      client_request: clientRequest,
      expires_at: sql<number>`${nowMs} + ${sql.lit(longestMs)}`,
    })
    .where('caller_id', '=', known.callerId)
    .where('fingerprint', '=', known.fingerprint)
    .where('job_id', '=', firstOf(known))
    .where('waiter', known.waiter === null ? 'is' : '=', known.waiter)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function deleteUnadmitted(
  tx: Tx,
  { callerId, fingerprint, jobIds }: Wish & Pick<NewUnanswered, 'jobIds'>,
): Promise<void> {
  await tx
    .deleteFrom('unanswered_requests')
    .where('caller_id', '=', callerId)
    .where('fingerprint', '=', fingerprint)
    .where('job_id', '=', firstOf({ jobIds }))
    // Keeps the row if the job exists, because a request that reported a failure may have been admitted.
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('jobs').select('id').whereRef('jobs.id', '=', 'unanswered_requests.job_id'))),
    )
    .execute();
}

/** Deletes answered requests, except those whose jobs another request has taken. */
export async function deleteAnswered(tx: Tx, answered: readonly Waiting[]): Promise<void> {
  if (answered.length === 0) return;
  await sql`delete from unanswered_requests
    where (caller_id, fingerprint, waiter) in (${waitersOf(tx, answered)})`.execute(tx);
}

/** Releases requests whose clients have left, so that repetitions can take them. Skips requests already taken. */
export async function markLeft(tx: Tx, left: readonly Waiting[]): Promise<void> {
  if (left.length === 0) return;
  await sql`update unanswered_requests set waiter = null, expires_at = ${adoptableUntil}
    where (caller_id, fingerprint, waiter) in (${waitersOf(tx, left)})`.execute(tx);
}

export async function markCancelled(
  tx: Tx,
  { callerId, clientRequest }: { callerId: string; clientRequest: string },
): Promise<void> {
  await tx
    .updateTable('unanswered_requests')
    .set({ waiter: null, expires_at: adoptableUntil })
    .where('caller_id', '=', callerId)
    .where('client_request', '=', clientRequest)
    .execute();
}

const isOver = sql<boolean>`expires_at <= ${followedMs}`;

export const isAnyUnansweredOver = sql<boolean>`exists (select 1 from unanswered_requests where ${isOver})`;

export const isAnyUnanswered = sql<boolean>`exists (select 1 from unanswered_requests)`;

export async function sweepUnanswered(tx: Tx): Promise<void> {
  await tx.deleteFrom('unanswered_requests').where(isOver).execute();
}

function waitersOf(tx: Tx, requests: readonly Waiting[]) {
  const rows = rowsOf(
    tx,
    { caller_id: 'uuid', fingerprint: 'text', waiter: 'uuid' },
    requests.map(({ callerId, fingerprint, waiter }) => ({ caller_id: callerId, fingerprint, waiter })),
  );
  return sql`select caller_id, fingerprint, waiter from ${rows} as rows`;
}

function firstOf({ jobIds: [first = ''] }: Pick<Unanswered, 'jobIds'>): string {
  return first;
}
