import type { Database } from '../db/database.ts';
import { findCandidates, isAnyClaimable, leaseJobs, lockClaims, readSlots } from './claim-store.ts';
import { type Candidate, decideClaims } from './decide-claims.ts';
import type { Job } from './job.ts';
import type { Route } from './route.ts';

export interface ClaimOptions {
  worker: string;
  routes: readonly Route[];
  /** How many more jobs this worker can take. */
  limit: number;
  leaseMs: number;
}

/**
 * Takes jobs under a lease: raises `attempt`, which shuts out whoever had the job before. The same statement serves jobs
 * that wait for the first time and jobs that rest between attempts.
 */
export async function claimJobs(database: Database, options: ClaimOptions): Promise<Job[]> {
  if (options.limit <= 0 || !(await isAnyClaimable(database.read))) return [];
  return database.transaction(async (tx) => {
    await lockClaims(tx);
    const { running, slots } = await readSlots(tx, options.routes);
    const candidates: Candidate[] = [];
    for (const model of new Set(slots.map((slot) => slot.model))) {
      const free = slots.reduce((sum, slot) => sum + (slot.model === model ? slot.free : 0), 0);
      candidates.push(...(await findCandidates(tx, model, Math.min(free, options.limit))));
    }
    return leaseJobs(tx, decideClaims(candidates, running, slots, options.limit), options);
  });
}
