import { toIso, toIsoOrNull } from '../../base/std/iso-time.ts';
import { formatMicros } from '../../money/ledger/money.ts';
import type { Batch } from './batch-store.ts';

/** `cancelling` means that a cancel was requested, but some jobs have not ended. */
export const batchStatuses = ['processing', 'cancelling', 'done', 'cancelled'] as const;
export type BatchStatus = (typeof batchStatuses)[number];

export function presentBatch(batch: Batch, processing: number) {
  const { jobs, done, failed } = batch;
  return {
    batch_id: batch.id,
    name: batch.name,
    status: statusOf(batch),
    created_at: toIso(batch.createdAt),
    finished_at: toIsoOrNull(batch.finishedAt),
    jobs,
    // The batch and `processing` come from separate reads, between which a job may have ended.
    counts: {
      queued: Math.max(0, jobs - done - failed - processing),
      processing: Math.min(processing, jobs - done - failed),
      done,
      failed,
    },
    price: formatMicros(batch.priceMicros),
    charged: formatMicros(batch.chargedMicros),
  };
}

export function statusOf({
  finishedAt,
  cancelledAt,
}: Pick<Batch, 'finishedAt' | 'cancelledAt'>): BatchStatus {
  if (finishedAt === null) return cancelledAt === null ? 'processing' : 'cancelling';
  return cancelledAt === null ? 'done' : 'cancelled';
}
