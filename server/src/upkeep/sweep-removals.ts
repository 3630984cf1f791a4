import type { Database } from '../db/database.ts';
import type { ImageStore } from '../images/image-store.ts';
import { removeAll } from '../images/remove-all.ts';
import { deleteRemovals, listRemovals } from '../jobs/removal-store.ts';

const maxPerRun = 500;
/** Renditions that were being made when their picture was deleted are stored, or given up, by then. */
const settledAfterMs = 10 * 60_000;

/** Removes what was deleted from the image store, for the last time, and forgets it. */
export async function sweepRemovals(
  { database, images }: { database: Database; images: ImageStore },
  limit = maxPerRun,
): Promise<{ removals: number }> {
  const keys = await listRemovals(database.read, { minAgeMs: settledAfterMs, limit });
  await removeAll(images, keys);
  if (keys.length > 0) await database.transaction((tx) => deleteRemovals(tx, keys));
  return { removals: keys.length };
}
