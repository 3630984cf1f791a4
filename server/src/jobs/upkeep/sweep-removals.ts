import type { Database } from '../../base/db/database.ts';
import type { Tx } from '../../base/db/schema.ts';
import type { ImageStore } from '../../images/image-store.ts';
import { removeAll } from '../../images/remove-all.ts';
import { deleteRemovals, listRemovals } from '../removal-store.ts';
import type { Step } from './small-steps.ts';

/** The time after which renditions that were in progress when their image was deleted are stored or given up. */
const settledAfterMs = 10 * 60_000;

/** Removes deleted objects from the image store once more, and then their records. */
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
