import { Readable } from 'node:stream';
import { writeResults, zipBatch } from '../../../../jobs/batches/batch-results.ts';
import { getBatch } from '../../../../jobs/batches/get-batch.ts';
import { accountCall } from '../../account-call.ts';
import { Streamed, streamed } from '../../streamed.ts';
import { batchParams } from './batch-calls.ts';

export type BatchFileDeps = Parameters<typeof getBatch>[0] &
  Parameters<typeof writeResults>[0] &
  Parameters<typeof zipBatch>[0];

export function batchFileCalls(deps: BatchFileDeps) {
  return {
    results: accountCall({
      tag: 'Batches',
      operationId: 'getBatchResults',
      summary: 'Read the jobs of a batch',
      description:
        'JSON Lines, in the order of the requests: `{"index": 0, "job": {…}}`, where `index` counts from 0 and `job` is the answer of `GET /jobs/{job_id}` without `queue`, whether the job has ended or not. Jobs that were removed are left out.',
      params: batchParams,
      replyType: 'application/jsonl',
      reply: streamed,
      errors: ['not_found'],
      async handle({ accountId, params }) {
        const { id } = await getBatch(deps, { accountId, batchId: params.batch_id });
        const content = Readable.from(writeResults(deps, id), { objectMode: false });
        return new Streamed({ mediaType: 'application/jsonl', fileName: `batch-${id}.jsonl`, content });
      },
    }),

    images: accountCall({
      tag: 'Batches',
      operationId: 'downloadBatchImages',
      summary: 'Download the images of a batch as one archive',
      description:
        'A zip of the images that exist now, created while it is read. Each name begins with the index of its request, from 0, so the images are in the order of the requests.',
      params: batchParams,
      replyType: 'application/zip',
      reply: streamed,
      errors: ['not_found'],
      async handle({ accountId, params }) {
        const batch = await getBatch(deps, { accountId, batchId: params.batch_id });
        const fileName = `batch-${batch.id}.zip`;
        return new Streamed({ mediaType: 'application/zip', fileName, content: zipBatch(deps, batch) });
      },
    }),
  };
}
