import { Readable } from 'node:stream';
import { failure } from './failure.ts';
import type { InputImage } from './provider.ts';

/** The quality at which a model cannot tell a copy from the original. The copy is a tenth of a PNG's size. */
const quality = 90;
/** The maximum side of a copy, in pixels. WebP allows 16,383, but models use much smaller images than 8192. */
const maxSide = 8192;
/** The maximum number of tries. Each scales the sides to at most 80 %, so ten leave a hundredth of the pixels. */
const maxTries = 10;

export interface InputLimits {
  maxBytes: number;
  maxPixels?: number;
  /** Set for models that accept only JPEG and PNG. */
  withoutWebp?: boolean;
}

/** Returns the input itself, or a copy within the limits, encoded again and if necessary scaled down. */
export async function fitInput(input: InputImage, limits: InputLimits): Promise<InputImage> {
  const { maxBytes, maxPixels = Number.POSITIVE_INFINITY } = limits;
  const pixels = input.width * input.height;
  const isTaken = !limits.withoutWebp || input.mediaType !== 'image/webp';
  if (isTaken && input.bytes <= maxBytes && pixels <= maxPixels) return input;
  const mediaType = limits.withoutWebp ? 'image/jpeg' : fittedType(input);
  // Sharp is loaded on demand, because it takes 22 MB and most inputs fit.
  const { default: sharp } = await import('sharp');
  const source = Buffer.concat(await (await input.read()).toArray());
  const shrink = Math.min(1, maxSide / Math.max(input.width, input.height), Math.sqrt(maxPixels / pixels));
  let width = Math.max(1, Math.floor(input.width * shrink));
  let height = Math.max(1, Math.floor(input.height * shrink));
  for (let tries = 0; tries < maxTries; tries += 1) {
    const scaled = sharp(source).resize(width, height, { fit: 'fill' });
    const { data, info } = await encode(scaled, mediaType).toBuffer({ resolveWithObject: true });
    if (data.length <= maxBytes) return inMemory(data, { ...info, mediaType });
    const scale = Math.min(0.8, Math.sqrt(maxBytes / data.length));
    width = Math.max(1, Math.floor(width * scale));
    height = Math.max(1, Math.floor(height * scale));
  }
  throw failure('invalid_input', {
    detail: `an input of ${input.bytes} bytes does not fit into ${maxBytes}`,
  });
}

/** Scales the input to cover exactly this size and crops the rest, for models that keep the size of their input. */
export async function coverInput(
  input: InputImage,
  size: Pick<InputImage, 'width' | 'height'>,
): Promise<InputImage> {
  if (input.width === size.width && input.height === size.height) return input;
  const { default: sharp } = await import('sharp');
  const source = Buffer.concat(await (await input.read()).toArray());
  const mediaType = fittedType(input);
  const scaled = sharp(source).resize({ ...size, fit: 'cover' });
  return inMemory(await encode(scaled, mediaType).toBuffer(), { ...size, mediaType });
}

/** Converts a mask to shades of grey, white where it is transparent, as all upstreams except OpenAI require. */
export async function whiteMask(mask: InputImage): Promise<InputImage> {
  const { default: sharp } = await import('sharp');
  const source = Buffer.concat(await (await mask.read()).toArray());
  const grey = sharp(source).ensureAlpha().negate().extractChannel('alpha').toColourspace('b-w');
  return inMemory(await grey.png().toBuffer(), mask);
}

/** Converts WebP to PNG, for servers whose decoder silently drops WebP. */
export async function withoutWebp(input: InputImage): Promise<InputImage> {
  if (input.mediaType !== 'image/webp') return input;
  const { default: sharp } = await import('sharp');
  const source = Buffer.concat(await (await input.read()).toArray());
  return inMemory(await sharp(source).png().toBuffer(), { ...input, mediaType: 'image/png' });
}

/** The type of a copy. Types that may be transparent become WebP, because JPEG has no transparency. */
function fittedType(input: InputImage): 'image/jpeg' | 'image/webp' {
  return input.mediaType === 'image/jpeg' ? 'image/jpeg' : 'image/webp';
}

function encode(image: import('sharp').Sharp, mediaType: InputImage['mediaType']): import('sharp').Sharp {
  if (mediaType !== 'image/jpeg') return image.webp({ quality });
  return image.flatten({ background: 'white' }).jpeg({ quality });
}

export function inMemory(
  data: Buffer,
  shape: Pick<InputImage, 'width' | 'height'> & Partial<Pick<InputImage, 'mediaType'>>,
): InputImage {
  const { mediaType = 'image/png', width, height } = shape;
  return {
    mediaType,
    width,
    height,
    bytes: data.length,
    read: async () => Readable.from([data], { objectMode: false }),
  };
}
