import { createHash } from 'node:crypto';
import sharp from 'sharp';

const blocks = 12;

/** A PNG of soft blotches that depend on a text; white for null. */
export async function drawing(text: string | null, width: number, height: number): Promise<Buffer> {
  const white = sharp({ create: { width, height, channels: 3, background: 'white' } });
  if (text === null) return white.png().toBuffer();
  const seed = createHash('shake256', { outputLength: blocks * blocks * 3 })
    .update(text)
    .digest();
  return sharp(seed, { raw: { width: blocks, height: blocks, channels: 3 } })
    .resize({ width, height, fit: 'fill', kernel: 'cubic' })
    .png({ compressionLevel: 1 })
    .toBuffer();
}
