import type { Sharp } from 'sharp';
import { resultKey } from './object-keys.ts';
import type { Output } from './output.ts';

/** The widths of a result's smaller images, in pixels. A narrower image keeps its own width. */
export const renditionWidths = [256, 768, 1600] as const;
export type RenditionWidth = (typeof renditionWidths)[number];

/** Sets of widths that are made together: the smallest for lists, larger ones for people who open an image. */
export const renditionSets = { smallest: [256], larger: [768, 1600] } as const satisfies Record<
  string,
  readonly RenditionWidth[]
>;
export type RenditionSet = keyof typeof renditionSets;

export function setOf(width: RenditionWidth): RenditionSet {
  return width === 256 ? 'smallest' : 'larger';
}

/** Every set is made from this width, so that renditions look the same in whichever order the sets are made. */
export const widest = Math.max(...renditionWidths);

export interface Pixels {
  data: Uint8Array<ArrayBuffer>;
  shape: { width: number; height: number; channels: 1 | 2 | 3 | 4 };
}

/** Pixels with the stored file's mark of origin, as XMP. */
export type MarkedPixels = Pixels & { xmp: string };

/** Keeps one result's pixels until its rendition is made. Disposing forgets them. */
export interface PixelPlace extends Disposable {
  readonly pixels: MarkedPixels | undefined;
  /** Returns false if the pixels may exceed the free bytes or cannot be decoded. Then the stored file is read. */
  fill(mostBytes: number, decode: () => Promise<Pixels>): Promise<boolean>;
  mark(xmp: string): void;
}

export async function decodeReduced(image: Sharp, width: number): Promise<Pixels> {
  const { data, info } = await image
    .resize({ width, withoutEnlargement: true })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, shape: { width: info.width, height: info.height, channels: info.channels } };
}

export function mostReducedBytes({ width, height }: { width: number; height: number }): number {
  const reduced = Math.min(width, widest);
  return reduced * Math.ceil((height * reduced) / width) * mostChannels;
}

const mostChannels = 4;

export const renditionType = 'image/webp';

export function renditionKey(imageKey: string, width: RenditionWidth): string {
  return imageKey.replace(/\.(png|jpg|webp)$/, `-${width}.webp`);
}

export function keysOfResult(imageKey: string): string[] {
  return [imageKey, ...renditionWidths.map((width) => renditionKey(imageKey, width))];
}

/** Includes what earlier attempts have stored: a worker that died afterwards left an image that no row names. */
export function keysOfAttempts(
  jobId: string,
  { attempts, imageKey, format }: { attempts: number; imageKey: string | null; format?: Output['format'] },
): string[] {
  const mediaType = format && (`image/${format}` as const);
  const stored = Array.from({ length: attempts }, (_, index) => resultKey(jobId, index + 1, mediaType));
  return [...new Set([...(imageKey === null ? [] : keysOfResult(imageKey)), ...stored])];
}
