import { sql } from 'kysely';
import { isAnyOf, nowMs, readNow, rowsOf } from '../db/rows.ts';
import type { Tx } from '../db/schema.ts';
import { forgetWords } from '../jobs/search/word-store.ts';
import { forgetFinds } from '../jobs/tags/tag-store.ts';
import { firstIdAt } from '../std/ids.ts';
import { deleteDeliveriesOf } from '../webhooks/deliveries/delivery-store.ts';

// Ids contain the time of the process that made them, which may differ from the database's.
const maxSkewMs = 60 * 60 * 1000;
const minKeyMs = 30 * 24 * 60 * 60 * 1000;

export interface PurgedJob {
  id: string;
  imageKey: string | null;
  inputKeys: string[];
}

/**
 * Deletes jobs that ended more than `retentionMs` ago, with their events, deliveries and idempotency keys.
 * Ids sort by creation and jobs end after it, so only the oldest rows are read.
 */
export async function deleteEndedJobs(tx: Tx, retentionMs: number, limit: number): Promise<PurgedJob[]> {
  const past = sql<number>`${nowMs} - ${sql.lit(retentionMs)}`;
  const rows = await tx
    .selectFrom('jobs')
    .select(['id', 'account_id', 'idempotency_key', 'image_key', 'inputs'])
    .where('created_at', '<', past)
    .where('finished_at', '<', past)
    .where('id', '<', firstIdAt((await readNow(tx)) - retentionMs + maxSkewMs))
    // A pending delivery needs its event; the schedule of attempts limits how long it stays.
    .where(
      sql<boolean>`not exists (select 1 from deliveries join events on events.id = deliveries.event_id
        where events.job_id = jobs.id and deliveries.status = 'pending')`,
    )
    .orderBy('id')
    .limit(limit)
    .execute();
  const ids = rows.map(({ id }) => id);
  await deleteOldKeys(tx, rows, retentionMs);
  await deleteDeliveriesOf(tx, ids);
  await tx
    .deleteFrom('events')
    .where(isAnyOf(tx, 'job_id', ids, 'uuid'))
    .execute();
  await forgetFinds(tx, ids);
  await forgetWords(tx, ids);
  await tx
    .deleteFrom('jobs')
    .where(isAnyOf(tx, 'id', ids, 'uuid'))
    .execute();
  return rows.map(({ id, image_key, inputs }) => ({
    id,
    imageKey: image_key,
    inputKeys: (JSON.parse(inputs) as { key: string }[]).map(({ key }) => key), // written by `insertJobs`
  }));
}

/** Keys live as long as their job, and at least 30 days, even if retention is shorter. */
async function deleteOldKeys(
  tx: Tx,
  jobs: readonly { account_id: string; idempotency_key: string | null }[],
  retentionMs: number,
): Promise<void> {
  if (retentionMs < minKeyMs) {
    await sql`delete from idempotency_keys where created_at < ${nowMs} - ${sql.lit(minKeyMs)} and job_id is not null
      and not exists (select 1 from jobs where jobs.id = idempotency_keys.job_id)`.execute(tx);
    return;
  }
  const keys = rowsOf(
    tx,
    { account_id: 'uuid', key: 'text' },
    jobs.flatMap(({ account_id, idempotency_key: key }) => (key === null ? [] : [{ account_id, key }])),
  );
  await sql`delete from idempotency_keys
    where (account_id, key) in (select account_id, key from ${keys} as keys)`.execute(tx);
}
