import type { Database } from '../db/database.ts';
import type { ImageStore } from '../images/image-store.ts';
import { keysOfResult } from '../images/renditions.ts';
import { deleteEndedJobs } from './purge-store.ts';

const maxPerRun = 200;

/**
 * Removes jobs that ended more than `retentionMs` ago, with their images, events and idempotency keys. Ledger
 * entries stay. Rows are deleted first: an image left by a crash is an orphan, which maintenance removes; the
 * other order could leave a job without its image.
 */
export async function purgeJobs(
  { database, images }: { database: Database; images: ImageStore },
  retentionMs: number,
): Promise<{ jobs: number; images: number }> {
  const purged = await database.transaction((tx) => deleteEndedJobs(tx, retentionMs, maxPerRun));
  const keys = purged.flatMap(({ imageKey, inputKeys }) =>
    imageKey === null ? inputKeys : [...keysOfResult(imageKey), ...inputKeys],
  );
  for (const key of keys) await images.remove(key);
  return { jobs: purged.length, images: keys.length };
}
