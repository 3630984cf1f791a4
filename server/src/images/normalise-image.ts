import type { Sharp } from 'sharp';
import { cleanPng, pixelChunks } from '../std/clean-png.ts';
import { type FitPolicy, isExtended, mayEnlarge } from './fit-policy.ts';
import { pngSize } from './png.ts';

// The largest result is 12,288 × 1,536; an upstream that sends more than this is broken.
const maxPixels = 50_000_000;
// Blurring a picture reduced to a sixteenth looks the same, and takes a hundredth of the time.
const backgroundScale = 16;
const backgroundBlur = 4;
// What image models make. Other decoders must not be reachable with upstream data.
const formats = new Set(['png', 'jpeg', 'webp']);
// The chunks that affect how the picture looks. All others are metadata: texts, dates, EXIF, XMP, workflows of the software that
// made it, and the signed statement of its origin (C2PA), which is true of the file as it came and of no other.
const keptChunks = new Set([
  ...pixelChunks,
  ...['gAMA', 'cHRM', 'sRGB', 'iCCP', 'cICP', 'mDCV', 'cLLI', 'sBIT', 'pHYs', 'bKGD'],
]);

export class BadImage extends Error {
  override name = 'BadImage';
}

/** A complete picture, but too small for the promised size. */
export class SmallImage extends BadImage {
  override name = 'SmallImage';
}

interface Size {
  width: number;
  height: number;
}

/**
 * How to make a picture fit. `exact` is for our own drawings, of which only the header and the end are
 * checked.
 */
export interface NormalisePolicy extends FitPolicy {
  exact: boolean;
  /** A signed PNG that fits stays as it is. */
  keepSigned: boolean;
}

export interface Normalised {
  png: Uint8Array;
  notes: string[];
  /** Signed by the upstream, and unchanged. */
  isSigned: boolean;
  /** Rejects with BadImage if the picture is damaged. */
  proven: Promise<void>;
}

/**
 * Turns a provider's picture into the promised one: a complete PNG of exactly `size` pixels without metadata.
 * A PNG that already fits keeps its pixels, and is decoded while the caller goes on. `notes` describe what else has changed.
 *
 * @throws BadImage when the bytes are not a complete picture, SmallImage when it is too small
 */
export async function normaliseImage(
  bytes: Uint8Array,
  size: Size,
  { exact, keepSigned, ...policy }: NormalisePolicy,
): Promise<Normalised> {
  const whole = pngSize(bytes);
  const fits = whole && sameSize(whole, size);
  if (exact) {
    if (!fits) throw new BadImage('not a PNG of the promised pixels');
    return { png: bytes, notes: [], isSigned: false, proven: Promise.resolve() };
  }
  const { default: sharp } = await import('sharp');
  const open = () => sharp(bytes, { limitInputPixels: maxPixels, failOn: 'warning', pages: 1 });
  const signed = hasManifest(bytes);
  if (fits) {
    const isSigned = signed && keepSigned;
    const proven = decodeWhole(open(), size);
    // Whoever waits for it hears of it; an attempt that ends before must not leave a rejection that ends the process.
    proven.catch(() => undefined);
    return {
      png: isSigned ? bytes : cleanPng(bytes, keptChunks),
      notes: signed && !keepSigned ? [unsigned] : [],
      isSigned,
      proven,
    };
  }
  try {
    const { format, autoOrient: made } = await open().metadata();
    if (!formats.has(format)) throw new BadImage(`a picture in the format ${format}`);
    if (!mayEnlarge(made, size, policy))
      throw new SmallImage(`${made.width} × ${made.height} pixels for ${size.width} × ${size.height}`);
    const extended = isExtended(made, size, policy);
    const upright = open().autoOrient();
    const fitted = extended
      ? await setOnBlur(upright, size, (image) => sharp(image))
      : upright.resize({ ...size, fit: 'cover', kernel: 'lanczos3' });
    const png = await fitted.png({ compressionLevel: 6 }).toBuffer();
    const notes = [noteOf(made, size, { format, extended, signed })];
    return { png, notes, isSigned: false, proven: Promise.resolve() };
  } catch (error) {
    throw asBadImage(error);
  }
}

function asBadImage(error: unknown): BadImage {
  if (error instanceof BadImage) return error;
  return new BadImage(error instanceof Error ? error.message : 'cannot be decoded', { cause: error });
}

/** The last row takes decoding every row before it, which detects truncated and damaged files, and keeps none in memory. */
async function decodeWhole(image: Sharp, { height }: Size): Promise<void> {
  try {
    await image
      .extract({ left: 0, top: height - 1, width: 1, height: 1 })
      .raw()
      .toBuffer();
  } catch (error) {
    throw asBadImage(error);
  }
}

/** Puts the whole picture in front of a blurred copy of itself that fills the frame. */
async function setOnBlur(picture: Sharp, size: Size, open: (image: Buffer) => Sharp): Promise<Sharp> {
  const small = {
    width: Math.ceil(size.width / backgroundScale),
    height: Math.ceil(size.height / backgroundScale),
  };
  const [inside, blurred] = await Promise.all([
    picture
      .clone()
      .resize({ ...size, fit: 'inside', kernel: 'lanczos3' })
      .png({ compressionLevel: 0 })
      .toBuffer(),
    picture
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
  { format, extended, signed }: { format: string; extended: boolean; signed: boolean },
): string {
  const words = [];
  if (sameSize(made, size)) words.push(`Converted from ${format.toUpperCase()} to PNG.`);
  else {
    const from = `${made.width} × ${made.height} pixels`;
    const to = `the promised ${size.width} × ${size.height}`;
    const sameShape = made.width * size.height === made.height * size.width;
    if (extended) words.push(`Fitted from ${from} into ${to}, on a blurred background.`);
    else words.push(`${sameShape ? 'Scaled' : 'Scaled and cropped'} from ${from} to ${to}.`);
  }
  if (signed) words.push(unsigned);
  return words.join(' ');
}

const unsigned =
  'The statement of its origin (C2PA) was for the picture as it came and is not part of this file.';

/** Looks for a C2PA manifest, which is a JUMBF box in every image format. */
function hasManifest(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes('jumdc2pa');
}

function sameSize(a: Size, b: Size): boolean {
  return a.width === b.width && a.height === b.height;
}
