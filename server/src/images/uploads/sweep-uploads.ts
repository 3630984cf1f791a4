import type { Database } from '../../base/db/database.ts';
import type { ImageStore } from '../image-store.ts';
import { insertRemovals } from '../removals/removal-store.ts';
import { removeAll } from '../remove-all.ts';
import { deleteExpiredUploads } from './upload-store.ts';

const atOnce = 200;

/** Removes rows first, because maintenance removes the recorded images even after a crash. */
export async function sweepUploads({
  database,
  images,
}: {
  database: Database;
  images: ImageStore;
}): Promise<{ uploads: number }> {
  for (let uploads = 0; ; ) {
    const keys = await database.transaction(async (tx) => {
      const keys = await deleteExpiredUploads(tx, atOnce);
      await insertRemovals(tx, keys);
      return keys;
    });
    await removeAll(images, keys);
    uploads += keys.length;
    if (keys.length < atOnce) return { uploads };
  }
}
