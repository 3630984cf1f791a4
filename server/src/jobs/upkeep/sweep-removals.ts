import type { Database } from '../../base/db/database.ts';
import type { Tx } from '../../base/db/schema.ts';
import type { ImageStore } from '../../images/image-store.ts';
import { deleteRemovals, listRemovals } from '../../images/removals/removal-store.ts';
import { removeAll } from '../../images/remove-all.ts';
import type { Step } from './small-steps.ts';

/** A rendition that is being made while its image is deleted is stored or given up within this time. */
const settledAfterMs = 10 * 60_000;

/** Removes deleted objects once more, because a rendition may have been stored since, and then their records. */
export async function sweepRemovals({
  database,
  images,
  step,
}: {
  database: Database;
  images: ImageStore;
  step: Step;
}): Promise<void> {
  let keys: string[] = [];
  const findSome = async (tx: Tx, limit: number) => {
    keys = await listRemovals(tx, { minAgeMs: settledAfterMs, limit });
    return keys.length;
  };
  const removeThese = async () => {
    await removeAll(images, keys);
    await database.transaction((tx) => deleteRemovals(tx, keys));
  };
  while ((await step(findSome, removeThese)) > 0);
}
