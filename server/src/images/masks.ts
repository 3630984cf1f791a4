import type { Sharp } from 'sharp';

interface Size {
  width: number;
  height: number;
}

/** An image and its mask, scaled and cropped to the frame of the result. */
export interface Framed {
  original: Buffer;
  mask: Buffer;
}

export async function frameForMask(
  { original, mask }: Record<keyof Framed, Uint8Array>,
  size: Size,
): Promise<Framed> {
  const frame = async (image: Uint8Array) =>
    (await openFor(image, size)).resize({ ...size, fit: 'cover', kernel: 'lanczos3' });
  const encode = (image: Sharp) => image.png({ compressionLevel: 1 }).toBuffer();
  const [framed, grey] = await Promise.all([
    encode((await frame(original)).toColourspace('srgb')),
    encode((await frame(mask)).toColourspace('b-w')),
  ]);
  return { original: framed, mask: grey };
}

// libvips fails (`affine: output coordinates out of range`) above 2^25 pixels, also in a part that is cropped later.
const longestScaled = 2 ** 24;
/** Pixels beside the visible part that the kernel reads, and one for rounding. */
const margin = 4;

/** Opens an image. If it is too thin to be scaled whole, opens only its middle, which the frame shows. */
async function openFor(image: Uint8Array, frame: Size): Promise<Sharp> {
  const { default: sharp } = await import('sharp');
  const { width, height } = await sharp(image).metadata();
  const scale = Math.max(frame.width / width, frame.height / height);
  if (Math.max(width, height) * scale <= longestScaled) return sharp(image);
  const left = Math.max(0, Math.floor((width - frame.width / scale) / 2) - margin);
  const top = Math.max(0, Math.floor((height - frame.height / scale) / 2) - margin);
  return sharp(image).extract({ left, top, width: width - 2 * left, height: height - 2 * top });
}

export async function toTransparentMask(mask: Buffer, { width, height }: Size): Promise<Buffer> {
  const { default: sharp } = await import('sharp');
  const alpha = await sharp(mask).negate().toColourspace('b-w').raw().toBuffer();
  return sharp({ create: { width, height, channels: 3, background: 'black' } })
    .joinChannel(alpha, { raw: { width, height, channels: 1 } })
    .png({ compressionLevel: 1 })
    .toBuffer();
}

/** Takes white areas from the result, black areas from the original, and a mix where the mask is grey. */
export async function keepOutsideMask(
  result: Uint8Array,
  { original, mask }: Framed,
  { width, height }: Size,
): Promise<Uint8Array> {
  const { default: sharp } = await import('sharp');
  const grey = await sharp(mask).toColourspace('b-w').raw().toBuffer();
  const raw = { width, height, channels: 4 as const };
  const share = await sharp({ create: { width, height, channels: 3, background: 'black' } })
    .joinChannel(grey, { raw: { width, height, channels: 1 } })
    .raw()
    .toBuffer();
  const inside = await sharp(result)
    .toColourspace('srgb')
    .ensureAlpha()
    .composite([{ input: share, raw, blend: 'dest-in' }])
    .raw()
    .toBuffer();
  const whole = sharp(original)
    .toColourspace('srgb')
    .composite([
      { input: share, raw, blend: 'dest-out' },
      { input: inside, raw, blend: 'add' },
    ]);
  const [{ isOpaque: wasOpaque }, { isOpaque }] = await Promise.all([
    sharp(original).stats(),
    sharp(result).stats(),
  ]);
  // Not both: sharp adds the channel after it has removed it.
  const kept = wasOpaque && isOpaque ? whole.removeAlpha() : whole.ensureAlpha();
  return kept.png({ compressionLevel: 6 }).toBuffer();
}
