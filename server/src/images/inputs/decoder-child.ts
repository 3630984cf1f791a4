/** Decodes clients' images in a process without secrets. If an image kills two such processes, the answer is 422. */
import { createHash } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import sharp, { type Metadata, type Sharp } from 'sharp';
import { cleanPng, pixelChunks } from '../../base/std/clean-png.ts';
import { ready } from './ask-child.ts';
import { cleanJpeg } from './clean-jpeg.ts';
import type { DecodedFile, DecodeReply, DecodeRequest, MaskShape } from './decoder-messages.ts';
import { diskTroubleOf } from './disk-trouble.ts';
import type { DecodeLimits } from './limits.ts';
import { watchMemory } from './watch-memory.ts';

sharp.cache(false);
// One thread per image, because more would take processor time from the API.
sharp.concurrency(1);
// libvips also opens SVG, TIFF, HEIF, PDF and others, so only the formats below are allowed.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp', 'VipsForeignLoadNsgif'],
});

process.on('disconnect', () => process.exit());
process.on('message', (request: DecodeRequest) => {
  watchMemory(request.limits.childBytes, () => process.exit(1));
  decode(request).then(
    (reply) => process.send?.(reply),
    (error: unknown) => process.send?.(excuse(error)),
  );
});

process.send?.(ready);

async function decode({
  source,
  target,
  sourceMediaType,
  limits,
  mask,
}: DecodeRequest): Promise<DecodeReply> {
  const metadata = await sharp(source, { ...strict, limitInputPixels: false }).metadata();
  const { width, height } = metadata;
  if (`image/${metadata.format}` !== sourceMediaType) return { kind: 'broken' };
  if (width * height > limits.pixels) return { kind: 'too_many_pixels', width, height };

  if (mask) return decodeMask({ source, target, limits }, metadata, mask);
  const { size } = await stat(source);
  const cleaned = isAsWanted(metadata, size, limits) ? clean(await readFile(source), metadata) : undefined;
  if (cleaned) {
    await decodeWhole(cleaned, metadata, limits);
    return answer(target, cleaned, { mediaType: mediaTypeOf(metadata), width, height });
  }
  for (const { mediaType, quality, longSide } of encodings(metadata, size, limits)) {
    const pipeline = sharp(source, { ...strict, limitInputPixels: limits.pixels })
      .autoOrient()
      .resize({ width: longSide, height: longSide, fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb');
    const encoded = encode(pipeline, mediaType, quality, metadata.chromaSubsampling);
    const { data, info } = await encoded.toBuffer({ resolveWithObject: true });
    if (data.length > limits.outputBytes && longSide > smallestLongSide) continue;
    return answer(target, data, { mediaType, width: info.width, height: info.height });
  }
  return { kind: 'broken' };
}

/** The tolerance for a mask's shape. Masks are drawn on scaled images, whose sides were rounded. */
const shapeSlack = 1.02;

async function decodeMask(
  { source, target, limits }: Pick<DecodeRequest, 'source' | 'target' | 'limits'>,
  { autoOrient: own, hasAlpha }: Metadata,
  { width, height, changed }: MaskShape,
): Promise<DecodeReply> {
  const ratio = own.width / own.height / (width / height);
  if (Math.max(ratio, 1 / ratio) > shapeSlack) return { kind: 'misshapen', ...own };
  if (changed === 'transparent' && !hasAlpha) return { kind: 'opaque' };
  const opened = sharp(source, { ...strict, limitInputPixels: limits.pixels }).autoOrient();
  const grey =
    changed === 'transparent'
      ? opened.extractChannel('alpha').negate()
      : opened.flatten({ background: 'black' }).greyscale();
  const { data } = await sharp(await grey.png({ compressionLevel: 0 }).toBuffer())
    .resize({ width, height, fit: 'fill' })
    .toColourspace('b-w')
    .png()
    .toBuffer({ resolveWithObject: true });
  if (changed === 'transparent' && (await isBlack(data))) return { kind: 'opaque' };
  return answer(target, data, { mediaType: 'image/png', width, height });
}

async function isBlack(mask: Buffer): Promise<boolean> {
  return (await sharp(mask).raw().toBuffer()).every((value) => value === 0);
}

async function answer(
  target: string,
  data: Uint8Array,
  image: Pick<DecodedFile, 'mediaType' | 'width' | 'height'>,
): Promise<DecodeReply> {
  await writeFile(target, data, { flag: 'wx', mode: 0o600 });
  const sha256 = createHash('sha256').update(data).digest('hex');
  return { kind: 'decoded', file: { ...image, bytes: data.length, sha256 } };
}

/** Whether it is enough to remove the metadata. Unlike a new encoding, that loses no quality. */
function isAsWanted(metadata: Metadata, size: number, { longSide, outputBytes }: DecodeLimits): boolean {
  const { format, space, depth, icc, orientation = 1, width, height } = metadata;
  const isPlain = space === 'srgb' && depth === 'uchar' && icc === undefined && orientation === 1;
  const isSmall = Math.max(width, height) <= longSide && size <= outputBytes;
  return (format === 'jpeg' || format === 'png') && isPlain && isSmall;
}

function mediaTypeOf({ format }: Metadata): DecodedFile['mediaType'] {
  return format === 'png' ? 'image/png' : 'image/jpeg';
}

function clean(bytes: Buffer, { format }: Metadata): Uint8Array | undefined {
  return format === 'png' ? cleanPng(bytes, pixelChunks) : cleanJpeg(bytes);
}

/** Checks that the whole image can be decoded: the last row needs every row before it. */
async function decodeWhole(bytes: Uint8Array, { height }: Metadata, { pixels }: DecodeLimits): Promise<void> {
  await sharp(bytes, { ...strict, limitInputPixels: pixels })
    .extract({ left: 0, top: height - 1, width: 1, height: 1 })
    .raw()
    .toBuffer();
}

function excuse(error: unknown): DecodeReply {
  const code = diskTroubleOf(error);
  return code ? { kind: 'disk_trouble', code } : { kind: 'broken' };
}

/** Refuses truncated and damaged files instead of repairing them. Reads only an animation's first frame. */
const strict = { failOn: 'warning', pages: 1, sequentialRead: true } as const;

interface Encoding {
  mediaType: DecodedFile['mediaType'];
  quality: number;
  longSide: number;
}

/** Encodings to try until the result is small enough: graphics as PNG, then WebP if transparent, or else JPEG. */
function encodings(
  { format, hasAlpha, width, height }: Metadata,
  size: number,
  { longSide }: DecodeLimits,
): Encoding[] {
  const lossless = format === 'png' || format === 'gif';
  const isSmall = width * height <= exactPixels && (lossless || hasAlpha);
  // Many pixels in few bytes are plain areas, often a mask, whose black would become nearly black as JPEG.
  const isPlain = lossless && size <= exactBytes;
  const exact: Encoding[] = isSmall || isPlain ? [{ mediaType: 'image/png', quality: 100, longSide }] : [];
  const mediaType = hasAlpha ? 'image/webp' : 'image/jpeg';
  return [
    ...exact,
    { mediaType, quality: 90, longSide },
    { mediaType, quality: 75, longSide },
    { mediaType, quality: 75, longSide: smallestLongSide },
  ];
}

/** 1024 × 1024 pixels, at most 4 MB as PNG. */
const exactPixels = 1_048_576;
const exactBytes = 1_048_576;
/** At this size, even noise takes less than 3 MB, so one encoding is always small enough. */
const smallestLongSide = 1536;

function encode(
  pipeline: Sharp,
  mediaType: DecodedFile['mediaType'],
  quality: number,
  sourceChroma = '',
): Sharp {
  switch (mediaType) {
    case 'image/png':
      return pipeline.png();
    case 'image/webp':
      // Effort 1 of 6: four times as fast as the default, with files a tenth larger.
      return pipeline.webp({ quality, effort: 1 });
    case 'image/jpeg': {
      // Keeps full colour resolution if the source has it, so that thin coloured lines survive.
      const chromaSubsampling = sourceChroma === '4:2:0' ? '4:2:0' : '4:4:4';
      // A second pass for better Huffman tables would double the time and make files only a tenth smaller.
      return pipeline.jpeg({ quality, chromaSubsampling, optimiseCoding: false });
    }
  }
}
