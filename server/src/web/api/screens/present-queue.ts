import { toIsoOrNull } from '../../../base/std/iso-time.ts';
import type { QueueStatus } from '../../../jobs/job-store.ts';

export function presentQueue({ queued, processing, oldestQueuedAt }: QueueStatus) {
  return { queued, processing, oldest_queued_at: toIsoOrNull(oldestQueuedAt) };
}
