import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../base/db/database.ts';
import type { ImageStore } from '../image-store.ts';
import type { ChildPool } from '../inputs/child-pool.ts';
import {
  type RenditionSet,
  renditionKey,
  renditionSets,
  renditionType,
  renditionWidths,
} from '../renditions.ts';
import type { Signer } from '../signing/open-signer.ts';
import { askRenditionChild } from './ask-rendition-child.ts';
import { noteLookIfKept } from './rendition-store.ts';
import { withStored } from './with-stored.ts';

export interface MakeDeps {
  database: Database;
  images: ImageStore;
  tempDir: string;
  /** Null if images are not signed. */
  signer: Pick<Signer, 'signCopy'> | null;
}

export interface Image {
  jobId: string;
  key: string;
}

/** Every set is made from this width, so that a result looks the same regardless of the order of the sets. */
const widest = Math.max(...renditionWidths);

/**
 * Makes a set of renditions and stores them next to the image. Returns false, and leaves nothing, if the job no longer
 * has the image.
 * @throws StoreError, and Error when the image cannot be decoded
 */
export async function makeRenditions(
  deps: MakeDeps,
  children: ChildPool,
  image: Image & { set: RenditionSet },
  signal: AbortSignal,
): Promise<boolean> {
  const { database, images, signer } = deps;
  const isKept = await withStored(deps, image.key, signal, async (source, folder) => {
    const targets = renditionSets[image.set].map((width) => ({ width, path: join(folder, String(width)) }));
    const look = await askRenditionChild(children, { kind: 'render', source, targets, widest }, signal);
    if (look?.kind !== 'made') throw new Error('the renditions could not be made: it cannot be decoded');
    const original = signer && (await readFile(source));
    for (const { width, path } of targets) {
      const made = await readFile(path);
      const bytes = original ? await signer.signCopy(made, original) : made;
      const info = { mediaType: renditionType, bytes: bytes.byteLength };
      await images.put(renditionKey(image.key, width), bytes, info);
    }
    // Removes the new renditions if the image was removed meanwhile.
    const isKept = await database.transaction((tx) => noteLookIfKept(tx, image, look));
    if (!isKept) for (const { width } of targets) await images.remove(renditionKey(image.key, width));
    return isKept;
  });
  return isKept === true;
}
