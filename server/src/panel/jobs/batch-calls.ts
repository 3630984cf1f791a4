import { zipBatch } from '../../jobs/batches/batch-results.ts';
import { countProcessing } from '../../jobs/batches/batch-store.ts';
import { presentBatch } from '../../jobs/batches/present-batch.ts';
import { getBatch } from '../../jobs/batches/read-batches.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import { Streamed } from '../streamed.ts';

/** What the page of jobs shows when they are those of one batch. */
export function batchCalls(deps: PanelDeps): PanelCall[] {
  return [
    panelCall('GET /panel/accounts/:account_id/batches/:batch_id', {
      async handle({ params }) {
        const batch = await getBatch(deps, { accountId: params.account_id, batchId: params.batch_id });
        const processing = await countProcessing(deps.database.read, [batch.id]);
        return presentBatch(batch, processing.get(batch.id) ?? 0);
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
