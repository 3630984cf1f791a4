import { statusOf } from '../../../../jobs/batches/present-batch.ts';
import { toSeconds } from '../unix-time.ts';
import { type FoundBatch, hasPart } from './find-batch.ts';
import { batchName, fileName, partName } from './ids.ts';

const statuses = {
  processing: 'in_progress',
  cancelling: 'cancelling',
  done: 'completed',
  cancelled: 'cancelled',
} as const;

const windowSeconds = 24 * 60 * 60;

/** A batch never fails as a whole, because its requests were checked before. */
export function presentBatch({ batch, source }: FoundBatch) {
  const { id, jobs, done, failed } = batch;
  const status = statuses[statusOf(batch)];
  const createdAt = toSeconds(batch.createdAt);
  const finishedAt = batch.finishedAt === null ? null : toSeconds(batch.finishedAt);
  return {
    id: batchName(id),
    object: 'batch',
    endpoint: source.call,
    errors: null,
    input_file_id: fileName(source.fileId),
    completion_window: '24h',
    status,
    output_file_id: hasPart(batch, 'output') ? partName(id, 'output') : null,
    error_file_id: hasPart(batch, 'errors') ? partName(id, 'errors') : null,
    created_at: createdAt,
    in_progress_at: createdAt,
    expires_at: createdAt + windowSeconds,
    finalizing_at: finishedAt,
    completed_at: status === 'completed' ? finishedAt : null,
    failed_at: null,
    expired_at: null,
    cancelling_at: batch.cancelledAt === null ? null : toSeconds(batch.cancelledAt),
    cancelled_at: status === 'cancelled' ? finishedAt : null,
    request_counts: { total: jobs, completed: done, failed },
    metadata: source.metadata,
  };
}
