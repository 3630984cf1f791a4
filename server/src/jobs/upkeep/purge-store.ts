import { sql } from 'kysely';
import { isAnyOf, nowMs, readNow, rowsOf } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import { idBefore } from '../../base/std/ids.ts';
import { keysOfResult } from '../../images/renditions.ts';
import { deleteDeliveriesOf } from '../../notify/webhooks/deliveries/delivery-store.ts';
import { countedThrough } from '../activity/roll-up-store.ts';
import { forgetWords } from '../search/word-store.ts';
import { isNotKept } from '../tags/kept-store.ts';
import { forgetFinds } from '../tags/tag-store.ts';

/** Lists accounts by id, each with its oldest job, its oldest event without a job, and its oldest file. */
export async function listOldestJobs(
  queries: Queries,
  { after, limit }: { after: string | null; limit: number },
): Promise<Oldest[]> {
  const { rows } = await sql<Oldest>`
    select accounts.id as "accountId",
      (select jobs.id from jobs where jobs.account_id = accounts.id order by jobs.id limit 1) as "oldestJob",
      (select min(events.created_at) from events where events.account_id = accounts.id and data is not null)
        as "oldestNotice",
      (select batch_files.id from batch_files where batch_files.account_id = accounts.id
        order by batch_files.id limit 1) as "oldestFile"
    from accounts where ${after === null ? sql`true` : sql`accounts.id > ${after}`}
    order by accounts.id limit ${limit}`.execute(queries);
  return rows;
}

interface Oldest {
  accountId: string;
  oldestJob: string | null;
  oldestNotice: number | null;
  oldestFile: string | null;
}

export interface PurgedJob {
  id: string;
  imageKey: string | null;
  inputKeys: string[];
}

/**
 * Deletes old jobs with their events and deliveries, except up to `stars` jobs with a star or in an album. Reads only
 * the oldest rows.
 */
export async function deleteEndedJobs(
  tx: Tx,
  of: { accountId: string; retentionMs: number; stars: number; withKeys: boolean; limit: number },
): Promise<PurgedJob[]> {
  const past = sql<number>`${nowMs} - ${sql.lit(of.retentionMs)}`;
  const rows = await tx
    .selectFrom('jobs')
    .select(['id', 'account_id', 'batch_id', 'idempotency_key', 'image_key', 'inputs'])
    .where('account_id', '=', of.accountId)
    .where('created_at', '<', past)
    .where('finished_at', '<', past)
    .where('id', '<', idBefore((await readNow(tx)) - of.retentionMs))
    // A pending delivery needs its event, which therefore stays until the last attempt.
    .where(
      sql<boolean>`not exists (select 1 from deliveries join events on events.id = deliveries.event_id
        where events.job_id = jobs.id and deliveries.status = 'pending')`,
    )
    // Jobs must be counted before they are deleted.
    .where(
      sql<boolean>`not exists (select 1 from entries where entries.job_id = jobs.id
        and entries.kind in ('capture', 'release') and entries.id > ${countedThrough(sql`${of.accountId}`)})`,
    )
    .$if(of.stars > 0, (query) => query.where(isNotKept(of)))
    .orderBy('id')
    .limit(of.limit)
    .execute();
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  await forgetWords(tx, ids);
  await Promise.all([
    of.withKeys && deleteKeys(tx, rows),
    deleteDeliveriesOf(tx, ids),
    tx
      .deleteFrom('events')
      .where(isAnyOf(tx, 'job_id', ids, 'uuid'))
      .execute(),
    forgetFinds(tx, ids),
    tx
      .deleteFrom('jobs')
      .where(isAnyOf(tx, 'id', ids, 'uuid'))
      .execute(),
  ]);
  await deleteEmptyBatches(tx, [...new Set(rows.flatMap(({ batch_id: id }) => id ?? []))]);
  return rows.map(({ id, image_key, inputs }) => ({
    id,
    imageKey: image_key,
    inputKeys: inputKeysOf(inputs),
  }));
}

async function deleteEmptyBatches(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`delete from batches where ${isAnyOf(tx, 'id', ids, 'uuid')}
    and not exists (select 1 from jobs where jobs.batch_id = batches.id)`.execute(tx);
}

export function objectsOf(jobs: readonly PurgedJob[]): string[] {
  return jobs.flatMap(({ imageKey, inputKeys }) => [
    ...(imageKey === null ? [] : keysOfResult(imageKey)),
    ...inputKeys,
  ]);
}

/** The keys of inputs, from the JSON that `insertJobs` wrote. */
export function inputKeysOf(inputs: string): string[] {
  return (JSON.parse(inputs) as { key: string }[]).map(({ key }) => key);
}

/** Keeps keys that lead to another job by now, because a key can be used again once its days are over. */
async function deleteKeys(
  tx: Tx,
  jobs: readonly { id: string; account_id: string; idempotency_key: string | null }[],
): Promise<void> {
  const keys = rowsOf(
    tx,
    { account_id: 'uuid', key: 'text', job_id: 'uuid' },
    jobs.flatMap(({ id, account_id, idempotency_key: key }) =>
      key === null ? [] : [{ account_id, key, job_id: id }],
    ),
  );
  await sql`delete from idempotency_keys
    where (account_id, key, job_id) in (select account_id, key, job_id from ${keys} as keys)`.execute(tx);
}

export async function deleteOldNotices(
  tx: Tx,
  { accountId, retentionMs, limit }: { accountId: string; retentionMs: number; limit: number },
): Promise<number> {
  const { rows } = await sql<{ id: string }>`select id from events
    where account_id = ${accountId} and data is not null and created_at < ${nowMs} - ${sql.lit(retentionMs)}
      and not exists (select 1 from deliveries where event_id = events.id and status = 'pending')
    order by created_at limit ${limit}`.execute(tx);
  if (rows.length === 0) return 0;
  const ids = rows.map(({ id }) => id);
  await sql`delete from deliveries where ${isAnyOf(tx, 'event_id', ids, 'text')}`.execute(tx);
  await sql`delete from events where ${isAnyOf(tx, 'id', ids, 'text')}`.execute(tx);
  return rows.length;
}

export async function deleteEndedDeliveries(
  tx: Tx,
  { accountId, retentionMs, limit }: { accountId: string; retentionMs: number; limit: number },
): Promise<number> {
  const result = await sql`delete from deliveries where id in (select id from deliveries
    where account_id = ${accountId} and status <> 'pending' and created_at < ${nowMs} - ${sql.lit(retentionMs)}
    order by id limit ${limit})`.execute(tx);
  return Number(result.numAffectedRows);
}

/** Deletes old audit entries of an account or, if `accountId` is null, old entries without an account. */
export async function deleteOldAudit(
  tx: Tx,
  { accountId, retentionMs, limit }: { accountId: string | null; retentionMs: number; limit: number },
): Promise<number> {
  const own = accountId === null ? sql`account_id is null` : sql`account_id = ${accountId}`;
  const result = await sql`delete from audit_log where id in (select id from audit_log
    where ${own} and at < ${nowMs} - ${sql.lit(retentionMs)} order by id limit ${limit})`.execute(tx);
  return Number(result.numAffectedRows);
}

/** Reads an account's next idempotency keys and deletes the old ones among them. Returns where it stopped. */
export async function deleteOldKeys(
  tx: Tx,
  of: { accountId: string; retentionMs: number; after: string; limit: number },
): Promise<{ rows: number; last: string }> {
  const page = await tx
    .selectFrom('idempotency_keys')
    .select('key')
    .where('account_id', '=', of.accountId)
    .where('key', '>', of.after)
    .orderBy('key')
    .limit(of.limit)
    .execute();
  const last = page.at(-1)?.key ?? of.after;
  if (page.length > 0)
    await tx
      .deleteFrom('idempotency_keys')
      .where('account_id', '=', of.accountId)
      .where('key', '>', of.after)
      .where('key', '<=', last)
      .where('job_id', 'is not', null)
      .where('created_at', '<', sql<number>`${nowMs} - ${sql.lit(of.retentionMs)}`)
      .execute();
  return { rows: page.length, last };
}
