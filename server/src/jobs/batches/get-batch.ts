import type { Database } from '../../base/db/database.ts';
import { readId } from '../../base/std/ids.ts';
import { AppError } from '../../errors.ts';
import { type Batch, countProcessing, findBatch, listBatches } from './batch-store.ts';
import { presentBatch } from './present-batch.ts';

export type PresentedBatch = ReturnType<typeof presentBatch>;

/** @throws AppError `not_found`, with the same message for an unknown batch and for another account's */
export async function getBatch(
  { database }: { database: Database },
  { accountId, batchId }: { accountId: string; batchId: string },
): Promise<Batch> {
  const id = readId(batchId);
  const batch = id && (await findBatch(database.read, { accountId, id }));
  if (!batch) throw unknownBatch();
  return batch;
}

export async function listBatchPage(
  { database }: { database: Database },
  { accountId, before, limit }: { accountId: string; before: string | undefined; limit: number },
): Promise<PresentedBatch[]> {
  return presentBatches(database, await listBatches(database.reports, { accountId, before, limit }));
}

export async function presentBatches(
  database: Database,
  batches: readonly Batch[],
): Promise<PresentedBatch[]> {
  const underWay = batches.filter(({ finishedAt }) => finishedAt === null).map(({ id }) => id);
  const processing = await countProcessing(database.reports, underWay);
  return batches.map((batch) => presentBatch(batch, processing.get(batch.id) ?? 0));
}

export function unknownBatch(): AppError {
  return new AppError('not_found', 'There is no such batch.');
}
