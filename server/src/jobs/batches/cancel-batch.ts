import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { CancelledDeps } from '../cancel/end-cancelled.ts';
import { type Batch, markCancelled } from './batch-store.ts';
import { getBatch } from './get-batch.ts';
import { endSome } from './start-ending-batches.ts';

/**
 * Cancels a batch's unfinished jobs: the first hundred before it returns, and the others soon after, in any process.
 * @throws AppError `not_found`
 */
export async function cancelBatch(
  deps: CancelledDeps,
  wanted: { accountId: string; batchId: string },
  by?: Actor,
): Promise<Batch> {
  const batch = await getBatch(deps, wanted);
  const { id, accountId } = batch;
  await deps.database.transaction(async (tx) => {
    const isNew = await markCancelled(tx, id);
    const entry = { action: 'batch.cancelled' as const, accountId, subject: id, detail: {} };
    if (by && isNew) await insertAuditEntry(tx, by, entry);
  });
  await endSome(deps, batch);
  return getBatch(deps, wanted);
}
