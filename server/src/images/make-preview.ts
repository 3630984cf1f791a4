import { buffer } from 'node:stream/consumers';
import type { ImageStore } from './image-store.ts';
import { StoreError } from './image-store.ts';
import { withMark } from './marks/with-mark.ts';
import { signedHeadBytes, xmpOfSigned } from './marks/xmp-of-signed.ts';
import { readStored } from './read-stored.ts';

// The longest side of a preview. Language models use about this many pixels of an image of any size.
const maxSide = 1_024;
/** Keeps the preview in base64 below 500 kB. */
const maxPreviewBytes = 370_000;
const qualities = [80, 60, 40, 20] as const;
const smallerSide = 512;
const maxPixels = 50_000_000;

/** Holds the whole file in memory, but only a few rows of its pixels. @throws StoreError */
export async function makePreview(
  images: Pick<ImageStore, 'get'>,
  { key }: { key: string },
): Promise<Buffer> {
  const stored = await images.get(key);
  if (!stored) throw new StoreError(`${key} is not there`);
  // A body that was piped into sharp and broke off would leave sharp waiting for ever. Sharp keeps all of it anyway.
  const file = await buffer(readStored(key, stored.body));
  const { default: sharp } = await import('sharp');
  const open = () => sharp(file, { limitInputPixels: maxPixels, sequentialRead: true });
  const side = (most: number) =>
    ({ width: most, height: most, fit: 'inside', withoutEnlargement: true }) as const;
  const [{ data, info }, { xmp: own }] = await Promise.all([
    open().resize(side(maxSide)).raw().toBuffer({ resolveWithObject: true }),
    open().metadata(),
  ]);
  const xmp = own?.toString() ?? xmpOfSigned(file.subarray(0, signedHeadBytes));
  const small = () =>
    withMark(sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } }), xmp);
  for (const quality of qualities) {
    const webp = await small().webp({ quality }).toBuffer();
    if (webp.byteLength <= maxPreviewBytes) return webp;
  }
  return small().resize(side(smallerSide)).webp({ quality: qualities[2] }).toBuffer();
}
