/**
 * The process in which strangers' images are decoded. It has no secrets in its environment, no network to talk to,
 * and may die at any time: its parent answers 422 for the image and starts another.
 */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import sharp, { type Metadata, type Sharp } from 'sharp';
import { type DecodedFile, type DecodeReply, type DecodeRequest, ready } from './decoder-messages.ts';
import { isDiskTrouble } from './disk-trouble.ts';
import type { DecodeLimits } from './limits.ts';

sharp.cache(false);
// One image at a time; more threads would take the processor from the API.
sharp.concurrency(1);
// Of all formats libvips knows, SVG, TIFF, HEIF and PDF among them, only these may be opened.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp', 'VipsForeignLoadNsgif'],
});

process.on('disconnect', () => process.exit());
process.on('message', (request: DecodeRequest) => {
  watchMemory(request.limits.childBytes);
  decode(request).then(
    (reply) => process.send?.(reply),
    (error: unknown) => process.send?.(excuse(error)),
  );
});

process.send?.(ready);

async function decode({ source, target, sourceMediaType, limits }: DecodeRequest): Promise<DecodeReply> {
  const metadata = await sharp(source, { ...strict, limitInputPixels: false }).metadata();
  const { width, height } = metadata;
  if (`image/${metadata.format}` !== sourceMediaType) return { kind: 'broken' };
  if (width * height > limits.pixels) return { kind: 'too_many_pixels', width, height };

  for (const { mediaType, quality, longSide } of encodings(metadata, limits)) {
    const pipeline = sharp(source, { ...strict, limitInputPixels: limits.pixels })
      .autoOrient()
      .resize({ width: longSide, height: longSide, fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb');
    const encoded = encode(pipeline, mediaType, quality, metadata.chromaSubsampling);
    const { data, info } = await encoded.toBuffer({ resolveWithObject: true });
    if (data.length > limits.outputBytes && longSide > smallestLongSide) continue;
    await writeFile(target, data, { flag: 'wx', mode: 0o600 });
    const sha256 = createHash('sha256').update(data).digest('hex');
    const file: DecodedFile = {
      mediaType,
      width: info.width,
      height: info.height,
      bytes: data.length,
      sha256,
    };
    return { kind: 'decoded', file };
  }
  return { kind: 'broken' };
}

function excuse(error: unknown): DecodeReply {
  return isDiskTrouble(error) ? { kind: 'disk_trouble', code: error.code } : { kind: 'broken' };
}

/** Truncated and damaged files are refused, not repaired; of animations only the first frame is read. */
const strict = { failOn: 'warning', pages: 1, sequentialRead: true } as const;

interface Encoding {
  mediaType: DecodedFile['mediaType'];
  quality: number;
  longSide: number;
}

/**
 * How to write the image, best first; the next is taken where the result is too large. Small graphics stay exact as
 * PNG. Beyond that PNG would be several times the size of the source: transparency goes into WebP, and the rest into
 * JPEG at a quality whose loss is below that of the upstream models' own scaling.
 */
function encodings({ format, hasAlpha, width, height }: Metadata, { longSide }: DecodeLimits): Encoding[] {
  const lossless = format === 'png' || format === 'gif';
  const exact: Encoding[] =
    width * height <= exactPixels && (lossless || hasAlpha)
      ? [{ mediaType: 'image/png', quality: 100, longSide }]
      : [];
  const mediaType = hasAlpha ? 'image/webp' : 'image/jpeg';
  return [
    ...exact,
    { mediaType, quality: 90, longSide },
    { mediaType, quality: 75, longSide },
    { mediaType, quality: 75, longSide: smallestLongSide },
  ];
}

/** 1024 × 1024: 4 MB as PNG at worst. */
const exactPixels = 1_048_576;
/** Noise of this size has less than 3 MB, so the search always ends with a result. */
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
      // Effort 1 of 6: four times as fast as the default for files a tenth larger.
      return pipeline.webp({ quality, effort: 1 });
    case 'image/jpeg': {
      // Colours as fine as they came: thin coloured lines survive where the source had them.
      const chromaSubsampling = sourceChroma === '4:2:0' ? '4:2:0' : '4:4:4';
      // A second pass for better Huffman tables takes twice the time for files a tenth smaller.
      return pipeline.jpeg({ quality, chromaSubsampling, optimiseCoding: false });
    }
  }
}

let watching: NodeJS.Timeout | undefined;

/** Decoding runs on other threads, so this one is free to end the process before the machine runs out of memory. */
function watchMemory(limitBytes: number): void {
  clearInterval(watching);
  watching = setInterval(() => {
    if (process.memoryUsage.rss() > limitBytes) process.exit(1);
  }, 20).unref();
}
