import type { ApiKey } from '../../../../accounts/key-store.ts';
import { unknownFile } from '../../../../jobs/batch-files/keep-file.ts';
import { type BatchSource, findSources } from '../../../../jobs/batches/batch-source-store.ts';
import type { Batch } from '../../../../jobs/batches/batch-store.ts';
import { getBatch, unknownBatch } from '../../../../jobs/batches/get-batch.ts';
import type { DoorDeps } from '../../door-deps.ts';
import { type Part, parseBatchName } from './ids.ts';

export interface FoundBatch {
  batch: Batch;
  source: Omit<BatchSource, 'answers'>;
}

/** @throws AppError `not_found`, also for a batch that was not created from a file */
export async function findBatchNamed(deps: DoorDeps, key: ApiKey, name: string): Promise<FoundBatch> {
  return find(deps, key, parseBatchName(name));
}

/** @throws AppError `not_found`, also while the file does not exist yet */
export async function findBatchOfFile(
  deps: DoorDeps,
  key: ApiKey,
  { id, part }: { id: string; part: Part },
): Promise<FoundBatch> {
  const found = await find(deps, key, id);
  if (!hasPart(found.batch, part)) throw unknownFile();
  return found;
}

/**
 * Whether a batch has a file. The output file has the images, and the error file has the failures. Each exists once all
 * jobs have ended, unless it would be empty.
 */
export function hasPart({ finishedAt, done, failed }: Batch, part: Part): boolean {
  return finishedAt !== null && (part === 'output' ? done : failed) > 0;
}

export async function withSources(deps: DoorDeps, batches: readonly Batch[]): Promise<FoundBatch[]> {
  const sources = await findSources(
    deps.database.read,
    batches.map(({ id }) => id),
  );
  return batches.flatMap((batch) => {
    const source = sources.get(batch.id);
    return source ? [{ batch, source }] : [];
  });
}

async function find(deps: DoorDeps, { accountId }: ApiKey, batchId: string): Promise<FoundBatch> {
  const [found] = await withSources(deps, [await getBatch(deps, { accountId, batchId })]);
  if (!found) throw unknownBatch();
  return found;
}
