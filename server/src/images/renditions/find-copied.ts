import { join } from 'node:path';
import type { ChildPool } from '../inputs/child-pool.ts';
import { makeTempFolder } from '../inputs/temp-folder.ts';
import { renditionKey } from '../renditions.ts';
import { askRenditionChild } from './ask-rendition-child.ts';
import { findResultKey, listAlike } from './imprint-store.ts';
import type { MakeDeps } from './make-renditions.ts';
import type { ImageRequest } from './rendition-messages.ts';
import { saveStored } from './save-stored.ts';

/** The maximum number of images to compare, each of which takes 0.2 s. */
const mostCompared = 3;
// The least likeness of a copy. In `npm run provenance -- copies`, 483 copies of drawings had at least 0.9920, and
// 7,500 other pairs at most 0.9885.
const leastLikeness = 0.991;
const comparedWidth = 256;

/**
 * Finds the job whose image `source` copies; null if there is none. Compares pixels, because drawings of one scene can
 * have the same imprint.
 */
export async function findCopied(
  { database, images, tempDir }: Pick<MakeDeps, 'database' | 'images' | 'tempDir'>,
  children: ChildPool,
  source: string,
  signal: AbortSignal,
): Promise<string | null> {
  const ask = (request: ImageRequest) => askRenditionChild(children, request, signal);
  const look = await ask({ kind: 'render', source, widths: [], widest: 0 });
  if (look?.kind !== 'made' || !look.imprint) return null;
  await using folder = await makeTempFolder(tempDir);
  for (const jobId of await listAlike(database.read, look.imprint, { limit: mostCompared })) {
    const result = await findResultKey(database.read, jobId);
    if (result === undefined) continue;
    const key = renditionKey(result, comparedWidth);
    const stored = await images.get(key);
    if (!stored) continue;
    const own = join(folder.path, jobId);
    await saveStored(key, stored.body, own, signal);
    const compared = await ask({ kind: 'compare', source, own });
    if (compared?.kind === 'compared' && compared.likeness >= leastLikeness) return jobId;
  }
  return null;
}
