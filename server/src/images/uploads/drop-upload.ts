import type { Database } from '../../base/db/database.ts';
import type { ImageStore } from '../image-store.ts';
import { insertRemovals } from '../removals/removal-store.ts';
import { deleteUpload } from './upload-store.ts';

/** Returns false if the account has no such upload. */
export async function dropUpload(
  { database, images }: { database: Database; images: ImageStore },
  upload: { accountId: string; uploadId: string },
): Promise<boolean> {
  const key = await database.transaction(async (tx) => {
    const key = await deleteUpload(tx, upload);
    if (key !== undefined) await insertRemovals(tx, [key]);
    return key;
  });
  // If the removal fails, maintenance repeats it.
  if (key !== undefined) await images.remove(key).catch(() => {});
  return key !== undefined;
}
