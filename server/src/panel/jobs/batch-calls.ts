import { Readable } from 'node:stream';
import Type from 'typebox';
import { batchPage } from '../../api/nouns/batches/batch-page.ts';
import { closed, pageLimit } from '../../http/schemas.ts';
import { writeResults, zipBatch } from '../../jobs/batches/batch-results.ts';
import { type Batch, countProcessing } from '../../jobs/batches/batch-store.ts';
import { cancelBatch } from '../../jobs/batches/cancel-batch.ts';
import { getBatch } from '../../jobs/batches/get-batch.ts';
import { presentBatch } from '../../jobs/batches/present-batch.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import { Streamed } from '../streamed.ts';

const defaultPageSize = 50;

/** The batches of an account, and what the page of jobs shows when they are those of one batch. */
export function batchCalls(deps: PanelDeps): PanelCall[] {
  const present = async (batch: Batch) => {
    const processing = await countProcessing(deps.database.read, [batch.id]);
    return presentBatch(batch, processing.get(batch.id) ?? 0);
  };
  return [
    panelCall('GET /panel/accounts/:account_id/batches', {
      query: closed({
        cursor: Type.Optional(Type.String({ maxLength: 100 })),
        limit: pageLimit(defaultPageSize),
      }),
      async handle({ params, query }) {
        const limit = Number(query.limit ?? defaultPageSize);
        return batchPage(deps, { accountId: params.account_id, ...query, limit });
      },
    }),

    panelCall('GET /panel/accounts/:account_id/batches/:batch_id', {
      async handle({ params }) {
        return present(await getBatch(deps, { accountId: params.account_id, batchId: params.batch_id }));
      },
    }),

    panelCall('POST /panel/accounts/:account_id/batches/:batch_id/cancel', {
      async handle({ params, viewer }) {
        const wanted = { accountId: params.account_id, batchId: params.batch_id };
        return present(await cancelBatch(deps, wanted, viewer));
      },
    }),

    panelCall('GET /panel/accounts/:account_id/batches/:batch_id/results.jsonl', {
      async handle({ params }) {
        const { id } = await getBatch(deps, { accountId: params.account_id, batchId: params.batch_id });
        const content = Readable.from(writeResults(deps, id), { objectMode: false });
        return new Streamed({ mediaType: 'application/jsonl', fileName: `batch-${id}.jsonl`, content });
      },
    }),

    panelCall('GET /panel/accounts/:account_id/batches/:batch_id/images.zip', {
      async handle({ params }) {
        const batch = await getBatch(deps, { accountId: params.account_id, batchId: params.batch_id });
        const fileName = `batch-${batch.id}.zip`;
        return new Streamed({ mediaType: 'application/zip', fileName, content: zipBatch(deps, batch) });
      },
    }),
  ];
}
