import type { Static } from 'typebox';
import { livingAccountOf } from '../../../../accounts/account-of.ts';
import type { Database } from '../../../../base/db/database.ts';
import { type Page, readCursor, sizeOf, toPage, writeCursor } from '../../../../base/http/cursor.ts';
import { named, page, pageQuery } from '../../../../base/http/schemas.ts';
import type { Batch } from '../../../../jobs/batches/batch-store.ts';
import { cancelBatch } from '../../../../jobs/batches/cancel-batch.ts';
import {
  getBatch,
  listBatchPage,
  type PresentedBatch,
  presentBatches,
} from '../../../../jobs/batches/get-batch.ts';
import type { CancelledDeps } from '../../../../jobs/cancel/end-cancelled.ts';
import { accountCall } from '../../account-call.ts';
import { batchParams } from './batch-calls.ts';
import { batchSchema } from './batch-schemas.ts';

const tag = 'Batches';
export const batchListQuery = pageQuery({});

export function accountBatchCalls(deps: CancelledDeps) {
  const { database } = deps;
  return {
    list: accountCall({
      tag,
      operationId: 'listBatches',
      summary: 'List batches, newest first',
      description: 'Batches of the account, as long as their jobs are kept.',
      query: batchListQuery,
      reply: page('BatchList', named(batchSchema)),
      handle: ({ accountId, query }) => listAccountBatches(database, accountId, query),
    }),

    get: accountCall({
      tag,
      operationId: 'getBatch',
      summary: 'Read a batch',
      description: 'Reads the progress of the batch, and its cost so far.',
      params: batchParams,
      reply: named(batchSchema),
      errors: ['not_found'],
      handle: async ({ accountId, params }) =>
        present(database, await getBatch(deps, { accountId, batchId: params.batch_id })),
    }),

    cancel: accountCall({
      tag,
      operationId: 'cancelBatch',
      summary: 'Cancel the rest of a batch',
      description:
        'Fails its queued and processing jobs with `error_code` `cancelled` and releases their price; finished jobs stay. The answer comes at once. The batch is `cancelling` until all jobs have ended (half a minute for ten thousand), and none of them starts meanwhile. A repeat changes nothing.',
      params: batchParams,
      reply: named(batchSchema),
      errors: ['not_found', 'body_too_large'],
      async handle({ accountId, params, by, isKey }) {
        if (!isKey) await livingAccountOf(database.read, accountId);
        const wanted = { accountId, batchId: params.batch_id };
        return present(database, await cancelBatch(deps, wanted, isKey ? undefined : by));
      },
    }),
  };
}

export async function listAccountBatches(
  database: Database,
  accountId: string,
  query: Static<typeof batchListQuery>,
): Promise<Page<PresentedBatch>> {
  const limit = sizeOf(query.limit);
  const [before] = readCursor(query.cursor, ['id']) ?? [];
  const batches = await listBatchPage({ database }, { accountId, before, limit: limit + 1 });
  return toPage(batches, limit, (last) => writeCursor([last.batch_id]));
}

async function present(database: Database, batch: Batch): Promise<PresentedBatch> {
  const [presented] = await presentBatches(database, [batch]);
  return presented as PresentedBatch; // one for each batch
}
