import type { Database } from '../../base/db/database.ts';
import { lockBalances } from '../../money/ledger/ledger-store.ts';
import type { ImageStore } from '../image-store.ts';
import { insertRemovals } from '../removals/removal-store.ts';
import { type CountedBytes, takeBackBytes } from './count-bytes.ts';
import { deleteUpload } from './upload-store.ts';

/** Returns false if the account has no such upload. With `counted`, its bytes no longer count. */
export async function dropUpload(
  { database, images }: { database: Database; images: ImageStore },
  { counted, ...upload }: { accountId: string; uploadId: string; counted?: CountedBytes },
): Promise<boolean> {
  const key = await database.transaction(async (tx) => {
    // Locks the account before the upload, as an erasure does, so that neither waits for the other.
    if (counted) await lockBalances(tx, [upload.accountId]);
    const key = await deleteUpload(tx, upload);
    if (key === undefined) return undefined;
    await insertRemovals(tx, [key]);
    if (counted) await takeBackBytes(tx, counted);
    return key;
  });
  // If the removal fails, maintenance repeats it.
  if (key !== undefined) await images.remove(key).catch(() => {});
  return key !== undefined;
}
