import { Readable } from 'node:stream';
import { failure } from './failure.ts';
import type { InputImage } from './provider.ts';

/** No visible difference to a model, at a tenth of a PNG's size. */
const quality = 90;
/** WebP ends at 16,383; no model uses more than a fraction of this. */
const maxSide = 8192;
/** Each try scales the sides to at most 80 % of the last: ten reach a hundredth of the pixels. */
const maxTries = 10;

export interface InputLimits {
  maxBytes: number;
  maxPixels?: number;
}

/** The input itself, or a copy within the limits, re-encoded and scaled down if necessary. */
export async function fitInput(input: InputImage, limits: InputLimits): Promise<InputImage> {
  const { maxBytes, maxPixels = Number.POSITIVE_INFINITY } = limits;
  const pixels = input.width * input.height;
  if (input.bytes <= maxBytes && pixels <= maxPixels) return input;
  // Loaded on demand: most inputs fit, and sharp takes 22 MB.
  const { default: sharp } = await import('sharp');
  const source = Buffer.concat(await (await input.read()).toArray());
  const shrink = Math.min(1, maxSide / Math.max(input.width, input.height), Math.sqrt(maxPixels / pixels));
  let width = Math.max(1, Math.floor(input.width * shrink));
  let height = Math.max(1, Math.floor(input.height * shrink));
  for (let tries = 0; tries < maxTries; tries += 1) {
    const scaled = sharp(source).resize(width, height, { fit: 'fill' });
    const { data, info } = await encode(scaled, input).toBuffer({ resolveWithObject: true });
    if (data.length <= maxBytes) return inMemory(data, { ...info, mediaType: fittedType(input) });
    const scale = Math.min(0.8, Math.sqrt(maxBytes / data.length));
    width = Math.max(1, Math.floor(width * scale));
    height = Math.max(1, Math.floor(height * scale));
  }
  throw failure('invalid_input', {
    detail: `an input of ${input.bytes} bytes does not fit into ${maxBytes}`,
  });
}

/** Converts WebP to PNG, for servers whose decoder silently drops WebP. */
export async function withoutWebp(input: InputImage): Promise<InputImage> {
  if (input.mediaType !== 'image/webp') return input;
  const { default: sharp } = await import('sharp');
  const source = Buffer.concat(await (await input.read()).toArray());
  return inMemory(await sharp(source).png().toBuffer(), { ...input, mediaType: 'image/png' });
}

/** JPEG has no transparency, so types that may have some become WebP. */
function fittedType(input: InputImage): 'image/jpeg' | 'image/webp' {
  return input.mediaType === 'image/jpeg' ? 'image/jpeg' : 'image/webp';
}

function encode(image: import('sharp').Sharp, input: InputImage): import('sharp').Sharp {
  return fittedType(input) === 'image/jpeg' ? image.jpeg({ quality }) : image.webp({ quality });
}

function inMemory(data: Buffer, shape: Pick<InputImage, 'mediaType' | 'width' | 'height'>): InputImage {
  const { mediaType, width, height } = shape;
  return {
    mediaType,
    width,
    height,
    bytes: data.length,
    read: async () => Readable.from([data], { objectMode: false }),
  };
}
