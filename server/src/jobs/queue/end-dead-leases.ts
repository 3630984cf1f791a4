import type { Database } from '../../base/db/database.ts';
import { isWorkerGone } from '../../base/std/worker-id.ts';
import { endLeasesOf, findWorkers } from './lease-store.ts';

/** Ends the leases of this machine's dead processes, so that their jobs need not wait until the leases expire. */
export async function endDeadLeases(database: Database): Promise<number> {
  if (database.kind !== 'sqlite') return 0;
  const gone = (await findWorkers(database.read)).filter(isWorkerGone);
  return database.transaction((tx) => endLeasesOf(tx, gone));
}
