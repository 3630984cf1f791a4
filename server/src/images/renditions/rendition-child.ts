/** Makes smaller images of results in a process without secrets. If it dies, its parent tries once more. */
import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import sharp, { type Sharp } from 'sharp';
import { rgbaToThumbHash } from 'thumbhash';
import { imprintOf, imprintSide } from '../imprint.ts';
import { ready } from '../inputs/ask-child.ts';
import { diskTroubleOf } from '../inputs/disk-trouble.ts';
import { watchMemory } from '../inputs/watch-memory.ts';
import { withMark } from '../marks/with-mark.ts';
import { signedHeadBytes, xmpOfSigned } from '../marks/xmp-of-signed.ts';
import { encodeAs } from '../output.ts';
import { decodeReduced, type Pixels } from '../renditions.ts';
import { likenessOf } from './likeness.ts';
import { nameColours } from './name-colours.ts';
import type { ChildRequest, Look, RenditionReply, RequestOf } from './rendition-messages.ts';

sharp.cache(false);
// One thread per image, because more would take processor time from the API.
sharp.concurrency(1);
// Darkroom encoded the results, so no other decoder is needed.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp'] });

process.on('disconnect', () => process.exit());
process.on('message', (request: ChildRequest) => {
  watchMemory(request.childBytes, () => process.exit(1));
  answer(request).then(
    (reply) => process.send?.(reply),
    (error: unknown) => process.send?.(excuse(error)),
  );
});

process.send?.(ready);

function answer(request: ChildRequest): Promise<RenditionReply<string>> {
  switch (request.kind) {
    case 'render':
      return render(request);
    case 'compare':
      return compare(request);
    case 'convert':
      return convert(request);
  }
}

async function render({ widths, ...request }: RequestOf<'render'>): Promise<RenditionReply<string>> {
  const { data, shape, xmp } = await reducedOf(request);
  const open = () => sharp(data, { raw: shape });
  const renditions: string[] = [];
  for (const width of widths) {
    const encoded = scaled(open(), width).webp(encodingOf(width));
    renditions.push((await withMark(encoded, xmp).toBuffer()).toString('base64'));
  }
  return { kind: 'made', renditions, ...(await lookAt(open())) };
}

/** Decodes once, row by row, unless the server has decoded the pixels. */
async function reducedOf({
  source,
  decoded,
  widest,
  pixels,
}: Omit<RequestOf<'render'>, 'widths'>): Promise<Pixels & { xmp?: string | undefined }> {
  if (decoded) return { data: await readFile(source), ...decoded };
  const { opened, xmp } = await openMarked(source, pixels);
  return { ...(await decodeReduced(opened, Math.max(lookSide, widest))), xmp };
}

async function convert({
  source,
  target,
  conversion,
  pixels,
}: RequestOf<'convert'>): Promise<RenditionReply<string>> {
  const { opened, xmp } = await openMarked(source, pixels);
  const sized = conversion.width === null ? opened : scaled(opened, conversion.width);
  const made = await withMark(encodeAs(sized, conversion), xmp).toBuffer();
  await writeFile(target, made, { flag: 'wx', mode: 0o600 });
  return { kind: 'converted' };
}

async function openMarked(
  source: string,
  pixels: number,
): Promise<{ opened: Sharp; xmp?: string | undefined }> {
  const opened = sharp(source, { limitInputPixels: pixels, sequentialRead: true });
  return { opened, xmp: (await opened.metadata()).xmp?.toString() ?? xmpOfSigned(await headOf(source)) };
}

async function compare({ source, own, pixels }: RequestOf<'compare'>): Promise<RenditionReply<string>> {
  const open = (path: string) => () => sharp(path, { limitInputPixels: pixels, sequentialRead: true });
  return { kind: 'compared', likeness: await likenessOf(open(source), open(own)) };
}

function headOf(source: string): Promise<Buffer> {
  return buffer(createReadStream(source, { end: signedHeadBytes - 1 }));
}

function scaled(image: Sharp, width: number): Sharp {
  return image.resize({ width, withoutEnlargement: true });
}

/** Quality matters less in small images. Effort 1 of 6 saves a third of the time, with files a twentieth larger. */
function encodingOf(width: number) {
  return width <= 256 ? { quality: 66, effort: 4 } : { quality: 78, effort: 1 };
}

async function lookAt(image: Sharp): Promise<Look> {
  const { data, info } = await image
    .resize({ width: lookSide, height: lookSide, fit: 'inside', withoutEnlargement: true })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const hash = rgbaToThumbHash(info.width, info.height, data);
  const grey = await sharp(data, { raw: info })
    .flatten({ background: 'white' })
    .resize({ width: imprintSide, height: imprintSide, fit: 'fill' })
    .toColourspace('b-w')
    .raw()
    .toBuffer();
  return {
    thumbhash: Buffer.from(hash).toString('base64'),
    colours: nameColours(data),
    imprint: imprintOf(grey),
  };
}

/** The longest side that ThumbHash accepts. */
const lookSide = 100;

function excuse(error: unknown): RenditionReply<string> {
  const code = diskTroubleOf(error);
  return code ? { kind: 'disk_trouble', code } : { kind: 'broken' };
}
