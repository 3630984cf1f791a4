import type { Database } from '../db/database.ts';
import type { Log } from '../std/log.ts';
import { orAborted } from '../std/or-aborted.ts';
import type { HeldJob } from './attempt-job.ts';
import { extendLeases } from './job-store.ts';
import type { StopReason } from './run-attempt.ts';

export interface LeasedJob extends HeldJob {
  /** When its lease was last extended for certain, by the time that passes here. */
  extendedAt: number;
}

/**
 * Extends the leases of running attempts and stops those whose lease is lost, or must be over by now. `false` when the
 * database did not say within `patienceMs`: a connection that is dead without knowing it must not cost every lease, and
 * the next try has another.
 */
export async function keepLeases(
  {
    database,
    log,
    leaseMs,
    patienceMs,
  }: { database: Database; log: Log; leaseMs: number; patienceMs: number },
  running: readonly LeasedJob[],
): Promise<boolean> {
  if (running.length === 0) return true;
  const beganAt = performance.now();
  const leases = running.map(({ lease }) => lease);
  const extended = database.transaction((tx) => extendLeases(tx, leases, leaseMs));
  const kept = await orAborted(extended, AbortSignal.timeout(patienceMs))
    .then((ids) => new Set(ids))
    .catch((error: unknown) => {
      log.warn('worker.beat_failed', { reason: String(error) });
      return undefined;
    });
  for (const held of running) {
    if (kept?.has(held.lease.jobId)) held.extendedAt = beganAt;
    else if (kept || performance.now() - held.extendedAt > leaseMs)
      held.stop.abort('lease_lost' satisfies StopReason);
  }
  return kept !== undefined;
}
