import type { Database } from '../../base/db/database.ts';
import { isWorkerGone } from '../../base/std/worker-id.ts';
import { endLeasesOf, findWorkers } from './lease-store.ts';

/** Ends the leases of this machine's dead processes, so that jobs need not wait for the expiry. */
export async function endDeadLeases(database: Database): Promise<number> {
  if (database.kind !== 'sqlite') return 0;
  const gone = (await findWorkers(database.read)).filter(isWorkerGone);
  return database.transaction((tx) => endLeasesOf(tx, gone));
}
