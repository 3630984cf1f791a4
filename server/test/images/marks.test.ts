import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { sampleImage } from '../emulators/sample-image.ts';
import { plainPng, TestProvider } from '../world/provider.ts';
import { toNoon } from '../world/to-noon.ts';
import { openWorld, testRoutes, type World } from '../world/world.ts';

const iptc = 'http://cv.iptc.org/newscodes/digitalsourcetype/';
const trained = new TestProvider();
trained.capabilities.exact = false;
const replacements = { routes: testRoutes(trained) };
const world = await openWorld({ replacements });
await toNoon(world);
after(() => world[Symbol.asyncDispose]());

const prompt = 'a fox that nobody else may know of';

async function make(at: World, path = '/nb2/text-generations', body: object = {}) {
  const jobId = await at.create(path, { prompt, ...body });
  const { result } = await at.finished(jobId);
  const { image_url, thumbnail_url, notes } = result as Record<'image_url' | 'thumbnail_url', string> & {
    notes?: string[];
  };
  return { jobId, notes, url: image_url, thumbnailUrl: thumbnail_url, bytes: await read(image_url) };
}

async function read(url: string): Promise<Buffer> {
  const answer = await fetch(url);
  assert.equal(answer.status, 200);
  return Buffer.from(await answer.arrayBuffer());
}

async function xmpIn(bytes: Uint8Array): Promise<string> {
  return String((await sharp(bytes).metadata()).xmp);
}

function withChunk(png: Buffer, type: string, data: string): Buffer {
  const body = Buffer.from(type + data, 'latin1');
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([
    png.subarray(0, 33),
    frame.subarray(0, 4),
    body,
    frame.subarray(4),
    png.subarray(33),
  ]);
}

const asSigned = (width: number, height: number) =>
  withChunk(withChunk(plainPng(width, height), 'tEXt', `prompt\0${prompt}`), 'caBX', 'jumbjumdc2pa');

test('a result says that a trained model made it, when and for which job, but nothing about prompt and account', async () => {
  const { jobId, bytes } = await make(world);
  const xmp = await xmpIn(bytes);
  assert.match(xmp, new RegExp(`DigitalSourceType[^>]*>${iptc}trainedAlgorithmicMedia<`));
  assert.match(
    xmp,
    new RegExp(`CreateDate[^>]*>${new Date(world.clock.nowMs()).toISOString().slice(0, 10)}T`),
  );
  assert.match(xmp, />Darkroom</);
  assert.match(xmp, new RegExp(`identifier[^>]*>${jobId}<`));
  assert.ok(!bytes.includes(prompt) && !bytes.includes(world.accountId));
});

test('an image made from inputs says so, and one drawn by a program says that', async () => {
  const { url } = await make(world);
  const changed = await make(world, '/nb2/url-generations', { input_images_urls: [url] });
  assert.match(await xmpIn(changed.bytes), new RegExp(`>${iptc}compositeWithTrainedAlgorithmicMedia<`));
  await using drawn = await openWorld();
  assert.match(await xmpIn((await make(drawn)).bytes), new RegExp(`>${iptc}algorithmicMedia<`));
});

test('the mark is in all delivered files: renditions, other APIs’ JPEG and WebP, and archives', async () => {
  const { jobId, bytes, thumbnailUrl } = await make(world);
  const mark = await xmpIn(bytes);
  assert.equal(await xmpIn(await read(thumbnailUrl)), mark);
  const headers = { authorization: `Bearer ${world.key}` };
  const zip = await fetch(`${world.url}/api/v1/jobs/images.zip?job_ids=${jobId}`, { headers });
  assert.ok(Buffer.from(await zip.arrayBuffer()).includes(mark));
  for (const output_format of ['png', 'jpeg', 'webp']) {
    const answer = await fetch(`${world.url}/v1/images/generations`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'nb2', prompt, output_format, response_format: 'b64_json' }),
    });
    const { data } = (await answer.json()) as { data: { b64_json: string }[] };
    const file = Buffer.from(String(data[0]?.b64_json), 'base64');
    assert.equal((await sharp(file).metadata()).format, output_format);
    assert.match(await xmpIn(file), new RegExp(`>${iptc}trainedAlgorithmicMedia<`), output_format);
  }
});

test('a scaled or converted image is marked like one of the right size', async () => {
  const large = await sampleImage({ width: 2048, height: 2048, format: 'jpeg' });
  trained.handler = async () => ({ bytes: large });
  const { bytes, notes } = await make(world);
  trained.handler = async (request) => trained.answer(request);
  assert.match(String(notes), /Scaled/);
  assert.match(await xmpIn(bytes), new RegExp(`>${iptc}trainedAlgorithmicMedia<`));
});

test('a statement signed by the upstream is removed when the image’s bytes change, and the job says so', async () => {
  trained.handler = async ({ width, height }) => ({ bytes: asSigned(width, height) });
  const { bytes, notes } = await make(world);
  trained.handler = async (request) => trained.answer(request);
  assert.ok(!bytes.includes('jumdc2pa') && !bytes.includes(prompt));
  assert.match(await xmpIn(bytes), new RegExp(`>${iptc}trainedAlgorithmicMedia<`));
  assert.match(String(notes), /C2PA/);
});

test('an installation can keep signed images byte for byte, and add the label of GB 45438', async () => {
  const config = { marking: { keepSigned: true, aigcProducer: '001191110000AB&<' } };
  await using own = await openWorld({ config, replacements });
  trained.handler = async ({ width, height }) => ({ bytes: asSigned(width, height) });
  const { bytes, notes } = await make(own);
  trained.handler = async (request) => trained.answer(request);
  assert.deepEqual(bytes, asSigned(1024, 1024));
  assert.deepEqual(notes ?? [], []);
  const { jobId, bytes: plain } = await make(own);
  const label = /<TC260:AIGC [^>]*>([^<]*)</.exec(await xmpIn(plain))?.[1] ?? '';
  const { Label, ContentProducer, ProduceID } = JSON.parse(
    label.replaceAll('&lt;', '<').replaceAll('&amp;', '&'),
  ) as Record<string, string>;
  assert.deepEqual([Label, ContentProducer, ProduceID], ['1', '001191110000AB&<', jobId]);
});

test('exiftool reads the mark', { skip: !hasExiftool() && 'exiftool is not installed' }, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'darkroom-marks-'));
  const { bytes, thumbnailUrl } = await make(world);
  for (const [name, file] of [
    ['result.png', bytes],
    ['small.webp', await read(thumbnailUrl)],
  ] as const) {
    const path = join(folder.path, name);
    await writeFile(path, file);
    const said = execFileSync('exiftool', ['-s3', '-XMP:DigitalSourceType', path], { encoding: 'utf8' });
    assert.equal(said.trim(), `${iptc}trainedAlgorithmicMedia`);
  }
});

function hasExiftool(): boolean {
  try {
    execFileSync('exiftool', ['-ver']);
    return true;
  } catch {
    return false;
  }
}
