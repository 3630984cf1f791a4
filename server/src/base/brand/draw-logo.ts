import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { invalidField } from '../../errors.ts';
import { unseenOn } from './accent.ts';
import type { Logo } from './brand.ts';

/** Of the file; a logo of 200 KiB is too large for each email already. */
export const maxLogoBytes = 262_144;
const formats = ['png', 'jpeg', 'webp', 'svg'];
const maxPixels = 16_000_000;
/** As it is shown: beside a name, and not larger than the page's heading. */
const most = { width: 240, height: 40 };
/** Screens have two pixels or more for each. */
const density = 2;
const maxSeconds = 5;

/**
 * Draws what an operator sent as PNG. SVG comes out as pixels as well: no script, no style and no address of it reaches a page.
 *
 * @throws AppError `invalid_request`
 */
export async function drawLogo(file: Buffer): Promise<Logo> {
  if (file.length > maxLogoBytes) throw refused('is larger than 256 KiB.');
  try {
    const source = sharp(file, { limitInputPixels: maxPixels, failOn: 'error' });
    const { format = '' } = await source.metadata();
    if (!formats.includes(format)) throw refused('must be a PNG, JPEG, WebP or SVG file.');
    const { data: bytes, info } = await source
      .timeout({ seconds: maxSeconds })
      .autoOrient()
      .resize({
        ...{ width: most.width * density, height: most.height * density, fit: 'inside' },
        withoutEnlargement: format !== 'svg',
      })
      .png({ compressionLevel: 9 })
      .toBuffer({ resolveWithObject: true });
    const hash = createHash('sha256').update(bytes).digest('hex');
    return { bytes, ...sizeOf(info), hash, unseenOn: await findUnseen(bytes) };
  } catch (error) {
    if (error instanceof Error && error.name === 'AppError') throw error;
    throw refused('cannot be read as an image.');
  }
}

function sizeOf({ width, height }: { width: number; height: number }): Pick<Logo, 'width' | 'height'> {
  const scale = Math.min(1, most.height / height, most.width / width);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** Of what is not transparent. What has a background of its own is seen anywhere. */
async function findUnseen(png: Buffer): Promise<Logo['unseenOn']> {
  const { isOpaque } = await sharp(png).stats();
  if (isOpaque) return null;
  const pixels = await sharp(png).ensureAlpha().toColourspace('srgb').raw().toBuffer();
  let weight = 0;
  const sums = [0, 0, 0];
  for (let at = 0; at < pixels.length; at += 4) {
    const alpha = pixels[at + 3] ?? 0;
    weight += alpha;
    for (const channel of [0, 1, 2])
      sums[channel] = (sums[channel] ?? 0) + (pixels[at + channel] ?? 0) * alpha;
  }
  if (weight === 0) return null;
  return unseenOn(sums.map((sum) => sum / weight));
}

function refused(detail: string) {
  return invalidField('/logo', detail);
}
