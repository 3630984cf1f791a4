import { sql } from 'kysely';
import { isAnyOf, nowMs } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';

export const presenceMs = 10_000;
/** The time after which a worker counts as gone: two missed reports and a little more. */
const goneAfterMs = 25_000;

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
  slots: number;
  jobs: number;
}

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

/** When each of these workers last reported, without workers that are gone. */
export async function readLastSeen(
  queries: Queries,
  workers: readonly string[],
): Promise<Map<string, number>> {
  if (workers.length === 0) return new Map();
  const rows = await queries
    .selectFrom('workers')
    .select(['worker', 'seen_at'])
    .where(isAnyOf(queries, 'worker', workers, 'text'))
    .execute();
  return new Map(rows.map(({ worker, seen_at: seenAt }) => [worker, seenAt]));
}

const isGone = sql<number>`${nowMs} - ${sql.lit(goneAfterMs)}`;
