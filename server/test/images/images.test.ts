import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, test } from 'node:test';
import sharp from 'sharp';
import { Overloaded } from '../../src/base/std/overloaded.ts';
import { openDiskStore } from '../../src/images/disk/disk-store.ts';
import { type ImageStore, StoreUnavailable } from '../../src/images/image-store.ts';
import { objectsOf, resultKey } from '../../src/images/object-keys.ts';
import { openRenditions } from '../../src/images/renditions/renditions.ts';
import { sweepRemovals } from '../../src/jobs/upkeep/sweep-removals.ts';
import { verifyImages } from '../../src/jobs/upkeep/verify/verify-images.ts';
import { eventually } from '../http/support/requests.ts';
import { expire, stepAtOnce } from '../world/expire.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld } from '../world/world.ts';

const folder = await mkdtemp(join(tmpdir(), 'darkroom-renditions-'));
const disk = await openDiskStore(folder);
const puts: string[] = [];
let failsToRemove = false;
let gate = Promise.resolve();
let arrivedAtGate = 0;
const images: ImageStore = {
  ...disk,
  async put(key, body, info) {
    if (key.endsWith('.webp')) {
      arrivedAtGate += 1;
      await gate;
    }
    await disk.put(key, body, info);
    puts.push(key);
  },
  async remove(key) {
    if (failsToRemove) throw new StoreUnavailable('the store is away');
    await disk.remove(key);
  },
};
const world = await openWorld({ replacements: { images } });
world.provider.handler = async ({ width, height }) => ({ bytes: await sunset(width, height) });
after(async () => {
  await world[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

function sunset(width: number, height: number): Promise<Buffer> {
  const sea = {
    create: { width, height: Math.round(height / 3), channels: 3, background: '#ff8c1a' },
  } as const;
  return sharp({ create: { width, height, channels: 3, background: '#2060e0' } })
    .composite([{ input: sea, gravity: 'south' }])
    .png()
    .toBuffer();
}

interface Result {
  image_url: string;
  thumbnail_url: string;
  thumbhash: string | null;
}

async function readResult(jobId: string): Promise<Result> {
  return (await world.finished(jobId)).result as unknown as Result; // a done job has a result
}

async function rendered(jobId: string): Promise<Result> {
  const { image_url: link, thumbnail_url: smallest } = await readResult(jobId);
  for (const url of [smallest, `${link}&w=768`]) assert.equal((await fetch(url)).status, 200);
  return readResult(jobId);
}

const keysOf = async (jobId: string) => {
  const objects = await Array.fromAsync(disk.list(objectsOf('results', jobId)));
  return objects.map(({ key }) => key.slice(objectsOf('results', jobId).length)).sort();
};

test('a job is done before its renditions: the smallest is made without a request, the others on request', async () => {
  await using own = await openWorld({ env: { DARKROOM_RENDITIONS: 'ahead' }, replacements: { images } });
  own.provider.handler = world.provider.handler;
  const held = Promise.withResolvers<void>();
  gate = held.promise;
  const jobId = await own.create('/nb2/text-generations', { aspect_ratio: '16:9' });
  const { status, result } = await own.finished(jobId);
  assert.equal(status, 'done');
  assert.equal((result as unknown as Result).thumbhash, null);
  assert.deepEqual(await keysOf(jobId), ['1.png']);
  held.resolve();
  const { thumbhash } = await eventually(
    async () => (await own.finished(jobId)).result as unknown as Result,
    (made) => made.thumbhash !== null,
  );
  assert.match(thumbhash ?? '', /^[A-Za-z0-9+/]{20,34}=*$/);
  assert.deepEqual(await keysOf(jobId), ['1-256.webp', '1.png'], 'the smallest alone');
  const resultOf = async () => (await own.finished(jobId)).result as unknown as Result;
  assert.equal((await fetch(`${(await resultOf()).image_url}&w=768`)).status, 200);
  assert.deepEqual(await keysOf(jobId), ['1-1600.webp', '1-256.webp', '1-768.webp', '1.png']);
  assert.equal((await resultOf()).thumbhash, thumbhash);
  const row = await own.app.database.read
    .selectFrom('jobs')
    .select('colours')
    .where('id', '=', jobId)
    .executeTakeFirst();
  assert.equal(row?.colours, 'blue orange');
  const listed = async (colour: string) => {
    const { body } = await own.send('GET', `/jobs?colour=${colour}`);
    return (body.data as { job_id: string }[]).some(({ job_id }) => job_id === jobId);
  };
  assert.deepEqual([await listed('orange'), await listed('red')], [true, false]);
});

test('a link returns the image at three widths as WebP, in its own ratio and never larger', async () => {
  const jobId = await world.create('/nb2/text-generations', { aspect_ratio: '16:9' });
  const { image_url: link, thumbnail_url: thumbnail } = await rendered(jobId);
  assert.equal(thumbnail, `${link}&w=256`);
  for (const [w, width, height] of [
    [256, 256, 143],
    [768, 768, 429],
    [1600, 1376, 768],
  ] as const) {
    const reply = await fetch(`${link}&w=${w}`);
    const bytes = Buffer.from(await reply.arrayBuffer());
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('content-type'), 'image/webp');
    assert.equal(Number(reply.headers.get('content-length')), bytes.length);
    assert.match(reply.headers.get('content-disposition') ?? '', new RegExp(`${jobId}-${w}\\.webp`));
    assert.match(reply.headers.get('cache-control') ?? '', /^private, max-age=\d{5}, immutable$/);
    const found = await sharp(bytes).metadata();
    assert.deepEqual([found.format, found.width, found.height], ['webp', width, height]);
    const etag = reply.headers.get('etag') ?? '';
    const again = await fetch(`${link}&w=${w}`, { headers: { 'if-none-match': etag } });
    assert.equal(again.status, 304);
    assert.equal((await fetch(link, { headers: { 'if-none-match': etag } })).status, 200);
    const head = await fetch(`${link}&w=${w}`, { method: 'HEAD', headers: { range: 'bytes=0-1' } });
    assert.equal(head.status, 200);
  }
});

test('any other width is 422, and a width that is not the last parameter is 403', async () => {
  const { image_url: link } = await readResult(await world.create());
  for (const w of ['', '0', '255', '256.0', '1e3', '0256', '4096', 'w']) {
    const reply = await fetch(`${link}&w=${w}`);
    assert.equal(reply.status, 422, w);
    const { code, errors } = (await reply.json()) as { code: string; errors: { pointer: string }[] };
    assert.deepEqual([code, errors[0]?.pointer], ['invalid_request', '/query/w']);
  }
  for (const bad of [link.replace('?', '?w=256&'), `${link}&w=256&w=768`, `${link}&w=256&x=1`])
    assert.equal((await fetch(bad)).status, 403, bad);
});

test('renditions lost in a crash are made once, for however many concurrent requests', async () => {
  const jobId = await world.create();
  const { image_url: link } = await rendered(jobId);
  for (const { key } of await Array.fromAsync(disk.list(objectsOf('results', jobId))))
    if (key.endsWith('.webp')) await disk.remove(key);
  puts.length = 0;
  const widths = [256, 768, 1600];
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, index) => fetch(`${link}&w=${widths[index % 3]}`)),
  );
  for (const reply of replies) {
    assert.equal(reply.status, 200);
    assert.equal((await reply.arrayBuffer()).byteLength, Number(reply.headers.get('content-length')));
  }
  assert.deepEqual(puts.filter((key) => key.includes(jobId)).sort(), [
    `${objectsOf('results', jobId)}1-1600.webp`,
    `${objectsOf('results', jobId)}1-256.webp`,
    `${objectsOf('results', jobId)}1-768.webp`,
  ]);
});

test('for a lost or damaged image, only the renditions fail, with 410 or 500, and the job stays', async () => {
  const jobId = await world.create();
  const { image_url: link } = await rendered(jobId);
  for (const { key } of await Array.fromAsync(disk.list(objectsOf('results', jobId)))) await disk.remove(key);
  assert.equal((await fetch(`${link}&w=256`)).status, 410);
  const noise = Buffer.from('no image');
  await disk.put(resultKey(jobId, 1), noise, { mediaType: 'image/png', bytes: noise.length });
  assert.equal((await fetch(`${link}&w=256`)).status, 500);
  assert.equal((await world.finished(jobId)).status, 'done');
});

test('a request that waits too long for a rendition is asked to retry, not refused for good', async () => {
  const stuck: ImageStore = {
    ...disk,
    get: async (key) => (key.endsWith('.webp') ? undefined : { body: new PassThrough(), bytes: 1 }),
  };
  const { database } = world.app;
  await using renditions = openRenditions({
    ...{ database, images: stuck, signer: null, tempDir: folder, log: silentLog },
    ...{ ahead: false, limitMs: 50 },
  });
  const jobId = await world.create();
  await assert.rejects(renditions.makeNow({ jobId, key: resultKey(jobId, 1) }, 256), Overloaded);
});

test('conversions leave a slot for galleries, take turns by account, and end when their client leaves', async () => {
  const bodies = new Map<string, PassThrough>();
  const stuck: ImageStore = {
    ...disk,
    async get(key) {
      const body = new PassThrough();
      bodies.set(key, body);
      return { body, bytes: 1 };
    },
  };
  const { database } = world.app;
  await using renditions = openRenditions({
    ...{ database, images: stuck, signer: null, tempDir: folder, log: silentLog, ahead: false },
  });
  const [first, others] = [new AbortController(), new AbortController()];
  const convert = (accountId: string, key: string, { signal } = others) =>
    renditions.convert({ accountId, key }, { format: 'jpeg', compression: 100, width: null }, signal);
  const begun = (count: number) =>
    eventually(
      async () => [...bodies.keys()].filter((key) => !key.endsWith('.webp')),
      (keys) => keys.length === count,
    );
  const asked = [convert('one', 'a', first), convert('one', 'b'), convert('two', 'c')];
  const ends = Promise.allSettled(asked);
  await begun(1);
  assert.equal(await renditions.makeNow({ jobId: 'x', key: 'x-1.png' }, 256), true);
  assert.deepEqual(await begun(1), ['a']);
  first.abort();
  assert.deepEqual(await begun(2), ['a', 'c']);
  const many = Promise.allSettled(Array.from({ length: 51 }, () => convert('three', 'd')));
  others.abort();
  assert.ok((await ends).every(({ status }) => status === 'rejected'));
  const refused = (await many).map((end) => end.status === 'rejected' && end.reason instanceof Overloaded);
  assert.deepEqual(refused.lastIndexOf(false), 49, 'the account has 50 that wait');
  assert.equal(refused[50], true);
  for (const key of ['a', 'c']) assert.ok(bodies.get(key)?.destroyed, `${key} is read no more`);
});

test('a damaged image from an upstream is made again, and nothing of it stays', async () => {
  await using own = await openWorld({ replacements: { images } });
  own.provider.capabilities.exact = false;
  own.provider.handler = async ({ width, height }, { attempt }) => {
    const bytes = await sunset(width, height);
    return { bytes: attempt === 1 ? bytes.fill(0, 200, 300) : bytes };
  };
  puts.length = 0;
  const jobId = await own.create();
  assert.equal((await own.finished(jobId)).status, 'done');
  assert.deepEqual(
    puts.filter((key) => key.endsWith('.png')),
    [resultKey(jobId, 1), resultKey(jobId, 2)],
  );
  assert.ok(!(await keysOf(jobId)).includes('1.png'));
});

test('renditions are removed with their job when its retention is over', async () => {
  const jobId = await world.create();
  await rendered(jobId);
  await expire(world.app, -1_000); // all jobs that end until a second from now
  assert.deepEqual(await keysOf(jobId), []);
});

const sweeping = () => ({ ...world.app, step: stepAtOnce(world.app.database) });
const remove = (jobId: string, headers = {}) => world.send('DELETE', `/jobs/${jobId}/image`, { headers });

async function assertGone(link: string) {
  const reply = await fetch(link);
  assert.equal(reply.status, 410, link);
  assert.equal(((await reply.json()) as { code: string }).code, 'image_gone');
}

test('deleting an image keeps the job and its money, but nothing of image, prompt and inputs', async () => {
  const { image_url: input } = await readResult(await world.create());
  const prompt = 'a secret garden';
  const jobId = await world.create('/nb2/url-generations', { prompt, input_images_urls: [input] });
  const { image_url: link, thumbnail_url: thumbnail } = await rendered(jobId);
  const { body: before } = await world.send('GET', `/jobs/${jobId}`);
  const [kept = ''] = before.input_images_urls as string[];
  const balance = await world.balance();

  assert.equal((await remove(jobId)).status, 204);
  assert.equal((await remove(jobId)).status, 204, 'once more changes nothing');
  for (const gone of [link, thumbnail, `${link}&w=1600`, kept]) await assertGone(gone);
  for (const kind of ['results', 'inputs'] as const)
    assert.deepEqual(await Array.fromAsync(disk.list(objectsOf(kind, jobId))), []);

  const { body: after } = await world.send('GET', `/jobs/${jobId}`);
  const { width, height, bytes, media_type, image_deleted_at } = after.result as Record<string, unknown>;
  const rest = { width, height, bytes, media_type, thumbhash: null, image_deleted_at };
  assert.match(String(image_deleted_at), /^\d{4}-.+Z$/);
  assert.deepEqual(after, { ...before, result: rest, prompt: '', input_images_urls: [] });
  assert.deepEqual(await world.balance(), balance);
  const row = await world.app.database.read
    .selectFrom('jobs')
    .selectAll()
    .where('id', '=', jobId)
    .executeTakeFirstOrThrow();
  assert.doesNotMatch(Object.values(row).join(), /secret garden/);
  const { body: events } = await world.send('GET', '/events?limit=100');
  const [event] = (events.data as { data: Record<string, unknown> }[]).filter(
    ({ data }) => data.job_id === jobId,
  );
  assert.deepEqual(event?.data, after, 'replays of webhooks send what a poll gives');
  assert.deepEqual((await verifyImages(world.app)).violations, []);
  const entry = await world.app.database.read
    .selectFrom('audit_log')
    .selectAll()
    .where('subject', '=', jobId)
    .execute();
  assert.deepEqual(
    entry.map(({ action }) => action),
    ['image.deleted'],
    'once',
  );
});

test('an image is deleted only by its own account, and only once its job has ended', async () => {
  const jobId = await world.create();
  await rendered(jobId);
  const stranger = await world.account('stranger');
  const refused = [
    await remove(jobId, { authorization: `Bearer ${stranger.key}` }),
    await remove('0197f8a0-0000-7000-8000-000000000000'),
    await remove('no-id'),
  ];
  for (const { status, body } of refused) assert.deepEqual([status, body.code], [404, 'not_found']);
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const { handler } = world.provider;
  world.provider.handler = async (request, context) => {
    begun.resolve();
    await held.promise;
    return handler(request, context);
  };
  const running = await world.create();
  await begun.promise;
  const { status, body } = await remove(running);
  assert.deepEqual([status, body.code], [409, 'job_not_finished']);
  await world.send('POST', `/jobs/${running}/cancel`);
  held.resolve();
  world.provider.handler = handler;
  assert.equal((await remove(running)).status, 204, 'the prompt of a job that failed can go as well');
  assert.equal((await world.send('GET', `/jobs/${running}`)).body.prompt, '');
  assert.equal((await readResult(jobId)).image_url.length > 0, true);
});

test('maintenance removes what a crash left of a deleted image', async () => {
  const jobId = await world.create();
  const { image_url: link } = await rendered(jobId);
  failsToRemove = true;
  assert.equal((await remove(jobId)).status, 204);
  await assertGone(link);
  assert.equal((await keysOf(jobId)).length, 4);
  failsToRemove = false;
  await sweepRemovals(sweeping());
  assert.equal((await keysOf(jobId)).length, 4, 'renditions may be under way');
  await world.elapse(11 * 60_000);
  await sweepRemovals(sweeping());
  assert.deepEqual(await keysOf(jobId), []);
  const { read } = world.app.database;
  assert.deepEqual(await read.selectFrom('image_removals').selectAll().execute(), []);
});

test('an image that an attempt stored before its worker died is deleted with the job’s image', async () => {
  const { handler } = world.provider;
  world.provider.handler = async ({ jobId, width, height }) => {
    world.provider.handler = handler;
    const png = await sunset(width, height);
    await disk.put(resultKey(jobId, 1), png, { mediaType: 'image/png', bytes: png.byteLength });
    throw new Error('as if the worker had been killed');
  };
  const jobId = await world.create();
  await readResult(jobId);
  assert.deepEqual(await keysOf(jobId), ['1.png', '2.png']);
  assert.equal((await remove(jobId)).status, 204);
  assert.deepEqual(await keysOf(jobId), []);
});

test('renditions that are made while their image is deleted are removed as well', async () => {
  const held = Promise.withResolvers<void>();
  gate = held.promise;
  const jobId = await world.create();
  const { image_url: link } = await readResult(jobId);
  arrivedAtGate = 0;
  const asked = fetch(`${link}&w=256`);
  await eventually(
    async () => arrivedAtGate,
    (count) => count > 0,
  );
  assert.deepEqual(await keysOf(jobId), ['1.png']);
  assert.equal((await remove(jobId)).status, 204);
  held.resolve();
  assert.equal((await asked).status, 410);
  assert.deepEqual(await keysOf(jobId), []);
});
