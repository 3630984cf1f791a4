import { sql } from 'kysely';
import { nowMs } from '../db/rows.ts';
import type { Queries, Tx } from '../db/schema.ts';

/** How often a worker says that it runs. Nothing but what operators see depends on it. */
export const presenceMs = 10_000;
/** Two that were missed, and a little. */
const goneAfterMs = 25_000;

/** Says that this worker runs, and forgets those that have not said so for long. */
export async function noteWorker(tx: Tx, worker: string, slots: number): Promise<void> {
  await tx
    .insertInto('workers')
    .values({ worker, slots, seen_at: nowMs })
    .onConflict((conflict) => conflict.column('worker').doUpdateSet({ slots, seen_at: nowMs }))
    .execute();
  await tx.deleteFrom('workers').where('seen_at', '<', isGone).execute();
}

export async function forgetWorker(tx: Tx, worker: string): Promise<void> {
  await tx.deleteFrom('workers').where('worker', '=', worker).execute();
}

export interface RunningWorker {
  worker: string;
  /** Jobs that it may have at once. */
  slots: number;
  /** Jobs that it has. */
  jobs: number;
}

/** The workers of all processes, the idle ones included. */
export async function listRunningWorkers(queries: Queries): Promise<RunningWorker[]> {
  return queries
    .selectFrom('workers')
    .leftJoin('jobs', 'jobs.worker', 'workers.worker')
    .select(({ fn }) => ['workers.worker', 'workers.slots', fn.count<number>('jobs.id').as('jobs')])
    .where('workers.seen_at', '>=', isGone)
    .groupBy(['workers.worker', 'workers.slots'])
    .orderBy('workers.worker')
    .execute();
}

const isGone = sql<number>`${nowMs} - ${sql.lit(goneAfterMs)}`;
