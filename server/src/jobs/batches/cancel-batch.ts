import { type Actor, insertAuditEntry } from '../../accounts/audit-store.ts';
import { standInLine } from '../../ledger/ledger-store.ts';
import { type CancelledDeps, endCancelled, tellCancelled } from '../cancel/end-cancelled.ts';
import { lockJob } from '../job-store.ts';
import { type Batch, listUnfinishedIds, markCancelled } from './batch-store.ts';
import { getBatch } from './read-batches.ts';

/** Jobs that end in one transaction; others wait for it no longer than for a large batch of creates. */
const atOnce = 100;

/**
 * Cancels those jobs of a batch that have not ended, and releases their money. One that was cut off goes on when it is
 * asked for again.
 *
 * @throws AppError `not_found`
 */
export async function cancelBatch(
  deps: CancelledDeps,
  wanted: { accountId: string; batchId: string },
  by?: Actor,
): Promise<Batch> {
  const { database } = deps;
  const { id, accountId } = await getBatch(deps, wanted);
  await database.transaction(async (tx) => {
    const isNew = await markCancelled(tx, id);
    const entry = { action: 'batch.cancelled', accountId, subject: id, detail: {} };
    if (by && isNew) await insertAuditEntry(tx, by, entry);
  });
  for (let isOver = false; !isOver; ) {
    const cancelled = await database.transaction(async (tx) => {
      const [, ids] = await Promise.all([standInLine(tx, [accountId]), listUnfinishedIds(tx, id, atOnce)]);
      isOver = ids.length === 0;
      const held = await Promise.all(ids.map((jobId) => lockJob(tx, jobId)));
      return endCancelled(
        tx,
        held.filter((one) => one !== undefined),
      );
    });
    tellCancelled(deps, cancelled);
  }
  return getBatch(deps, wanted);
}
