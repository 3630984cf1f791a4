import { type Database, DatabaseUnavailable } from '../../base/db/database.ts';
import { decideAndWrite } from '../../base/db/decide-and-write.ts';
import { batcher } from '../../base/std/batcher.ts';
import { type AttemptCost, noteCosts } from '../costs/attempt-cost-store.ts';
import type { Lease } from '../job.ts';
import { readEnds, type Settled, settleAsRead, settledOf, settleJobsIfUnchanged } from '../settle-jobs.ts';
import type { Settlement } from '../settlement-store.ts';
import { type Retry, retryIfLeased } from './lease-store.ts';

export type AttemptEnd = { kind: 'settle'; settlement: Settlement } | { kind: 'retry'; retry: Retry };

/** The end to write, with the attempt's cost. `lost` if another worker has the job by now. */
type Written = (AttemptEnd | { kind: 'lost'; lease: Lease }) & { cost?: AttemptCost };

const maxBatch = 64;

/** Writes attempts' ends in shared transactions. If the lease was lost, writes only the cost and resolves to false. */
export function createEndWriter(
  database: Database,
  onSettled: (jobIds: string[]) => void,
): (end: Written) => Promise<boolean> {
  return batcher(
    async (ends: Written[]) => {
      const settlements = ends.flatMap((end) => (end.kind === 'settle' ? [end.settlement] : []));
      const retries = ends.flatMap((end) => (end.kind === 'retry' ? [end.retry] : []));
      const costs = ends.flatMap(({ cost }) => cost ?? []);
      const written = await decideAndWrite(database, {
        async decide(tx, isLocked) {
          if (!isLocked) return readEnds(tx, settlements);
          return { settled: await settleJobsIfUnchanged(tx, settlements) };
        },
        async write(tx, ends) {
          const settled = 'settled' in ends ? ends.settled : ends.jobs.map(settledOf);
          const [, retried] = await Promise.all([
            'settled' in ends || settleAsRead(tx, ends),
            retryIfLeased(tx, retries),
            noteCosts(tx, costs, deliveredOf(settled)),
          ]);
          return { settled: settled.map(({ id }) => id), retried };
        },
      });
      if (written.settled.length > 0) onSettled(written.settled);
      const ids = new Set([...written.settled, ...written.retried]);
      // Two attempts of one job may end together if the first was presumed dead. The fence admits only the later one.
      const leases = ends.map(leaseOf);
      const latest = new Map<string, number>();
      for (const { jobId, attempt } of leases) latest.set(jobId, Math.max(attempt, latest.get(jobId) ?? 0));
      return leases.map(({ jobId, attempt }) => ids.has(jobId) && attempt === latest.get(jobId));
    },
    { maxBatch, isolate: (error) => !(error instanceof DatabaseUnavailable) },
  );
}

function deliveredOf(settled: readonly Settled[]): Map<string, number> {
  return new Map(settled.flatMap(({ id, attempt, status }) => (status === 'done' ? [[id, attempt]] : [])));
}

function leaseOf(end: Written): { jobId: string; attempt: number } {
  switch (end.kind) {
    case 'settle':
      return end.settlement;
    case 'retry':
      return end.retry.lease;
    case 'lost':
      return end.lease;
  }
}
