import type { QueueStatus } from '../../jobs/job-store.ts';
import { toIsoOrNull } from '../../std/iso-time.ts';
import type { QueueCounts } from './contract.ts';

export function presentQueue({ queued, processing, oldestQueuedAt }: QueueStatus): QueueCounts {
  return { queued, processing, oldest_queued_at: toIsoOrNull(oldestQueuedAt) };
}
