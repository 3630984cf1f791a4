import type { Database } from '../db/database.ts';
import type { ImageStore } from '../images/image-store.ts';
import { removeAll } from '../images/remove-all.ts';
import { deleteExpiredUploads } from './upload-store.ts';

const maxPerRun = 200;

/**
 * Removes uploads that have expired, with their images. Rows are deleted first: an image left by a crash is an
 * orphan, which maintenance removes.
 */
export async function sweepUploads(
  { database, images }: { database: Database; images: ImageStore },
  limit = maxPerRun,
): Promise<{ uploads: number }> {
  const keys = await database.transaction((tx) => deleteExpiredUploads(tx, limit));
  await removeAll(images, keys);
  return { uploads: keys.length };
}
