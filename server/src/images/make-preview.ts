import { buffer } from 'node:stream/consumers';
import type { ImageStore } from './image-store.ts';
import { StoreError } from './image-store.ts';
import { withMark } from './marks/with-mark.ts';
import { signedHeadBytes, xmpOfSigned } from './marks/xmp-of-signed.ts';

// The longest side of a preview. Language models use about this many pixels of an image of any size.
const maxSide = 1_024;
/** Keeps the preview in base64 below 500 kB. */
const maxPreviewBytes = 370_000;
const qualities = [80, 60, 40, 20] as const;
const smallerSide = 512;
const maxPixels = 50_000_000;

/** Decodes on libvips' threads as it reads, so the image is never in memory as a whole. @throws StoreError */
export async function makePreview(
  images: Pick<ImageStore, 'get'>,
  { key }: { key: string },
): Promise<Buffer> {
  const stored = await images.get(key);
  if (!stored) throw new StoreError(`${key} is not there`);
  const { default: sharp } = await import('sharp');
  const decoder = sharp({ limitInputPixels: maxPixels, sequentialRead: true });
  stored.body.once('error', (error) => decoder.destroy(error));
  stored.body.pipe(decoder);
  const side = (most: number) =>
    ({ width: most, height: most, fit: 'inside', withoutEnlargement: true }) as const;
  const [{ data, info }, { xmp: own }] = await Promise.all([
    decoder.clone().resize(side(maxSide)).raw().toBuffer({ resolveWithObject: true }),
    decoder.metadata(),
  ]);
  const xmp = own?.toString() ?? xmpOfSigned(await headOf(images, key, stored.bytes));
  const small = () =>
    withMark(sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } }), xmp);
  for (const quality of qualities) {
    const webp = await small().webp({ quality }).toBuffer();
    if (webp.byteLength <= maxPreviewBytes) return webp;
  }
  return small().resize(side(smallerSide)).webp({ quality: qualities[2] }).toBuffer();
}

async function headOf(images: Pick<ImageStore, 'get'>, key: string, bytes: number): Promise<Buffer> {
  const stored = await images.get(key, { first: 0, last: Math.min(bytes, signedHeadBytes) - 1 });
  return stored ? buffer(stored.body) : Buffer.alloc(0);
}
