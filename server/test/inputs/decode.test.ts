import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { sniffImage } from '../../src/base/std/sniff-image.ts';
import { createDecoder, type Decoder } from '../../src/images/inputs/decoder.ts';
import type { DecodedFile } from '../../src/images/inputs/decoder-messages.ts';
import { InputError } from '../../src/images/inputs/input-errors.ts';
import { decodeLimits } from '../../src/images/inputs/limits.ts';
import { blackPng } from './support/file-parts.ts';

let folder: string;
let decoder: Decoder;
let count = 0;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-decode-'));
  decoder = createDecoder();
});

after(async () => {
  await decoder[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function decode(source: Buffer): Promise<DecodedFile & { data: Buffer }> {
  const path = join(folder, String(count++));
  await writeFile(path, source);
  const mediaType = sniffImage(source) ?? assert.fail('not an image');
  const target = `${path}.decoded`;
  const file = await decoder.decode(
    { source: path, target, mediaType },
    new AbortController().signal,
    'tests',
  );
  const data = await readFile(target);
  const { width, height, format } = await sharp(data).metadata();
  assert.deepEqual(
    { width, height, mediaType: `image/${format}`, bytes: data.length },
    { width: file.width, height: file.height, mediaType: file.mediaType, bytes: file.bytes },
    'the answer describes the file',
  );
  assert.equal(file.sha256, createHash('sha256').update(data).digest('hex'));
  return { ...file, data };
}

const plain = (width: number, height: number, background: string) =>
  sharp({ create: { width, height, channels: 3, background } });
const twoHalves = () =>
  plain(40, 20, 'red').composite([
    { input: { create: { width: 20, height: 20, channels: 3, background: 'blue' } }, left: 20, top: 0 },
  ]);

async function pixel(data: Buffer, left: number, top: number): Promise<number[]> {
  return [...(await sharp(data).extract({ left, top, width: 1, height: 1 }).ensureAlpha().raw().toBuffer())];
}

function assertNear(actual: number[], expected: number[], what: string): void {
  assert(
    expected.every((value, index) => Math.abs(value - (actual[index] ?? Number.NaN)) <= 12),
    `${what}: ${actual} is not ${expected}`,
  );
}

test('F30: images are turned upright, and the reported size is the one after turning', async () => {
  for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const { data, width, height } = await decode(
      await twoHalves().withMetadata({ orientation }).jpeg().toBuffer(),
    );
    const turned = orientation >= 5;
    assert.deepEqual([width, height], turned ? [20, 40] : [40, 20], `orientation ${orientation}`);
    // In a turned image, the left half ends at the top (6, 5) or at the bottom (7, 8); in others, left (1, 4) or
    // right (2, 3).
    const redFirst = [1, 4, 5, 6].includes(orientation);
    const first = await pixel(data, turned ? 10 : 5, turned ? 5 : 10);
    assertNear(first, redFirst ? [254, 0, 0] : [0, 0, 254], `orientation ${orientation}`);
    assert.equal((await sharp(data).metadata()).orientation, undefined);
  }
});

test('F29: CMYK, grey, 16-bit, palette and interlaced images become plain 8-bit sRGB', async () => {
  const red = () => plain(64, 64, '#c02020');
  const sources = {
    cmyk: await red().toColourspace('cmyk').jpeg({ quality: 100 }).toBuffer(),
    '16 bits': await red().toColourspace('rgb16').png().toBuffer(),
    palette: await red().png({ palette: true }).toBuffer(),
    interlaced: await red().png({ progressive: true }).toBuffer(),
    progressive: await red().jpeg({ progressive: true }).toBuffer(),
    gif: await red().gif().toBuffer(),
    webp: await red().webp({ lossless: true }).toBuffer(),
  };
  for (const [name, source] of Object.entries(sources)) {
    const { data } = await decode(source);
    const { depth, space } = await sharp(data).metadata();
    assert.deepEqual({ depth, space }, { depth: 'uchar', space: 'srgb' }, name);
    if (name !== 'cmyk') assertNear(await pixel(data, 30, 30), [192, 32, 32], name);
  }
  const grey = await decode(await red().greyscale().png().toBuffer());
  assert.equal((await sharp(grey.data).metadata()).depth, 'uchar');
});

test('F29: extreme shapes keep their ratio within the longest side', async () => {
  const sizes = [
    { from: [1, 1], to: [1, 1] },
    { from: [1, 20_000], to: [1, 3072] },
    { from: [20_000, 1], to: [3072, 1] },
    { from: [3072, 3072], to: [3072, 3072] },
    { from: [6144, 3000], to: [3072, 1500] },
  ] as const;
  for (const { from, to } of sizes) {
    const { width, height } = await decode(await plain(from[0], from[1], 'green').png().toBuffer());
    assert.deepEqual([width, height], to, `${from}`);
  }
});

test('transparency is kept, in small files as PNG and in large ones as WebP', async () => {
  const clear = (width: number) =>
    sharp({ create: { width, height: width, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } });
  const small = await decode(await clear(500).png().toBuffer());
  const large = await decode(await clear(2000).png({ compressionLevel: 0 }).toBuffer());
  const gif = await decode(await clear(50).gif().toBuffer());
  assert.deepEqual(
    [small.mediaType, large.mediaType, gif.mediaType],
    ['image/png', 'image/webp', 'image/png'],
  );
  for (const { data } of [small, large, gif]) assert.equal((await pixel(data, 10, 10))[3], 0);
});

test('images that need no change stay exact, large files that are scaled become JPEG', async () => {
  const noise = await sharp(randomBytes(300 * 200 * 3), { raw: { width: 300, height: 200, channels: 3 } })
    .png()
    .toBuffer();
  const exact = await decode(noise);
  assert.equal(exact.mediaType, 'image/png');
  assert(Buffer.compare(await sharp(noise).raw().toBuffer(), await sharp(exact.data).raw().toBuffer()) === 0);
  assert.equal((await decode(await sharp(noise).jpeg().toBuffer())).mediaType, 'image/jpeg');
  assert.equal((await decode(await plain(2000, 2000, 'red').png().toBuffer())).mediaType, 'image/png');
  const large = await plain(4000, 400, 'red').png({ compressionLevel: 0 }).toBuffer();
  assert.equal((await decode(large)).mediaType, 'image/jpeg');
});

test('a graphic of many pixels, such as a mask, stays exact whatever its colours, depth and profile', async () => {
  const size = { width: 1536, height: 1024 };
  const drawn = await sharp({ create: { ...size, channels: 3, background: 'black' } })
    .composite([{ input: await plain(301, 299, 'white').png().toBuffer(), left: 613, top: 407 }])
    .removeAlpha()
    .raw()
    .toBuffer();
  const mask = () => sharp(drawn, { raw: { ...size, channels: 3 } });
  const wanted = await mask().extractChannel(0).raw().toBuffer();
  const sources = {
    grey: await mask().toColourspace('b-w').png().toBuffer(),
    '16 bits': await mask().toColourspace('grey16').png().toBuffer(),
    profile: await mask().withIccProfile('srgb').png().toBuffer(),
    transparent: await mask().ensureAlpha().withIccProfile('srgb').png().toBuffer(),
    turned: await mask().withMetadata({ orientation: 3 }).png().toBuffer(),
  };
  for (const [name, source] of Object.entries(sources)) {
    const { data, mediaType } = await decode(source);
    assert.equal(mediaType, 'image/png', name);
    const upright = name === 'turned' ? sharp(data).rotate(180) : sharp(data);
    const pixels = await upright.extractChannel(0).raw().toBuffer();
    assert.equal(Buffer.compare(pixels, wanted), 0, name);
  }
});

test('of an animation, the first frame is used', async () => {
  const frames = ['red', 'blue'].map((background) => ({
    create: { width: 30, height: 30, channels: 3 as const, background },
  }));
  const images = await Promise.all(frames.map((frame) => sharp(frame).png().toBuffer()));
  const animation = sharp(images, { join: { animated: true } });
  for (const source of [
    await animation.clone().gif().toBuffer(),
    await animation.clone().webp({ lossless: true }).toBuffer(),
  ]) {
    assert.equal((await sharp(source).metadata()).pages, 2);
    const { data, width, height } = await decode(source);
    assert.deepEqual([width, height], [30, 30]);
    assertNear(await pixel(data, 15, 15), [255, 0, 0], 'the first frame');
  }
});

test('even coloured noise, the worst photograph, fits what upstream models take', async (t) => {
  const noise = await sharp(randomBytes(3000 * 2250 * 3), { raw: { width: 3000, height: 2250, channels: 3 } })
    .jpeg({ quality: 95, chromaSubsampling: '4:4:4' })
    .toBuffer();
  const started = performance.now();
  const { bytes, width, height, mediaType } = await decode(noise);
  t.diagnostic(
    `${noise.length} bytes became ${bytes} of ${width} × ${height} in ${Math.round(performance.now() - started)} ms`,
  );
  assert.equal(mediaType, 'image/jpeg');
  assert(noise.length > 2 * decodeLimits.outputBytes);
  assert(bytes <= decodeLimits.outputBytes);
});

test('F20: an image with too many pixels is refused as too large, with its size', async () => {
  await assert.rejects(decode(blackPng({ width: 16_000, height: 16_000, depth: 1 })), (error) => {
    assert(error instanceof InputError);
    assert.equal(error.code, 'input_too_large');
    assert.match(error.message, /16000 × 16000; the most is 50 megapixels/);
    return true;
  });
});
