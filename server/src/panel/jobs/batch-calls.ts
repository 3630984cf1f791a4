import { Readable } from 'node:stream';
import { writeResults, zipBatch } from '../../jobs/batches/batch-results.ts';
import { getBatch } from '../../jobs/batches/get-batch.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import { Streamed } from '../streamed.ts';

/** What pages link to of a batch: links send no headers. */
export function batchCalls(deps: PanelDeps): PanelCall[] {
  return [
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
