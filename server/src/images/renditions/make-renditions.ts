import { readFile } from 'node:fs/promises';
import type { Database } from '../../base/db/database.ts';
import type { ImageStore } from '../image-store.ts';
import type { ChildPool } from '../inputs/child-pool.ts';
import {
  type PixelPlace,
  type RenditionSet,
  renditionKey,
  renditionSets,
  renditionType,
  widest,
} from '../renditions.ts';
import type { Signer } from '../signing/open-signer.ts';
import { askRenditionChild } from './ask-rendition-child.ts';
import type { RequestOf } from './rendition-messages.ts';
import { noteLookIfKept } from './rendition-store.ts';
import { withBytes, withStored } from './with-stored.ts';

export interface MakeDeps {
  database: Database;
  images: ImageStore;
  tempDir: string;
  signer: Pick<Signer, 'signCopy'> | null;
}

export interface Image {
  jobId: string;
  key: string;
}

/**
 * Stores renditions next to the image, or returns false if the job no longer has it.
 * @throws StoreError, and Error when the image cannot be decoded
 */
export async function makeRenditions(
  deps: MakeDeps,
  children: ChildPool,
  { place, ...image }: Image & { set: RenditionSet; place?: PixelPlace },
  signal: AbortSignal,
): Promise<boolean> {
  const { database, images, signer, tempDir } = deps;
  const widths = renditionSets[image.set];

  async function make(source: string, decoded?: RequestOf<'render'>['decoded']) {
    const request = { kind: 'render', source, widths, widest, ...(decoded && { decoded }) } as const;
    const reply = await askRenditionChild(children, request, signal);
    if (reply?.kind !== 'made' || reply.renditions.length !== widths.length)
      throw new Error('the renditions could not be made: it cannot be decoded');
    const { renditions, ...look } = reply;
    const original = signer && (await readFile(source));
    for (const [index, width] of widths.entries()) {
      const made = renditions[index] as Buffer; // there is one for each width
      const bytes = original ? await signer.signCopy(made, original) : made;
      const info = { mediaType: renditionType, bytes: bytes.byteLength, canBeLost: true } as const;
      await images.put(renditionKey(image.key, width), bytes, info);
    }
    const isKept = await database.transaction((tx) => noteLookIfKept(tx, image, look));
    if (!isKept) for (const width of widths) await images.remove(renditionKey(image.key, width));
    return isKept;
  }

  if (place?.pixels) {
    const { data, ...decoded } = place.pixels;
    const fromPixels = (source: string) => make(source, decoded);
    const isKept = await withBytes(tempDir, data, fromPixels).catch(() => undefined);
    if (isKept !== undefined) return isKept;
    // Checked before the store is read, because a store that does not answer would delay the stop.
    signal.throwIfAborted();
  }
  return (await withStored(deps, image.key, signal, (source) => make(source))) === true;
}
