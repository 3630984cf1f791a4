import type { OverlayOptions, Sharp } from 'sharp';
import { randomFrom } from './random.ts';
import type { Stage } from './stage.ts';

export interface Pixels {
  width: number;
  height: number;
}

/** Loads sharp on demand. It is 20 MB of native code, which servers that draw nothing do not need. */
export async function loadSharp(): Promise<typeof import('sharp').default> {
  const { default: sharp } = await import('sharp');
  // libvips' operation cache would only use memory, because each image is drawn once.
  sharp.cache(false);
  return sharp;
}

export async function renderPicture(
  content: string,
  stage: Stage,
  pixels: Pixels,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const sharp = await loadSharp();
  const rowBytes = pixels.width * 3;
  const whole = Buffer.allocUnsafe(rowBytes * pixels.height);
  await Promise.all(
    cut(pixels).map(async (strip) => {
      const svg = Buffer.from(sheet(content, stage, pixels, strip));
      const drawn = await sharp(svg, unlimited).removeAlpha().raw().toBuffer();
      // Each strip is copied as it arrives, because copying more at a time would block the event loop for up to 27 ms
      // at 4K.
      drawn.copy(whole, strip.top * rowBytes);
    }),
  );
  signal.throwIfAborted();
  const raw = { width: pixels.width, height: pixels.height, channels: 3 as const };
  return encode(
    sharp(whole, { raw, ...unlimited })
      .composite([grain(pixels)])
      .removeAlpha(),
  );
}

export async function renderOverlay(content: string, stage: Stage, pixels: Pixels): Promise<OverlayOptions> {
  const sharp = await loadSharp();
  const whole = sheet(content, stage, pixels, { top: 0, height: pixels.height });
  const { data, info } = await sharp(Buffer.from(whole), unlimited)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { input: data, raw: { width: info.width, height: info.height, channels: 4 } };
}

export async function cutOut(png: Uint8Array, { width, height }: Pixels): Promise<Uint8Array> {
  const sharp = await loadSharp();
  const oval = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><ellipse cx="50%" cy="50%" rx="46%" ry="46%"/></svg>`;
  const image = sharp(png, unlimited).ensureAlpha();
  return encode(image.composite([{ input: Buffer.from(oval), blend: 'dest-in', ...unlimited }]));
}

/** Encodes a PNG. For 5504 × 3072, level 3 takes 0.33 s of one core and makes 9.2 MB; level 6, 0.49 s and 8.7 MB. */
export async function encode(image: Sharp): Promise<Uint8Array> {
  const { data } = await image.png({ compressionLevel: 3 }).toUint8Array();
  return data;
}

/** A fine grain in a quarter of all pixels, so that gradients do not band and flat areas look printed. */
function grain({ width, height }: Pixels): OverlayOptions {
  const side = Math.min(grainSide, width, height);
  if (side === grainSide) fullTile ??= makeGrain(side);
  const input = side === grainSide && fullTile ? fullTile : makeGrain(side);
  return { input, raw: { width: side, height: side, channels: 4 }, tile: true, blend: 'over' };
}

/** librsvg draws an image on one thread. Four strips use both cores of a small machine. Copying a strip takes 6 ms. */
const stripCount = 4;
/** Below this number of pixels, a second thread costs more time than it saves. */
const worthCutting = 3_000_000;
const grainSide = 256;
let fullTile: Buffer | undefined;

/** Lifts sharp's limit on pixels, which protects against images of unknown size. We choose these sizes. */
const unlimited = { limitInputPixels: false } as const;

interface Strip {
  top: number;
  height: number;
}

function cut({ width, height }: Pixels): Strip[] {
  if (width * height < worthCutting) return [{ top: 0, height }];
  const tall = Math.ceil(height / stripCount);
  return Array.from({ length: stripCount }, (_, index) => ({
    top: index * tall,
    height: Math.min(tall, height - index * tall),
  }));
}

function sheet(content: string, stage: Stage, pixels: Pixels, strip: Strip): string {
  const scale = stage.height / pixels.height;
  const view = `0 ${strip.top * scale} ${stage.width} ${strip.height * scale}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels.width}" height="${strip.height}" viewBox="${view}" preserveAspectRatio="none">${content}</svg>`;
}

function makeGrain(side: number): Buffer {
  const random = randomFrom('grain');
  const tile = Buffer.alloc(side * side * 4);
  for (let at = 0; at < tile.length; at += 4) {
    tile.fill(random.chance(0.5) ? 255 : 0, at, at + 3);
    tile[at + 3] = random.chance(0.25) ? random.whole(5, 14) : 0;
  }
  return tile;
}
