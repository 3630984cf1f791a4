/** Draws a logo in a process without secrets. A slow drawing of an SVG stops only when the process is killed. */
import sharp, { type OutputInfo } from 'sharp';
import { unseenOn } from '../../base/brand/accent.ts';
import { ready } from '../inputs/ask-child.ts';
import { watchMemory } from '../inputs/watch-memory.ts';
import { density, type LogoReply, type LogoRequest, most } from './logo-messages.ts';

sharp.cache(false);
sharp.concurrency(1);
// libvips also opens TIFF, HEIF, PDF and others, and tries every loader on a file, so only these formats are allowed.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp', 'VipsForeignLoadSvg'],
});

const formats = ['png', 'jpeg', 'webp', 'svg'];
const maxPixels = 16_000_000;

process.on('disconnect', () => process.exit());
process.on('message', ({ file, childBytes }: LogoRequest) => {
  watchMemory(childBytes, () => process.exit(1));
  draw(Buffer.from(file, 'base64')).then(
    (reply) => process.send?.(reply),
    () => process.send?.({ kind: 'broken' } satisfies LogoReply),
  );
});

process.send?.(ready);

async function draw(file: Buffer): Promise<LogoReply> {
  const source = sharp(file, { limitInputPixels: maxPixels, failOn: 'error' });
  const format = await source.metadata().then(
    (metadata) => metadata.format,
    () => '',
  );
  if (!formats.includes(format)) return { kind: 'unknown' };
  const { data, info } = await source
    .autoOrient()
    .resize({
      ...{ width: most.width * density, height: most.height * density, fit: 'inside' },
      withoutEnlargement: format !== 'svg',
    })
    .png({ compressionLevel: 9 })
    .toBuffer({ resolveWithObject: true });
  return { kind: 'drawn', png: data.toString('base64'), ...sizeOf(info), unseenOn: await findUnseen(data) };
}

function sizeOf({ width, height }: Pick<OutputInfo, 'width' | 'height'>): { width: number; height: number } {
  const scale = Math.min(1, most.height / height, most.width / width);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** Finds the pages, light or dark, on which a logo cannot be seen. With its own background, it always can. */
async function findUnseen(png: Buffer): Promise<ReturnType<typeof unseenOn>> {
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
