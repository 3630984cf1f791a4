import type { Lease } from '../job.ts';
import type { ClaimedJob } from './claim-jobs.ts';

/** A job that this process runs under a lease. An abort with a `StopReason` stops it. */
export interface RunningJob {
  job: ClaimedJob;
  lease: Lease;
  stop: AbortController;
  /** The last time, by this process's monotonic clock, when the lease is known to have been extended. */
  extendedAt: number;
  /** Resolves once the end of the attempt is recorded. */
  ended: Promise<void>;
}
