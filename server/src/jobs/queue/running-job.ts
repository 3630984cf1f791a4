import type { Lease } from '../job.ts';
import type { ClaimedJob } from './claim-jobs.ts';

/** A job that this process runs under a lease. Aborting with a `StopReason` stops it. */
export interface RunningJob {
  job: ClaimedJob;
  lease: Lease;
  stop: AbortController;
  /** When its lease was last certainly extended, by the monotonic clock of this process. */
  extendedAt: number;
  /** Resolves when the end of the attempt has been recorded. */
  ended: Promise<void>;
}
