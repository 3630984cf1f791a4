import type { Lease } from '../jobs/job.ts';
import type { ClaimedJob } from './claim-jobs.ts';

/** A job under a lease of this process, while its attempt runs. Whoever stops it says why, with a `StopReason`. */
export interface RunningJob {
  job: ClaimedJob;
  lease: Lease;
  stop: AbortController;
  /** When its lease was last extended for certain, by the time that passes here. */
  extendedAt: number;
  /** Resolves when the end of the attempt has been recorded. */
  ended: Promise<void>;
}
