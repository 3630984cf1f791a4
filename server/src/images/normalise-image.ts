import type { Sharp } from 'sharp';
import { cleanPng, hasChunk, pixelChunks } from '../base/std/clean-png.ts';
import { type FitPolicy, isExtended, mayEnlarge } from './fit-policy.ts';
import { pngSize } from './png.ts';
import { decodeReduced, mostReducedBytes, type PixelPlace, widest } from './renditions.ts';

// The largest result has 12,288 × 1,536 pixels. An upstream that sends more than this is broken.
const maxPixels = 50_000_000;
// A blur at a sixteenth of the size looks the same and takes a hundredth of the time.
const backgroundScale = 16;
const backgroundBlur = 4;
// Data from upstreams must not reach decoders of other formats.
const formats = new Set(['png', 'jpeg', 'webp']);
// The chunks that affect how the image looks. Others are metadata, such as EXIF, XMP and the C2PA statement.
const keptChunks = new Set([
  ...pixelChunks,
  ...['gAMA', 'cHRM', 'sRGB', 'iCCP', 'cICP', 'mDCV', 'cLLI', 'sBIT', 'pHYs', 'bKGD'],
]);

export class BadImage extends Error {
  override name = 'BadImage';
}

export class SmallImage extends BadImage {
  override name = 'SmallImage';
}

interface Size {
  width: number;
  height: number;
}

/** `exact` is for our own drawings, of which only the header and the end are checked. */
export interface NormalisePolicy extends FitPolicy {
  exact: boolean;
  keepSigned: boolean;
  /** Keeps the pixels of a PNG that fits; null if the stored file will have other pixels. */
  place: PixelPlace | null;
}

export interface Normalised {
  png: Uint8Array;
  notes: string[];
  /** The fate of the upstream's signed statement (C2PA). `kept` means that no byte of the file has changed. */
  manifest: 'none' | 'kept' | 'removed';
  /** Rejects with BadImage if the image is damaged. */
  proven: Promise<void>;
  /** Keeps the decoded pixels once `proven` has resolved. */
  place?: PixelPlace | null;
}

/**
 * Makes an upright PNG of exactly `size` pixels without metadata. If the image already is such a PNG, its pixels are
 * decoded later.
 * @throws BadImage if the bytes are not a complete image, SmallImage if the image is too small
 */
export async function normaliseImage(
  bytes: Uint8Array,
  size: Size,
  { exact, keepSigned, place, ...policy }: NormalisePolicy,
): Promise<Normalised> {
  const whole = pngSize(bytes);
  const fits = whole && sameSize(whole, size);
  if (exact) {
    if (!fits) throw new BadImage('not a PNG of the promised pixels');
    return { png: bytes, notes: [], manifest: 'none', proven: Promise.resolve() };
  }
  const { default: sharp } = await import('sharp');
  const open = () => sharp(bytes, { limitInputPixels: maxPixels, failOn: 'warning', pages: 1 });
  const isSigned = hasManifest(bytes);
  if (fits && !(await isTurned(bytes, open))) {
    const isKept = isSigned && keepSigned;
    const proven = decodeWhole(open, size, isKept ? null : place);
    // The caller awaits `proven`. If the attempt ends earlier, an unhandled rejection would end the process.
    proven.catch(() => undefined);
    return {
      png: isKept ? bytes : cleanPng(bytes, keptChunks),
      notes: [],
      manifest: isKept ? 'kept' : isSigned ? 'removed' : 'none',
      proven,
      place,
    };
  }
  try {
    const { format, hasAlpha, orientation = 1, autoOrient: made } = await open().metadata();
    if (!formats.has(format)) throw new BadImage(`an image in the format ${format}`);
    if (!mayEnlarge(made, size, policy))
      throw new SmallImage(`${made.width} × ${made.height} pixels for ${size.width} × ${size.height}`);
    const extended = isExtended(made, size, policy);
    const upright = open().autoOrient();
    const fitted = extended
      ? await setOnBlur(upright, size, (image) => sharp(image))
      : upright.resize({ ...size, fit: 'cover', kernel: 'lanczos3' });
    // Compositing adds an alpha channel, with which an opaque image would count as transparent.
    const whole = hasAlpha ? fitted : fitted.removeAlpha();
    const png = await whole.png({ compressionLevel: 6 }).toBuffer();
    const notes = [noteOf(made, size, { format, extended, isTurned: orientation > 1 })];
    return { png, notes, manifest: isSigned ? 'removed' : 'none', proven: Promise.resolve() };
  } catch (error) {
    throw asBadImage(error);
  }
}

function asBadImage(error: unknown): BadImage {
  if (error instanceof BadImage) return error;
  return new BadImage(error instanceof Error ? error.message : 'cannot be decoded', { cause: error });
}

/** Decodes every row, which detects damaged files. The last row needs all before it, but keeps none in memory. */
async function decodeWhole(open: () => Sharp, size: Size, place: PixelPlace | null): Promise<void> {
  if (await place?.fill(mostReducedBytes(size), () => decodeReduced(open(), widest))) return;
  try {
    await open()
      .extract({ left: 0, top: size.height - 1, width: 1, height: 1 })
      .raw()
      .toBuffer();
  } catch (error) {
    throw asBadImage(error);
  }
}

async function setOnBlur(image: Sharp, size: Size, open: (image: Buffer) => Sharp): Promise<Sharp> {
  const small = {
    width: Math.ceil(size.width / backgroundScale),
    height: Math.ceil(size.height / backgroundScale),
  };
  const [inside, blurred] = await Promise.all([
    image
      .clone()
      .resize({ ...size, fit: 'inside', kernel: 'lanczos3' })
      .png({ compressionLevel: 0 })
      .toBuffer(),
    image
      .clone()
      .resize({ ...small, fit: 'cover' })
      .blur(backgroundBlur)
      .png()
      .toBuffer(),
  ]);
  const background = await open(blurred)
    .resize({ ...size, fit: 'fill', kernel: 'cubic' })
    .png({ compressionLevel: 0 })
    .toBuffer();
  return open(background).composite([{ input: inside, gravity: 'centre' }]);
}

function noteOf(
  made: Size,
  size: Size,
  { format, extended, isTurned }: { format: string; extended: boolean; isTurned: boolean },
): string {
  if (sameSize(made, size) && format === 'png' && isTurned) return 'Turned upright.';
  if (sameSize(made, size)) return `Converted from ${format.toUpperCase()} to PNG.`;
  const from = `${made.width} × ${made.height} pixels`;
  const to = `the promised ${size.width} × ${size.height}`;
  const sameShape = made.width * size.height === made.height * size.width;
  if (extended) return `Fitted from ${from} into ${to}, on a blurred background.`;
  return `${sameShape ? 'Scaled' : 'Scaled and cropped'} from ${from} to ${to}.`;
}

/** Whether EXIF turns or mirrors the pixels of a PNG, which would look different without it. */
async function isTurned(png: Uint8Array, open: () => Sharp): Promise<boolean> {
  if (!hasChunk(png, 'eXIf')) return false;
  try {
    const { orientation = 1 } = await open().metadata();
    return orientation > 1;
  } catch (error) {
    throw asBadImage(error);
  }
}

function hasManifest(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes('jumdc2pa');
}

function sameSize(a: Size, b: Size): boolean {
  return a.width === b.width && a.height === b.height;
}
