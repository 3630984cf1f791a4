import { sql } from 'kysely';
import { nowMs } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import { toIso } from '../../base/std/iso-time.ts';

export const reportMs = 30_000;
/** The time after which a process counts as gone: two missed reports and a little more. */
const goneAfterMs = 75_000;

export interface RunningProcess {
  /** Machine, process id, and a part that differs for a later process with the same id. */
  process: string;
  role: string;
  version: string;
  startedAt: number;
}

/** Records that this process is running, and deletes processes that stopped reporting. */
export async function noteProcess(
  tx: Tx,
  process: string,
  about: { role: string; version: string },
): Promise<void> {
  await tx
    .insertInto('processes')
    .values({ process, ...about, started_at: nowMs, seen_at: nowMs })
    .onConflict((conflict) => conflict.column('process').doUpdateSet({ seen_at: nowMs }))
    .execute();
  await tx.deleteFrom('processes').where('seen_at', '<', isGone).execute();
}

export async function forgetProcess(tx: Tx, process: string): Promise<void> {
  await tx.deleteFrom('processes').where('process', '=', process).execute();
}

/** Oldest first. */
export async function listProcesses(queries: Queries): Promise<RunningProcess[]> {
  return queries
    .selectFrom('processes')
    .select(['process', 'role', 'version', 'started_at as startedAt'])
    .where('seen_at', '>=', isGone)
    .orderBy('started_at')
    .orderBy('process')
    .execute();
}

export function presentProcess({ startedAt, ...shown }: RunningProcess) {
  return { ...shown, started_at: toIso(startedAt) };
}

const isGone = sql<number>`${nowMs} - ${sql.lit(goneAfterMs)}`;
