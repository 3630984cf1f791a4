import { sql } from 'kysely';
import { isAnyOf, nowMs } from '../db/rows.ts';
import type { Tx } from '../db/schema.ts';
import { deleteDeliveriesOf } from '../webhooks/delivery-store.ts';

export interface PurgedJob {
  id: string;
  imageKey: string | null;
  inputKeys: string[];
}

/**
 * Deletes jobs that ended more than `retentionMs` ago, with their events, deliveries and idempotency keys. Ids sort by creation, and
 * nothing ends before it was created: the oldest rows are where to look.
 */
export async function deleteEndedJobs(tx: Tx, retentionMs: number, limit: number): Promise<PurgedJob[]> {
  const past = sql<number>`${nowMs} - ${sql.lit(retentionMs)}`;
  const rows = await tx
    .selectFrom('jobs')
    .select(['id', 'image_key', 'inputs'])
    .where('created_at', '<', past)
    .where('finished_at', '<', past)
    .orderBy('id')
    .limit(limit)
    .execute();
  const ids = rows.map(({ id }) => id);
  await tx
    .deleteFrom('idempotency_keys')
    .where(isAnyOf(tx, 'job_id', ids, 'uuid'))
    .execute();
  await deleteDeliveriesOf(tx, ids);
  await tx
    .deleteFrom('events')
    .where(isAnyOf(tx, 'job_id', ids, 'uuid'))
    .execute();
  await tx
    .deleteFrom('jobs')
    .where(isAnyOf(tx, 'id', ids, 'uuid'))
    .execute();
  return rows.map(({ id, image_key, inputs }) => ({
    id,
    imageKey: image_key,
    inputKeys: (JSON.parse(inputs) as { key: string }[]).map(({ key }) => key), // written by insertJobs
  }));
}
