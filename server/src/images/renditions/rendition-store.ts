import type { Tx } from '../../base/db/schema.ts';
import { insertImprint } from './imprint-store.ts';
import type { Look } from './rendition-messages.ts';

/** Returns false if the job no longer has the image. */
export async function noteLookIfKept(
  tx: Tx,
  { jobId, key }: { jobId: string; key: string },
  { thumbhash, colours, imprint }: Look,
): Promise<boolean> {
  const kept = await tx
    .updateTable('jobs')
    .set({ thumbhash, colours: colours.join(' ') })
    .where('id', '=', jobId)
    .where('image_key', '=', key)
    .where('image_deleted_at', 'is', null)
    .returning('account_id')
    .executeTakeFirst();
  if (kept && imprint) await insertImprint(tx, { accountId: kept.account_id, jobId }, imprint);
  return kept !== undefined;
}
