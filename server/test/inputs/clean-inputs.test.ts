import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import sharp, { type JpegOptions, type PngOptions } from 'sharp';
import { cleanPng, pixelChunks } from '../../src/base/std/clean-png.ts';
import { sniffImage } from '../../src/base/std/sniff-image.ts';
import { cleanJpeg } from '../../src/images/inputs/clean-jpeg.ts';
import { createDecoder, type Decoder } from '../../src/images/inputs/decoder.ts';
import { InputError } from '../../src/images/inputs/input-errors.ts';
import { jpegSegment, pngChunk, withJpegSegments, withPngChunks } from './support/file-parts.ts';

const planted = Buffer.from('PLANTED 52.5200 N 13.4050 E');
const turns = 150;
let folder: string;
let decoder: Decoder;
let count = 0;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-clean-'));
  decoder = createDecoder();
});

after(async () => {
  await decoder[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function decoded(source: Buffer): Promise<Buffer | undefined> {
  const path = join(folder, String(count++));
  await writeFile(path, source);
  const mediaType = sniffImage(source);
  if (!mediaType) return undefined;
  try {
    const target = `${path}.decoded`;
    await decoder.decode({ source: path, target, mediaType }, new AbortController().signal, 'tests');
    return await readFile(target);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return undefined;
  }
}

const pixelsOf = (bytes: Buffer) => sharp(bytes, { failOn: 'warning' }).raw().toBuffer();

/** Generates the same bytes each time, so that failures are repeatable. */
function grain(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0, seed = 1; at < length; at += 1, seed = (seed * 48_271) % 2_147_483_647) bytes[at] = seed;
  return bytes;
}

async function sources(): Promise<Record<string, Buffer>> {
  const [width, height] = [97, 61];
  const noise = () => sharp(grain(width * height * 3), { raw: { width, height, channels: 3 } }).blur(0.5);
  const segments = [
    jpegSegment(0xe0, Buffer.concat([Buffer.from('JFXX\0\x13'), planted])),
    jpegSegment(0xe1, Buffer.concat([Buffer.from('Exif\0\0II*\0\x08\0\0\0\0\0\0\0\0\0'), planted])),
    jpegSegment(0xe1, Buffer.concat([Buffer.from('http://ns.adobe.com/xap/1.0/\0'), planted])),
    jpegSegment(0xe2, Buffer.concat([Buffer.from('MPF\0'), planted])),
    jpegSegment(0xed, planted),
    jpegSegment(0xfe, planted),
  ];
  const chunks = [
    pngChunk('tEXt', Buffer.concat([Buffer.from('Comment\0'), planted])),
    pngChunk('tIME', Buffer.from([7, 230, 1, 1, 1, 1, 1])),
    pngChunk('prVt', planted),
  ];
  const jpeg = async (options: JpegOptions) =>
    Buffer.concat([withJpegSegments(await noise().jpeg(options).toBuffer(), ...segments), planted]);
  const png = async (options: PngOptions) =>
    Buffer.concat([withPngChunks(await noise().png(options).toBuffer(), ...chunks), planted]);
  return {
    'baseline JPEG': await jpeg({ quality: 80 }),
    'progressive JPEG': await jpeg({ progressive: true }),
    'JPEG of full colour': await jpeg({ chromaSubsampling: '4:4:4', optimiseCoding: false }),
    PNG: await png({}),
    'PNG with a palette': await png({ palette: true }),
    'interlaced PNG': await png({ progressive: true }),
  };
}

test('a JPEG or PNG in the wanted form keeps its exact pixels, and nothing else', async () => {
  for (const [name, source] of Object.entries(await sources())) {
    assert.ok(source.includes(planted), name);
    const data = (await decoded(source)) ?? assert.fail(`${name} is refused`);
    assert.ok((await pixelsOf(data)).equals(await pixelsOf(source)), name);
    assert.ok(!data.includes('PLANTED'), name);
    const { exif, xmp, icc, iptc, comments } = await sharp(data).metadata();
    assert.deepEqual([exif, xmp, icc, iptc, comments], Array(5).fill(undefined), name);
  }
});

test('damaged files are refused, or keep nothing but the pixels that others see in them', async (t) => {
  let refused = 0;
  for (const [name, source] of Object.entries(await sources())) {
    for (let turn = 0; turn < turns; turn++) {
      const at = (turn * 7919) % source.length;
      const damaged = damage(source, at, turn);
      const data = await decoded(damaged);
      if (!data) {
        refused += 1;
        continue;
      }
      const what = `${name}, turn ${turn} at ${at}`;
      assert.ok(!data.includes(planted), what);
      const cleaned = name.includes('JPEG') ? cleanJpeg(damaged) : cleanPng(damaged, pixelChunks);
      if (cleaned && data.equals(cleaned))
        assert.ok((await pixelsOf(data)).equals(await pixelsOf(damaged)), what);
    }
  }
  t.diagnostic(`${refused} of ${6 * turns} were refused`);
  assert.ok(refused > turns);
});

function damage(source: Buffer, at: number, turn: number): Buffer {
  const copy = Buffer.from(source);
  switch (turn % 4) {
    case 0:
      copy.writeUInt8(copy.readUInt8(at) ^ (1 << (turn % 8)), at);
      return copy;
    case 1:
      return copy.subarray(0, Math.max(at, 32));
    case 2:
      return Buffer.concat([copy.subarray(0, at), copy.subarray(at + 1 + (turn % 5))]);
    default:
      return Buffer.concat([copy.subarray(0, at), Buffer.from([0xff, 0xe1, 0, 2]), copy.subarray(at)]);
  }
}

test('a JPEG with parts of another kind cannot be cleaned', async () => {
  const { 'baseline JPEG': source = Buffer.alloc(0) } = await sources();
  assert.equal(cleanJpeg(Buffer.from('no image')), undefined);
  assert.equal(cleanJpeg(source.subarray(0, source.length / 2)), undefined);
  assert.equal(cleanJpeg(withJpegSegments(source, jpegSegment(0xcc, Buffer.alloc(2)))), undefined);
});
