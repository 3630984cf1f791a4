import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { BadImage, normaliseImage, SmallImage } from '../../src/images/normalise-image.ts';
import { createPixelRoom } from '../../src/images/renditions/pixel-room.ts';
import { sampleImage } from '../emulators/sample-image.ts';

const crop = { exact: false, fit: 'crop', upscale: false, keepSigned: false, place: null } as const;
const sizeOf = async (png: Uint8Array) => {
  const { width, height, format } = await sharp(png).metadata();
  return { width, height, format };
};

function withChunks(png: Buffer, ...chunks: [type: string, data: string][]): Buffer {
  const afterHeader = 33;
  const made = chunks.map(([type, data]) => {
    const body = Buffer.from(type + data, 'latin1');
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  });
  return Buffer.concat([png.subarray(0, afterHeader), ...made, png.subarray(afterHeader)]);
}

test('a PNG of the promised pixels is kept bit for bit', async () => {
  const png = await sampleImage({ width: 64, height: 48 });
  const { png: kept, notes } = await normaliseImage(png, { width: 64, height: 48 }, crop);
  assert.deepEqual(Buffer.from(kept), png);
  assert.deepEqual(notes, []);
});

test('texts, EXIF and a signed statement of origin are removed, and the colours stay', async () => {
  const clean = withChunks(await sampleImage({ width: 64, height: 48 }), ['gAMA', '\0\0\xb1\x8f']);
  const full = withChunks(
    clean,
    ['caBX', 'jumbjumdc2pa'],
    ['tEXt', 'parameters\0a secret'],
    ['iTXt', 'XML:com.adobe.xmp\0\0\0\0\0<x/>'],
    ['eXIf', 'II*\0'],
  );
  const { png, manifest } = await normaliseImage(full, { width: 64, height: 48 }, crop);
  assert.deepEqual(Buffer.from(png), clean);
  assert.equal(manifest, 'removed');
  const kept = await normaliseImage(full, { width: 64, height: 48 }, { ...crop, keepSigned: true });
  assert.deepEqual([Buffer.from(kept.png), kept.notes, kept.manifest], [full, [], 'kept']);
});

test('other formats become PNG without metadata, and the notes say so', async () => {
  const jpeg = await sharp(await sampleImage({ width: 64, height: 48 }))
    .withExif({ IFD0: { Artist: 'somebody' } })
    .jpeg()
    .toBuffer();
  const { png, notes } = await normaliseImage(jpeg, { width: 64, height: 48 }, crop);
  assert.deepEqual(await sizeOf(png), { width: 64, height: 48, format: 'png' });
  assert.equal((await sharp(png).metadata()).exif, undefined);
  assert.deepEqual(notes, ['Converted from JPEG to PNG.']);
});

test('an image with other dimensions is scaled and cropped to the promised ones, and the notes say so', async () => {
  const large = await sampleImage({ width: 200, height: 100 });
  const { png, notes } = await normaliseImage(large, { width: 64, height: 48 }, crop);
  assert.deepEqual(await sizeOf(png), { width: 64, height: 48, format: 'png' });
  assert.deepEqual(notes, ['Scaled and cropped from 200 × 100 pixels to the promised 64 × 48.']);
  const marked = withChunks(large, ['caBX', 'jumbjumdc2pa']);
  const again = await normaliseImage(marked, { width: 64, height: 48 }, crop);
  assert.equal(again.manifest, 'removed');
});

test('extending shows the whole image on a blurred background', async () => {
  const red = await sampleImage({ width: 200, height: 200, colour: '#ff0000' });
  const striped = await sharp(red)
    .composite([{ input: await sampleImage({ width: 200, height: 20, colour: '#0000ff' }), top: 0, left: 0 }])
    .png()
    .toBuffer();
  const { png, notes } = await normaliseImage(
    striped,
    { width: 400, height: 100 },
    { ...crop, fit: 'extend' },
  );
  assert.deepEqual(await sizeOf(png), { width: 400, height: 100, format: 'png' });
  assert.match(notes.join(), /blurred background/);
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => [
    ...data.subarray((y * info.width + x) * 3, (y * info.width + x) * 3 + 3),
  ];
  const [r, , b] = at(200, 4);
  assert.ok((b ?? 0) > 200 && (r ?? 0) < 60, 'the stripe at the top, which cropping would cut, is there');
});

test('extending leaves an opaque image opaque, and a transparent image transparent', async () => {
  const size = { width: 400, height: 100 };
  for (const background of ['#f0145a', '#f0145a80']) {
    const channels = background.length > 7 ? 4 : 3;
    const made = sharp({ create: { width: 200, height: 200, channels, background } });
    const { png } = await normaliseImage(await made.png().toBuffer(), size, { ...crop, fit: 'extend' });
    assert.equal((await sharp(png).metadata()).channels, channels);
  }
});

test('an image that is clearly too small is enlarged only if that is declared', async () => {
  const small = await sampleImage({ width: 64, height: 48 });
  const size = { width: 128, height: 96 };
  await assert.rejects(normaliseImage(small, size, crop), SmallImage);
  const { png, notes } = await normaliseImage(small, size, { ...crop, upscale: true });
  assert.deepEqual(await sizeOf(png), { ...size, format: 'png' });
  assert.deepEqual(notes, ['Scaled from 64 × 48 pixels to the promised 128 × 96.']);
});

test('a few missing pixels count as rounding and are no reason to fail', async () => {
  const near = await sampleImage({ width: 768, height: 1360 });
  const { png } = await normaliseImage(near, { width: 768, height: 1376 }, crop);
  assert.deepEqual(await sizeOf(png), { width: 768, height: 1376, format: 'png' });
});

/** A noisy PNG whose header promises one row more than it has; all its checksums are correct. */
async function withoutLastRow({ width, height }: { width: number; height: number }): Promise<Buffer> {
  const png = await noise(width, height - 1);
  png.writeUInt32BE(height, 20);
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29);
  return png;
}

function noise(width: number, height: number): Promise<Buffer> {
  const raw = { width, height, channels: 3 } as const;
  return sharp(randomBytes(width * height * 3), { raw })
    .png()
    .toBuffer();
}

for (const [way, bytes] of [
  ['its pixels are kept', 1_000_000],
  ['they are not', 0],
] as const)
  test(`a file that is not a complete image is refused, even if its header promises the right pixels, when ${way}`, async () => {
    const room = createPixelRoom(bytes);
    const refuses = async (file: Buffer, size: { width: number; height: number }) => {
      using place = room.open();
      await assert.rejects(
        async () => (await normaliseImage(file, size, { ...crop, place })).proven,
        BadImage,
      );
    };
    const [size, wide] = [
      { width: 64, height: 48 },
      { width: 2_400, height: 49 },
    ];
    const whole = await noise(size.width, size.height);
    const torn = Buffer.concat([whole.subarray(0, 2_000), whole.subarray(-12)]);
    const damaged = Buffer.from(whole);
    damaged.fill(0, 3_000, 3_400);
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="64" height="48"/>');
    const others = [Buffer.from('<html></html>'), Buffer.alloc(0), svg];
    for (const file of [torn, damaged, whole.subarray(0, 4_000), await withoutLastRow(size), ...others])
      await refuses(file, size);
    await refuses(await withoutLastRow(wide), wide);
    using place = room.open();
    const intact = await normaliseImage(await noise(2_400, 49), wide, { ...crop, place });
    await intact.proven;
    place.mark('<x/>');
    assert.equal(place.pixels !== undefined, bytes > 0);
  });

for (const orientation of [2, 3, 6])
  test(`a PNG of the promised pixels that EXIF turns (${orientation}) looks as its upstream meant`, async () => {
    const corner = { input: await sampleImage({ width: 8, height: 16, colour: '#ff0000' }), top: 0, left: 0 };
    const sent = await sharp(await sampleImage({ width: 48, height: 48, colour: '#0000ff' }))
      .composite([corner])
      .withMetadata({ orientation })
      .png()
      .toBuffer();
    const shown = await sharp(sent).autoOrient().removeAlpha().raw().toBuffer();
    const { png, notes, manifest } = await normaliseImage(sent, { width: 48, height: 48 }, crop);
    assert.equal((await sharp(png).metadata()).orientation, undefined);
    assert.deepEqual(await sharp(png).removeAlpha().raw().toBuffer(), shown);
    assert.deepEqual([notes, manifest], [['Turned upright.'], 'none']);
  });
