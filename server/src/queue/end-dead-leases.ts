import type { Database } from '../db/database.ts';
import { isWorkerGone } from '../std/worker-id.ts';
import { endLeasesOf, findWorkers } from './lease-store.ts';

/**
 * On one machine a dead process can be told at once: after a crash its jobs need not wait until their leases run out.
 * The maintenance that follows treats them like any other lost lease. Says how many leases ended.
 */
export async function endDeadLeases(database: Database): Promise<number> {
  if (database.kind !== 'sqlite') return 0;
  const gone = (await findWorkers(database.read)).filter(isWorkerGone);
  return gone.length === 0 ? 0 : database.transaction((tx) => endLeasesOf(tx, gone));
}
