import type { Database } from '../../../db/database.ts';
import { type Page, readCursor, toPage, writeCursor } from '../../../http/cursor.ts';
import { listBatchPage, type PresentedBatch } from '../../../jobs/batches/get-batch.ts';

/** The batches of an account from a cursor on, newest first. @throws AppError `invalid_request` */
export async function batchPage(
  deps: { database: Database },
  { accountId, cursor, limit }: { accountId: string; cursor?: string; limit: number },
): Promise<Page<PresentedBatch>> {
  const [before] = readCursor(cursor, ['id']) ?? [];
  const batches = await listBatchPage(deps, { accountId, before, limit: limit + 1 });
  return toPage(batches, limit, (last) => writeCursor([last.batch_id]));
}
