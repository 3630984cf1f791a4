import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import sharp, { type Sharp } from 'sharp';
import { openDiskStore } from '../../src/images/disk/disk-store.ts';
import { type ImageStore, StoreUnavailable } from '../../src/images/image-store.ts';
import { resultKey } from '../../src/images/object-keys.ts';
import { openRenditions } from '../../src/images/renditions/renditions.ts';
import { renditionKey } from '../../src/images/renditions.ts';
import { eventually } from '../http/support/requests.ts';
import { changeModel } from '../world/change-model.ts';
import { plainPng } from '../world/provider.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld } from '../world/world.ts';

const folder = await mkdtemp(join(tmpdir(), 'darkroom-pixels-'));
const disk = await openDiskStore(folder);
const gets: string[] = [];
let refusals = 0;
const images: ImageStore = {
  ...disk,
  async put(key, body, info) {
    if (key.endsWith('.png') && refusals-- > 0) throw new StoreUnavailable('the store is away');
    await disk.put(key, body, info);
  },
  get(key, range) {
    gets.push(key);
    return disk.get(key, range);
  },
};
const world = await openWorld({ env: { DARKROOM_RENDITIONS: 'ahead' }, replacements: { images } });
world.provider.capabilities.exact = false;
after(async () => {
  await world[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Colour gradients with grain, in which every row and column differs. */
function scene(width: number, height: number, channels: 3 | 4 = 3): Sharp {
  const data = Buffer.alloc(width * height * channels);
  for (let at = 0, seed = 1; at < data.length; at += 1) {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    const pixel = Math.floor(at / channels);
    const [x, y] = [pixel % width, Math.floor(pixel / width)];
    data[at] = 128 + 90 * Math.sin((x * ((at % channels) + 1) + y) / 70) + ((seed >> 16) % 16);
  }
  return sharp(data, { raw: { width, height, channels } });
}

await changeModel(world, 'nb', (before) => {
  return (
    before && {
      ...before,
      ratios: ['1:1'],
      resolutions: { '1K': { price: '0.02', sizes: { '1:1': [64, 64] } } },
    }
  );
});

const kinds: Record<
  string,
  [draw: (width: number, height: number) => Promise<Buffer>, asked?: Record<string, unknown>]
> = {
  RGB: [(width, height) => scene(width, height).png().toBuffer(), { aspect_ratio: '16:9' }],
  RGBA: [(width, height) => scene(width, height, 4).png().toBuffer()],
  greyscale: [(width, height) => scene(width, height).toColourspace('b-w').png().toBuffer()],
  'black and white': [async (width, height) => plainPng(width, height)],
  'a palette': [
    (width, height) => scene(width, height, 4).png({ palette: true, colours: 8, effort: 1 }).toBuffer(),
  ],
  '16 bits': [(width, height) => scene(width, height).toColourspace('rgb16').png().toBuffer()],
  'grey of 16 bits': [(width, height) => scene(width, height).toColourspace('grey16').png().toBuffer()],
  'an ICC profile': [(width, height) => scene(width, height).withIccProfile('p3').png().toBuffer()],
  'EXIF and XMP of its upstream': [
    (width, height) =>
      scene(width, height)
        .withExif({ IFD0: { Orientation: '6' } })
        .withXmp('<x:xmpmeta/>')
        .png()
        .toBuffer(),
  ],
  'interlaced rows': [(width, height) => scene(width, height).png({ progressive: true }).toBuffer()],
  'more width than the widest rendition': [
    (width, height) => scene(width, height, 4).png().toBuffer(),
    { resolution: '2K', aspect_ratio: '16:9' },
  ],
  'less width than the smallest rendition': [
    (width, height) => scene(width, height).png().toBuffer(),
    { model: 'nb' },
  ],
};

async function rendered({ model = 'nb2', ...asked }: Record<string, unknown> = {}): Promise<string> {
  const jobId = await world.create(`/${model}/text-generations`, asked);
  await looked(jobId);
  return jobId;
}

async function looked(jobId: string): Promise<void> {
  await world.finished(jobId);
  await eventually(
    () => lookOf(jobId),
    ([row]) => row?.thumbhash !== null,
  );
}

async function lookOf(jobId: string) {
  const { read } = world.app.database;
  const { rows } = await sql<{
    thumbhash: string | null;
  }>`select thumbhash, colours, band_0, band_1, band_2, band_3,
    fine from jobs left join imprints on job_id = id where id = ${jobId}`.execute(read);
  return rows;
}

async function renditionOf(jobId: string): Promise<Buffer> {
  const stored = await disk.get(renditionKey(keyOf(jobId), 256));
  return stored ? buffer(stored.body) : Buffer.alloc(0);
}

async function madeAgain(jobId: string): Promise<Buffer> {
  const { thumbnail_url } = (await world.finished(jobId)).result as { thumbnail_url: string };
  await disk.remove(renditionKey(keyOf(jobId), 256));
  await world.app.database.transaction(async (tx) => {
    await sql`delete from imprints where job_id = ${jobId}`.execute(tx);
    await sql`update jobs set thumbhash = null, colours = null where id = ${jobId}`.execute(tx);
  });
  assert.equal((await fetch(thumbnail_url)).status, 200);
  return renditionOf(jobId);
}

const keyOf = (jobId: string) => resultKey(jobId, 1);
const isRead = (jobId: string) => gets.includes(keyOf(jobId));

for (const [kind, [draw, asked = {}]] of Object.entries(kinds))
  test(`pixels of the proof give the rendition that the stored file gives: ${kind}`, async () => {
    world.provider.handler = async ({ width, height }) => ({ bytes: await draw(width, height) });
    const jobId = await rendered(asked);
    assert.equal(isRead(jobId), false, 'the file is not decoded again');
    const [rendition, look] = [await renditionOf(jobId), await lookOf(jobId)];
    assert.ok((await sharp(rendition).metadata()).xmp?.includes(jobId), 'the mark of origin is there');
    assert.ok(rendition.equals(await madeAgain(jobId)), 'byte for byte');
    assert.ok(isRead(jobId));
    assert.deepEqual(await lookOf(jobId), look);
  });

test('pixels of an attempt that fails are forgotten', async () => {
  world.provider.handler = async ({ width, height }) => ({
    bytes: await scene(width, height).png().toBuffer(),
  });
  // More than there is memory for.
  refusals = 6;
  const failing = [];
  for (let count = refusals; count > 0; count -= 1) failing.push(await world.create());
  // Their second attempts have no pixels left in memory either.
  for (const jobId of failing) await looked(jobId);
  assert.equal(isRead(await rendered()), false);
});

const shape = { width: 1024, height: 1024, channels: 4 } as const;
const decode = async () => ({ data: new Uint8Array(4 * 1024 * 1024), shape });

test('where there is no memory for pixels, or they are unusable, renditions are made from stored files', async () => {
  await using own = openRenditions({
    ...{ database: world.app.database, images, signer: null, tempDir: folder, log: silentLog, ahead: true },
  });
  const jobId = await rendered();
  const rendition = await renditionOf(jobId);
  const places = Array.from({ length: 5 }, () => own.openPlace());
  const filled = await Promise.all(places.map((place) => place.fill(4 * 1024 * 1024, decode)));
  assert.deepEqual(filled, [true, true, true, true, false]);
  const make = async (place = own.openPlace()) => {
    await disk.remove(renditionKey(keyOf(jobId), 256));
    gets.length = 0;
    place.mark('<x/>');
    own.makeLater({ jobId, key: keyOf(jobId), place });
    const made = await eventually(
      () => renditionOf(jobId),
      ({ length }) => length > 0,
    );
    assert.ok(rendition.equals(made));
    assert.ok(isRead(jobId));
  };
  await make(places.pop());
  using broken = own.openPlace();
  places.pop()?.[Symbol.dispose]();
  const tooFew = async () => ({ data: new Uint8Array(4), shape });
  assert.equal(await broken.fill(4, tooFew), true);
  await make(broken);
});

test('a stop while pixels are scaled does not read the stored file instead', async () => {
  const jobId = await rendered();
  const tempDir = await mkdtemp(join(folder, 'temporary-'));
  {
    await using own = openRenditions({
      ...{ database: world.app.database, images, signer: null, tempDir, log: silentLog, ahead: true },
    });
    const place = own.openPlace();
    await place.fill(4 * 1024 * 1024, decode);
    place.mark('<x/>');
    gets.length = 0;
    own.makeLater({ jobId, key: keyOf(jobId), place });
    await eventually(
      () => readdir(tempDir),
      ({ length }) => length > 0,
    );
  }
  assert.equal(isRead(jobId), false);
});

test('a result that is encoded again, or that nothing has decoded, is decoded for its rendition', async () => {
  for (const [exact, asked] of [
    [false, { output_format: 'jpeg', output_compression: 10 }],
    [true, {}],
  ] as const) {
    world.provider.capabilities.exact = exact;
    gets.length = 0;
    await rendered(asked);
    assert.ok(gets.some((key) => /\d\.(jpg|png)$/.test(key)));
  }
});

test('no pixels are kept if copies are signed, or if renditions are made only on request', async () => {
  const deps = { database: world.app.database, images, tempDir: folder, log: silentLog };
  const signer = { signCopy: async (copy: Uint8Array) => copy };
  for (const [options, keeps] of [
    [{ ahead: true, signer: null }, true],
    [{ ahead: true, signer }, false],
    [{ ahead: false, signer: null }, false],
  ] as const) {
    await using own = openRenditions({ ...deps, ...options });
    using place = own.openPlace();
    assert.equal(await place.fill(4 * 1024 * 1024, decode), keeps);
  }
});
