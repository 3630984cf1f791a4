import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { after, test } from 'node:test';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { plainPng, TestProvider } from '../world/provider.ts';
import { toNoon } from '../world/to-noon.ts';
import { openWorld, testRoutes, type World } from '../world/world.ts';
import { manifestOf, selfSigned, signedElsewhere } from './support/signing.ts';
import { hasOpenssl, startTimeStamps } from './support/time-stamps.ts';

const iptc = 'http://cv.iptc.org/newscodes/digitalsourcetype/';
const trained = new TestProvider();
trained.capabilities.exact = false;
const replacements = { routes: testRoutes(trained) };
const signing = selfSigned();
const world = await openWorld({ config: { signing, publicVerify: true }, replacements });
await toNoon(world);
after(() => world[Symbol.asyncDispose]());

async function make(at: World, answer?: Buffer) {
  if (answer) trained.handler = async () => ({ bytes: answer });
  const jobId = await at.create('/nb2/text-generations', { prompt: 'a fox' });
  const { result } = await at.finished(jobId);
  trained.handler = async (request) => trained.answer(request);
  const { image_url, thumbnail_url, notes } = result as Record<'image_url' | 'thumbnail_url', string> & {
    notes?: string[];
  };
  return { jobId, notes: String(notes), thumbnailUrl: thumbnail_url, bytes: await read(image_url) };
}

async function read(url: string): Promise<Buffer> {
  const answer = await fetch(url);
  assert.equal(answer.status, 200);
  return Buffer.from(await answer.arrayBuffer());
}

async function upstreamPng(): Promise<Buffer> {
  const body = Buffer.from('tEXtprompt\0a fox', 'latin1');
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(body.length - 4);
  frame.writeUInt32BE(crc32(body), 4);
  const plain = plainPng(1024, 1024);
  const parts = [plain.subarray(0, 33), frame.subarray(0, 4), body, frame.subarray(4), plain.subarray(33)];
  return signedElsewhere(Buffer.concat(parts));
}

test('a result’s signature says what it is, which model made it, and when', async () => {
  const { bytes } = await make(world);
  const found = await manifestOf(bytes);
  assert.deepEqual([found?.state, found?.by, found?.ingredients], ['Valid', 'A studio', []]);
  const [{ action, digitalSourceType, softwareAgent, when } = { action: '' }, ...more] = found?.actions ?? [];
  assert.deepEqual(more, []);
  assert.deepEqual(
    { action, digitalSourceType, softwareAgent },
    {
      action: 'c2pa.created',
      digitalSourceType: `${iptc}trainedAlgorithmicMedia`,
      softwareAgent: { name: 'nb2' },
    },
  );
  assert.equal(when?.slice(0, 10), new Date(world.clock.nowMs()).toISOString().slice(0, 10));
  assert.match(String((await sharp(bytes).metadata()).xmp), /trainedAlgorithmicMedia/);
});

test('every delivered file is signed: copies with the result as their ingredient, results of every format directly', async () => {
  const { jobId, bytes, thumbnailUrl } = await make(world);
  const headers = { authorization: `Bearer ${world.key}` };
  const zip = await fetch(`${world.url}/api/v1/jobs/images.zip?job_ids=${jobId}`, { headers });
  assert.ok(Buffer.from(await zip.arrayBuffer()).includes(bytes));
  const copy = await manifestOf(await read(thumbnailUrl));
  assert.equal(copy?.state, 'Valid');
  assert.deepEqual(
    copy?.actions.map(({ action }) => action),
    ['c2pa.opened', 'c2pa.transcoded'],
  );
  assert.deepEqual(copy?.ingredients, [{ relationship: 'parentOf', by: 'A studio' }]);
  const converted = await fetch(`${world.url}/api/v1/jobs/${jobId}/image?output_format=jpeg`, { headers });
  const found = await manifestOf(Buffer.from(await converted.bytes()));
  assert.deepEqual(
    [found?.state, found?.ingredients],
    ['Valid', [{ relationship: 'parentOf', by: 'A studio' }]],
  );
  for (const output_format of ['jpeg', 'webp']) {
    const answer = await fetch(`${world.url}/v1/images/generations`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'nb2', prompt: 'a fox', output_format, response_format: 'b64_json' }),
    });
    const { data } = (await answer.json()) as { data: { b64_json: string }[] };
    const found = await manifestOf(Buffer.from(String(data[0]?.b64_json), 'base64'));
    assert.deepEqual([found?.state, found?.by], ['Valid', 'A studio']);
    assert.deepEqual(
      found?.actions.map(({ action }) => action),
      ['c2pa.created'],
    );
  }
});

test('/verify recognizes its own signatures, even on copies and deleted images, and distinguishes other and broken ones', async () => {
  const { jobId, bytes, thumbnailUrl } = await make(world);
  const copy = await read(thumbnailUrl);
  const found = await verify(copy);
  assert.deepEqual([found.made_here, found.how, found.model], [true, 'signature', 'nb2']);
  assert.equal(found.marks.c2pa.state, 'valid');
  assert.equal((await verify(bytes)).how, 'hash');
  const changed = Buffer.from(copy);
  changed[changed.length - 40] = 255 - (changed[changed.length - 40] ?? 0);
  const broken = await verify(changed);
  assert.deepEqual([broken.made_here, broken.marks.c2pa.state], [false, 'invalid']);
  const others = await verify(await upstreamPng());
  assert.deepEqual([others.made_here, others.how], [false, null]);
  assert.equal((await world.send('DELETE', `/jobs/${jobId}/image`)).status, 204);
  assert.equal((await verify(bytes)).how, 'signature');
});

async function verify(file: Buffer) {
  const body = new FormData();
  body.set('file', new Blob([new Uint8Array(file)]), 'image');
  return (await fetch(`${world.url}/verify`, { method: 'POST', body })).json() as Promise<{
    made_here: boolean;
    how: string | null;
    model?: string;
    marks: { c2pa: { state: string } };
  }>;
}

test('a valid manifest of the upstream becomes an ingredient, and an invalid one is dropped', async () => {
  const upstream = await upstreamPng();
  const { bytes, notes } = await make(world, upstream);
  const found = await manifestOf(bytes);
  assert.deepEqual([found?.state, found?.by], ['Valid', 'A studio']);
  assert.deepEqual(
    found?.actions.map(({ action }) => action),
    ['c2pa.opened', 'c2pa.edited'],
  );
  assert.deepEqual(found?.ingredients, [{ relationship: 'parentOf', by: 'An upstream' }]);
  assert.ok(!notes.includes('C2PA') && !bytes.includes('tEXt'));
  const broken = Buffer.from(upstream);
  broken.set(Buffer.from('A FOX'), broken.indexOf('a fox'));
  broken.writeUInt32BE(crc32(broken.subarray(...chunkAt(broken, 'tEXt'))), chunkAt(broken, 'tEXt')[1]);
  const other = await make(world, broken);
  assert.deepEqual((await manifestOf(other.bytes))?.ingredients, []);
  assert.match(other.notes, /C2PA/);
});

function chunkAt(png: Buffer, type: string): [number, number] {
  const start = png.indexOf(type);
  return [start, start + 4 + png.readUInt32BE(start - 4)];
}

test('without a certificate, no invalid manifest is delivered', async () => {
  const upstream = await upstreamPng();
  assert.equal((await manifestOf(upstream))?.state, 'Valid');
  await using plain = await openWorld({ replacements });
  const { bytes, notes } = await make(plain, upstream);
  assert.equal(await manifestOf(bytes), undefined);
  assert.match(notes, /C2PA/);
  const marking = { keepSigned: true, aigcProducer: null };
  await using keeping = await openWorld({ config: { marking }, replacements });
  const kept = await make(keeping, upstream);
  assert.deepEqual(kept.bytes, upstream);
  // Copies cannot keep that manifest, and say the same in XMP.
  for (const copy of [await read(kept.thumbnailUrl), await previewOf(keeping, kept.jobId)]) {
    assert.equal(await manifestOf(copy), undefined);
    assert.match(String((await sharp(copy).metadata()).xmp), /trainedAlgorithmicMedia/);
  }
});

async function previewOf({ url, key }: World, jobId: string): Promise<Buffer> {
  const answer = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'get_job', arguments: { job_id: jobId } },
    }),
  });
  const [, data = ''] = /"data":\s*"([^"]{100,})"/.exec(await answer.text()) ?? [];
  return Buffer.from(data, 'base64');
}

test('once its certificate has expired, an installation continues without signing', async () => {
  await using own = await openWorld({ config: { signing: selfSigned('A studio', 1) }, replacements });
  assert.equal((await manifestOf((await make(own)).bytes))?.state, 'Valid');
  await own.jump(2 * 24 * 60 * 60 * 1000);
  const { bytes } = await make(own);
  assert.equal(await manifestOf(bytes), undefined);
  assert.match(String((await sharp(bytes).metadata()).xmp), /trainedAlgorithmicMedia/);
});

test('nothing is signed with a certificate that readers would refuse', async () => {
  // Replaces C2PA's purpose by another of the same length.
  const { certificates, ...rest } = selfSigned();
  const der = new X509Certificate(certificates).raw;
  const purposes = Buffer.from('2b06010505070304', 'hex');
  der.writeUInt8(9, der.indexOf(purposes) + 7);
  const altered = `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----`;
  await using own = await openWorld({
    config: { signing: { certificates: altered, ...rest } },
    replacements,
  });
  assert.equal(await manifestOf((await make(own)).bytes), undefined);
});

const skip = !hasOpenssl() && 'openssl is not installed';

test('an authority stamps when each file was signed; while it does not answer, files are delivered unsigned', {
  skip,
}, async () => {
  await using authority = await startTimeStamps();
  await using own = await openWorld({
    config: { signing: { ...signing, timeStampUrl: authority.url } },
    replacements,
  });
  const today = () => new Date().toISOString().slice(0, 10);
  const began = today();
  const { bytes, thumbnailUrl } = await make(own);
  for (const file of [bytes, await read(thumbnailUrl)]) {
    const found = await manifestOf(file);
    assert.equal(found?.state, 'Valid');
    assert.ok([began, today()].includes(found?.stampedAt?.slice(0, 10) ?? ''), found?.stampedAt);
  }
  assert.ok(authority.asked >= 2);
  authority.isDown = true;
  assert.equal(await manifestOf((await make(own)).bytes), undefined);
});
