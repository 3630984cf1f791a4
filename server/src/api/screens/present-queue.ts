import type { QueueStatus } from '../../jobs/job-store.ts';
import { toIsoOrNull } from '../../std/iso-time.ts';

export function presentQueue({ queued, processing, oldestQueuedAt }: QueueStatus) {
  return { queued, processing, oldest_queued_at: toIsoOrNull(oldestQueuedAt) };
}
