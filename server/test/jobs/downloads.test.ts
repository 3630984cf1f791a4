import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { Darkroom } from '@darkroom/sdk';
import sharp from 'sharp';
import { Overloaded } from '../../src/base/std/overloaded.ts';
import { openDiskStore } from '../../src/images/disk/disk-store.ts';
import { StoreError } from '../../src/images/image-store.ts';
import { resultKey } from '../../src/images/object-keys.ts';
import { writeZip } from '../../src/images/write-zip.ts';
import { zipImages } from '../../src/jobs/zip-images.ts';
import { createRecordingLog } from '../http/support/recording-log.ts';
import { bearer } from '../http/support/requests.ts';
import { openMember } from '../panel/browser.ts';
import { openWorld } from '../world/world.ts';

// Uses our own drawings, which have colours and transparency to check.
const world = await openWorld({ ownRoutes: true });
after(() => world[Symbol.asyncDispose]());

const formats = { png: 'png', jpeg: 'jpg', webp: 'webp' } as const;
const usual = { prompt: 'a red fox', aspect_ratio: '1:1' };

async function make(fields: object): Promise<string> {
  const jobId = await world.create('/nb2/text-generations', { ...usual, ...fields });
  await world.finished(jobId);
  return jobId;
}

const get = (path: string, query: Record<string, string>) =>
  fetch(`${world.url}/api/v1/jobs/${path}?${new URLSearchParams(query)}`, { headers: bearer(world.key) });

async function filesOf(answer: Response, folder: string): Promise<Map<string, Buffer>> {
  assert.equal(answer.status, 200, await (answer.ok ? '' : answer.text()));
  const file = join(folder, 'images.zip');
  await writeFile(file, Buffer.from(await answer.arrayBuffer()));
  execFileSync('python3', ['-m', 'zipfile', '-e', file, folder]);
  const names = (await readdir(folder)).filter((name) => name !== 'images.zip').sort();
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)),
  );
}

/** Reads a file with exiftool; null if that is not installed. */
function exifOf(path: string): Record<string, unknown> | null {
  try {
    const args = ['-json', '-n', '-XMP:DigitalSourceType', '-XMP:Identifier', '-MIMEType', path];
    return JSON.parse(execFileSync('exiftool', args, { encoding: 'utf8' }))[0];
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return null; // the error of a missing program
    throw error;
  }
}

test('images of every format are downloaded in every format, one or many, with their marks and the right extension', async () => {
  const made = Object.keys(formats).map((output_format) => make({ output_format }));
  const jobIds = await Promise.all(made);
  for (const [format, extension] of Object.entries(formats)) {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'darkroom-downloads-'));
    const asked = { job_ids: jobIds.join(), output_format: format, names: '{number} {id}' };
    const files = await filesOf(await get('images.zip', asked), folder.path);
    assert.deepEqual(
      [...files.keys()],
      jobIds.map((id, index) => `${index + 1} ${id.slice(-12)}.${extension}`),
    );
    for (const [index, [name, file]] of [...files].entries()) {
      const found = await sharp(file).metadata();
      assert.deepEqual([found.format, found.width, found.height], [format, 1024, 1024]);
      const jobId = jobIds[index] ?? '';
      assert.match(String(found.xmp), new RegExp(`algorithmicMedia<.*identifier[^>]*>${jobId}<`));
      const exif = exifOf(join(folder.path, name));
      if (exif) {
        assert.match(String(exif.DigitalSourceType), /\/digitalsourcetype\/algorithmicMedia$/);
        assert.deepEqual([exif.Identifier, exif.MIMEType], [jobId, `image/${format}`]);
      }
      if (index > 0) continue;
      const { output_format, names } = asked;
      const one = await get(`${jobId}/image`, { output_format, names: names.replace('{number}', 'näht') });
      assert.equal(one.headers.get('content-type'), `image/${format}`);
      const called = `n_ht ${jobId.slice(-12)}.${extension}`;
      assert.equal(
        one.headers.get('content-disposition'),
        `attachment; filename="${called}"; filename*=UTF-8''${encodeURIComponent(called.replace('_', 'ä'))}`,
      );
      assert.ok(Buffer.from(await one.arrayBuffer()).equals(file), 'the same file by both ways');
    }
  }
});

test('transparency is kept in PNG and WebP, and becomes white in JPEG', async () => {
  const jobId = await make({ background: 'transparent' });
  for (const output_format of Object.keys(formats)) {
    const answer = await get(`${jobId}/image`, { output_format, w: '256' });
    const file = Buffer.from(await answer.arrayBuffer());
    const { width } = await sharp(file).metadata();
    assert.equal(width, 256);
    const { channels } = await sharp(file).stats();
    if (output_format === 'jpeg') {
      assert.equal(channels.length, 3);
      const corner = await sharp(file).extract({ left: 0, top: 0, width: 1, height: 1 }).raw().toBuffer();
      assert.deepEqual([...corner], [255, 255, 255]);
    } else assert.deepEqual([channels.length, channels[3]?.min, channels[3]?.max], [4, 0, 255]);
  }
});

test('quality makes a file smaller; without options the file is byte for byte the original', async () => {
  const jobId = await make({});
  const sizeOf = async (query: Record<string, string>) =>
    (await (await get(`${jobId}/image`, query)).arrayBuffer()).byteLength;
  for (const output_format of ['jpeg', 'webp'])
    assert.ok(
      (await sizeOf({ output_format, output_compression: '20' })) < (await sizeOf({ output_format })) / 3,
    );
  const { result } = await world.finished(jobId);
  const { image_url } = result as { image_url: string };
  const own = await (await fetch(image_url)).bytes();
  const plain = await get(`${jobId}/image`, {});
  assert.match(
    plain.headers.get('content-disposition') ?? '',
    /filename="\d{4}-\d\d-\d\d a-red-fox .*\.png"$/,
  );
  assert.equal(plain.headers.get('content-length'), String(own.byteLength));
  assert.ok(Buffer.from(own).equals(await plain.bytes()));
  const again = await get(`${jobId}/image`, { output_format: 'png' });
  assert.ok(Buffer.from(own).equals(await again.bytes()), 'a PNG is that PNG');
  const small = await get(`${jobId}/image`, { w: '256' });
  assert.ok(Buffer.from(await (await fetch(`${image_url}&w=256`)).bytes()).equals(await small.bytes()));
  for (const query of [
    { output_format: 'gif' },
    { output_format: 'png', output_compression: '20' },
    { output_compression: '20' },
    { output_format: 'jpeg', output_compression: '101' },
    { w: '300' },
    { names: '{secret}' },
  ] as Record<string, string>[])
    assert.equal((await get(`${jobId}/image`, query)).status, 422, JSON.stringify(query));
});

test('only its account downloads an image, with a key, in the panel or with the SDK, while it exists', async () => {
  const jobId = await make({});
  const failed = await world.create('/nb2/text-generations', { prompt: '[[fail:no_image]]' });
  await world.finished(failed);
  assert.equal((await get(`${failed}/image`, {})).status, 404);
  assert.equal((await get('x/image', {})).status, 404);
  const other = await world.account('elsewhere', { creditMicros: 1_000_000n });
  const path = `/api/v1/jobs/${jobId}/image?output_format=webp`;
  assert.equal((await fetch(world.url + path, { headers: bearer(other.key) })).status, 404);
  assert.equal((await fetch(world.url + path)).status, 401);
  const browser = await openMember(world, { email: 'downloader@example.com' });
  const shown = await browser.send('GET', `${path}&account=${world.accountId}`);
  assert.deepEqual([shown.status, shown.headers.get('content-type')], [200, 'image/webp']);
  const darkroom = new Darkroom({ baseUrl: world.url, apiKey: world.key });
  const image = await darkroom.downloadImage(await darkroom.getJob(jobId), {
    ...{ output_format: 'jpeg', output_compression: 50, w: 768 },
  });
  const { format, width } = await sharp(await image.bytes()).metadata();
  assert.deepEqual([image.type, format, width], ['image/jpeg', 'jpeg', 768]);
  const alone = darkroom.downloadImage(await darkroom.getJob(jobId), { output_compression: 50 });
  await assert.rejects(alone, { code: 'invalid_request' }, 'a wish is not passed over');
  assert.equal((await world.send('DELETE', `/jobs/${jobId}/image`)).status, 204);
  assert.equal((await get(`${jobId}/image`, { output_format: 'jpeg' })).status, 410);
});

test('HEAD converts nothing, and an image that is not in its store is 410 and alerts an operator', async () => {
  const log = createRecordingLog();
  await using own = await openWorld({ ownRoutes: true, replacements: { log } });
  const jobId = await own.create('/nb2/text-generations', usual);
  await own.finished(jobId);
  await own.app.images.remove(resultKey(jobId, 1));
  const ask = (path: string, method: string) =>
    fetch(`${own.url}/api/v1/jobs/${path}`, { method, headers: bearer(own.key) });
  const path = `${jobId}/image?output_format=jpeg`;
  const head = await ask(path, 'HEAD');
  assert.deepEqual([head.status, head.headers.get('content-type')], [200, 'image/jpeg']);
  const archive = await ask(`images.zip?job_ids=${jobId}&output_format=jpeg`, 'HEAD');
  assert.deepEqual([archive.status, archive.headers.get('content-type')], [200, 'application/zip']);
  assert.equal((await ask(path, 'GET')).status, 410);
  assert.ok(log.lines.some((line) => line.startsWith('image.missing ') && line.includes(jobId)));
});

test('an image whose store fails is 502 in every call, and available again once the store is', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'darkroom-images-'));
  const disk = await openDiskStore(folder.path);
  let read = disk.get;
  await using own = await openWorld({
    ownRoutes: true,
    env: { DARKROOM_SHARING: 'true' },
    replacements: { images: { ...disk, get: (key, range) => read(key, range) } },
  });
  const jobId = await own.create('/nb2/text-generations', usual);
  await own.finished(jobId);
  const { result } = (await own.send('GET', `/jobs/${jobId}`)).body;
  const { image_url } = result as { image_url: string };
  const member = await openMember(own, { email: 'sharer@example.com' });
  const shared = await member.call('POST /api/v1/shares', {
    params: { account_id: own.accountId },
    body: { job_ids: [jobId], with_prompts: false, days: 1 },
  });
  const api = `${own.url}/api/v1/jobs/${jobId}/image`;
  const ask = async (url: string) => {
    const answer = await fetch(url, { headers: url.startsWith(api) ? bearer(own.key) : {} });
    const isProblem = answer.headers.get('content-type') === 'application/problem+json';
    return [
      answer.status,
      isProblem ? ((await answer.json()) as { code: string }).code : await answer.bytes(),
    ];
  };
  const inApi = ['', '?w=256', '?output_format=jpeg'].map((query) => api + query);
  const inPages = ['', '?w=256'].map((query) => `${shared.url}/${jobId}.png${query}`);
  const places = [...inApi, image_url, `${image_url}&w=256`, ...inPages];
  for (const fail of [
    () => Promise.reject(new StoreError('no permission')),
    async () => ({ bytes: 1_000, body: brokenOff() }),
  ]) {
    read = fail;
    for (const place of places) assert.deepEqual(await ask(place), [502, 'storage_unavailable'], place);
  }
  read = disk.get;
  for (const place of places) assert.equal((await ask(place))[0], 200, place);
});

function brokenOff(): Readable {
  return new Readable({
    read() {
      this.destroy(new Error('EIO'));
    },
  });
}

test('an archive that cannot begin in time is 503, and the others are completed', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'darkroom-images-'));
  const disk = await openDiskStore(folder.path);
  let read = disk.get;
  const images = { ...disk, get: (key: string) => read(key) };
  await using own = await openWorld({ ownRoutes: true, replacements: { images } });
  const jobId = await own.create('/nb2/text-generations', usual);
  await own.finished(jobId);
  const stuck = Promise.withResolvers<undefined>();
  read = () => stuck.promise;
  const url = `${own.url}/api/v1/jobs/images.zip?job_ids=${jobId}&output_format=jpeg`;
  const asked = Array.from({ length: 51 }, () => fetch(url, { headers: bearer(own.key) }));
  const first = await Promise.any(asked);
  assert.deepEqual([first.status, ((await first.json()) as { code: string }).code], [503, 'overloaded']);
  stuck.resolve(undefined);
  const types = (await Promise.all(asked)).map(({ headers }) => headers.get('content-type'));
  assert.equal(types.filter((type) => type === 'application/zip').length, 50);
});

test('an archive that has begun waits for its turn', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'darkroom-archive-'));
  const jobIds = [await make({}), await make({})];
  let refusals = 1;
  const asked: string[] = [];
  const open = await zipImages(world.app.database, world.accountId, jobIds, {
    pattern: '{number}',
    typeOf: () => 'image/png',
    async open({ id }) {
      asked.push(id);
      if (id === jobIds[1] && refusals-- > 0) throw new Overloaded();
      return { bytes: 1, body: Readable.from([Buffer.from('x')]) };
    },
  });
  const zip = await buffer(open(AbortSignal.timeout(30_000)));
  const files = await filesOf(new Response(zip), folder.path);
  assert.deepEqual([...files.keys()], ['1.png', '2.png']);
  assert.deepEqual(asked, [jobIds[0], jobIds[1], jobIds[1]]);
});

test('an archive whose client stops reading leaves no file open', async () => {
  const body = Readable.from([Buffer.from('x')]);
  const zip = writeZip([{ name: 'a.png', modifiedAt: 0, open: async () => body }]);
  await zip.next();
  await zip.return(undefined);
  assert.ok(body.destroyed);
});
