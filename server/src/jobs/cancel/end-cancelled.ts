import type { Database } from '../../base/db/database.ts';
import type { Tx } from '../../base/db/schema.ts';
import { noteCosts } from '../costs/attempt-cost-store.ts';
import { costOfTaken, type FindSource } from '../costs/cost-of-taken.ts';
import type { Job } from '../job.ts';
import { settleJobsIfUnchanged } from '../settle-jobs.ts';
import { type Cancellable, cancelUpstream } from './cancel-upstream.ts';

export interface CancelledDeps {
  database: Database;
  /** This process's routes; empty if it has no workers. */
  routes: { list(): readonly Cancellable[]; sourceOf?: FindSource };
  onSettled(jobIds: string[]): void;
  /** Called if a running attempt loses its lease, in this process or another. */
  onTakenAway(): void;
}

/** A job whose row is locked, and the worker that runs it. */
interface HeldJob {
  job: Job;
  worker: string | null;
}

/** Ends unfinished jobs. Returns those that it ended, as they were before. */
export async function endCancelled(
  tx: Tx,
  held: readonly HeldJob[],
  { routes }: Pick<CancelledDeps, 'routes'>,
): Promise<HeldJob[]> {
  const settled = await settleJobsIfUnchanged(
    tx,
    held.map(({ job, worker }) => ({
      ...{ jobId: job.id, attempt: job.attempt, worker },
      outcome: outcomeFor(job),
    })),
  );
  const ids = new Set(settled.map(({ id }) => id));
  const cancelled = held.filter(({ job }) => ids.has(job.id));
  await noteCosts(
    tx,
    cancelled.flatMap(({ job, worker }) =>
      worker === null ? [] : [costOfTaken(job, false, routes.sourceOf)],
    ),
  );
  return cancelled;
}

/** Call after the commit. Notifies the jobs' clients and workers. */
export function tellCancelled(deps: CancelledDeps, cancelled: readonly HeldJob[]): void {
  deps.onSettled(cancelled.map(({ job }) => job.id));
  if (cancelled.some(({ worker }) => worker !== null)) deps.onTakenAway();
  for (const { job, worker } of cancelled) if (worker === null) cancelUpstream(job, deps);
}

function outcomeFor({ status }: Job) {
  const when = status === 'queued' ? 'before it began' : 'while it was being made';
  return { status: 'failed', error: `The job was cancelled ${when}.`, errorCode: 'cancelled' } as const;
}
