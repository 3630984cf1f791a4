import type { Database } from '../../base/db/database.ts';
import { writeAtOnce } from '../../base/db/decide-and-write.ts';
import type { Log } from '../../base/std/log.ts';
import { orAborted } from '../../base/std/or-aborted.ts';
import { extendLeases } from './lease-store.ts';
import type { StopReason } from './run-attempt.ts';
import type { RunningJob } from './running-job.ts';

/** Extends leases, and stops attempts that lost theirs. Returns `false` if no answer comes within `patienceMs`. */
export async function keepLeases(
  {
    database,
    log,
    leaseMs,
    patienceMs,
  }: { database: Database; log: Log; leaseMs: number; patienceMs: number },
  running: readonly RunningJob[],
): Promise<boolean> {
  if (running.length === 0) return true;
  const beganAt = performance.now();
  const leases = running.map(({ lease }) => lease);
  // An answer that comes too late for this heartbeat still extends the leases, from the time of its request.
  const answered = writeAtOnce(database, (tx) => extendLeases(tx, leases, leaseMs)).then((ids) =>
    noteExtended(running, new Set(ids), beganAt),
  );
  const kept = await orAborted(answered, AbortSignal.timeout(patienceMs)).catch((error: unknown) => {
    log.warn('worker.heartbeat_failed', { reason: String(error) });
    return undefined;
  });
  for (const { lease, extendedAt, stop } of running) {
    const isLost = kept ? !kept.has(lease.jobId) : performance.now() - extendedAt > leaseMs;
    if (isLost) stop.abort('lease_lost' satisfies StopReason);
  }
  return kept !== undefined;
}

function noteExtended(
  running: readonly RunningJob[],
  jobIds: ReadonlySet<string>,
  at: number,
): ReadonlySet<string> {
  for (const held of running)
    if (jobIds.has(held.lease.jobId)) held.extendedAt = Math.max(held.extendedAt, at);
  return jobIds;
}
