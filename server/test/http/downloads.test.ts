import assert from 'node:assert/strict';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { newId } from '../../src/base/std/ids.ts';
import { openDiskStore } from '../../src/images/disk/disk-store.ts';
import { createLinkSigner, inputName } from '../../src/images/image-links.ts';
import { type ImageStore, StoreError } from '../../src/images/image-store.ts';
import { objectsOf } from '../../src/images/object-keys.ts';
import { pngSize } from '../../src/images/png.ts';
import { verifyImages } from '../../src/jobs/upkeep/verify/verify-images.ts';
import { openSecrets } from '../../src/start/judge-secret.ts';
import { expire } from '../world/expire.ts';
import { openWorld } from '../world/world.ts';
import { openRawClient, rawRequest } from './support/raw-client.ts';
import { createRecordingLog } from './support/recording-log.ts';
import { assertProblem } from './support/refusal.ts';

const log = createRecordingLog();
const world = await openWorld({ replacements: { log } });
after(() => world[Symbol.asyncDispose]());

const hour = 60 * 60 * 1_000;

async function makeImage(): Promise<{ jobId: string; link: string }> {
  const jobId = await world.create();
  return { jobId, link: await linkOf(jobId) };
}

async function linkOf(jobId: string): Promise<string> {
  const { result } = await world.finished(jobId);
  return (result as { image_url: string }).image_url; // by the schema of a finished job
}

async function request(link: string, method = 'GET') {
  const response = await fetch(link, { method });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes };
}

async function assertForbidden(link: string) {
  const { status, headers, bytes } = await request(link);
  assertProblem({ status, headers, body: JSON.parse(bytes.toString()) }, 403, 'link_invalid');
}

async function fileOf(jobId: string): Promise<string> {
  const { image_key } = await world.app.database.read
    .selectFrom('jobs')
    .select('image_key')
    .where('id', '=', jobId)
    .executeTakeFirstOrThrow();
  return join(world.config.dataDir, 'images', image_key ?? '');
}

test('a fresh link gives the image, needs no key and says how to treat it', async () => {
  const { jobId, link } = await makeImage();
  const { status, headers, bytes } = await request(link);
  assert.equal(status, 200);
  assert.deepEqual(pngSize(bytes), { width: 1024, height: 1024 });
  assert.equal(headers.get('content-type'), 'image/png');
  assert.equal(Number(headers.get('content-length')), bytes.length);
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
  const { body } = await world.send('GET', `/jobs/${jobId}`);
  assert.equal((body.result as { bytes: number }).bytes, bytes.length);
  const etag = headers.get('etag') ?? '';
  const again = await fetch(link, { headers: { 'if-none-match': etag } });
  assert.equal(again.status, 304);
});

test('If-None-Match takes a star, weak tags and lists', async () => {
  const { link } = await makeImage();
  const etag = (await request(link)).headers.get('etag') ?? '';
  const statusOf = async (tags: string) => (await fetch(link, { headers: { 'if-none-match': tags } })).status;
  for (const tags of ['*', `W/${etag}`, `"other", ${etag}`, `W/"other" ,W/${etag}`, ` ${etag} `])
    assert.equal(await statusOf(tags), 304, tags);
  for (const tags of ['"other"', etag.replaceAll('"', ''), 'W/*', ', ,'])
    assert.equal(await statusOf(tags), 200, tags);
});

test('a range of an image is 206 with its bytes, one beyond the end is 416, and anything but a single range is ignored', async () => {
  const { link } = await makeImage();
  const { bytes, headers } = await request(link);
  const etag = headers.get('etag') ?? '';
  assert.equal(headers.get('accept-ranges'), 'bytes');
  const size = bytes.length;
  const ask = async (range: string, more: Record<string, string> = {}, method = 'GET') => {
    const reply = await fetch(link, { method, headers: { range, ...more } });
    return {
      ...reply,
      status: reply.status,
      headers: reply.headers,
      bytes: Buffer.from(await reply.arrayBuffer()),
    };
  };
  for (const [range, first, last] of [
    ['bytes=0-0', 0, 0],
    ['bytes=100-199', 100, 199],
    ['bytes=100-', 100, size - 1],
    [`bytes=100-${size * 2}`, 100, size - 1],
    ['bytes=-7', size - 7, size - 1],
    [`bytes=-${size * 2}`, 0, size - 1],
  ] as const) {
    const part = await ask(range);
    assert.equal(part.status, 206, range);
    assert.equal(part.headers.get('content-range'), `bytes ${first}-${last}/${size}`);
    assert.equal(Number(part.headers.get('content-length')), last - first + 1);
    assert.equal(part.headers.get('etag'), etag);
    assert.ok(part.bytes.equals(bytes.subarray(first, last + 1)), range);
  }
  for (const range of [`bytes=${size}-`, 'bytes=-0', 'bytes=99999999999-']) {
    const refused = await ask(range);
    const { status } = refused;
    assertProblem(
      { status, headers: refused.headers, body: JSON.parse(String(refused.bytes)) },
      416,
      'range_not_satisfiable',
    );
    assert.equal(refused.headers.get('content-range'), `bytes */${size}`);
  }
  for (const range of ['bytes=0-1,5-6', 'bytes=9-1', 'bytes=-', 'bytes=a-b', 'lines=0-1', '0-1'])
    assert.equal((await ask(range)).bytes.length, size, range);
  assert.equal((await ask('bytes=0-1', { 'if-range': etag })).status, 206);
  assert.equal((await ask('bytes=0-1', { 'if-range': '"other"' })).status, 200);
  assert.equal((await ask('bytes=0-1', { 'if-none-match': etag })).status, 304);
  assert.equal((await ask('bytes=0-1', {}, 'HEAD')).status, 200);
});

test('H6: a link with anything changed is 403', async () => {
  const { link } = await makeImage();
  const other = new URL((await makeImage()).link);
  const url = new URL(link);
  const changed = (name: string, change: (value: string) => string | undefined) => {
    const copy = new URL(link);
    const value = change(url.searchParams.get(name) ?? '');
    if (value === undefined) copy.searchParams.delete(name);
    else copy.searchParams.set(name, value);
    return copy.href;
  };
  const flip = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1);
  await assertForbidden(changed('signature', flip));
  await assertForbidden(changed('signature', (text) => text.slice(0, -1)));
  await assertForbidden(changed('signature', () => undefined));
  await assertForbidden(changed('signature', () => ''));
  await assertForbidden(changed('expires', (text) => String(Number(text) + 1)));
  await assertForbidden(changed('expires', () => undefined));
  await assertForbidden(changed('key', () => 'deadbeef'));
  await assertForbidden(changed('key', () => undefined));
  await assertForbidden(`${url.origin}${other.pathname}${url.search}`);
  await assertForbidden(`${url.origin}${url.pathname}${other.search}`);
  await assertForbidden(url.origin + url.pathname);
  await assertForbidden(`${link}&download=1`);
  assert.equal((await request(link)).status, 200);
});

test('H7: an expiry that is not a single number of seconds is 403', async () => {
  const { link } = await makeImage();
  const expires = new URL(link).searchParams.get('expires');
  for (const value of ['1e99', '-1', '0x10', '', 'NaN', `${expires}.0`, `+${expires}`, `0${expires}`])
    await assertForbidden(link.replace(`expires=${expires}`, `expires=${value}`));
  await assertForbidden(`${link}&expires=${expires}`);
  await assertForbidden(link.replace(`expires=${expires}`, `expires=${expires}&expires=9999999999`));
});

test('H8: no path leads out of the images', async () => {
  const { link } = await makeImage();
  const { search } = new URL(link);
  for (const path of [
    '/images/../../etc/passwd',
    '/images/%2e%2e/%2e%2e/etc/passwd',
    '/images/..%2f..%2fetc%2fpasswd',
    '/images/..\\..\\etc\\passwd',
    '/images/%00.png',
    '/images/0197f8a0-0000-7000-8000-000000000000.png%00',
    '/images/',
    '/images//etc/passwd',
    '/images/%ff%fe.png',
    `/images/${'a'.repeat(5_000)}.png`,
  ]) {
    using client = await openRawClient(world.url);
    client.write(rawRequest('GET', path + search));
    const reply = await client.next();
    assert.ok(reply && [400, 403, 404].includes(reply.status), `${path.slice(0, 50)}: ${reply?.status}`);
    assert.ok(!reply.body.includes('root:'));
  }
});

test('H8: a symbolic link in the store is not followed', async () => {
  const { jobId, link } = await makeImage();
  const file = await fileOf(jobId);
  const secret = join(world.config.dataDir, 'secret.txt');
  await writeFile(secret, 'nobody may read this');
  await rm(file);
  await symlink(secret, file);
  const { status, bytes } = await request(link);
  assert.equal(status, 410);
  assert.ok(!bytes.includes('nobody may read this'));
});

test('H11: a missing image is 410, raises an alarm, and fails the installation’s check', async () => {
  const { jobId, link } = await makeImage();
  const before = (await verifyImages(world.app)).violations.length;
  const etag = (await request(link)).headers.get('etag') ?? '';
  await rm(await fileOf(jobId));
  const { status, headers, bytes } = await request(link);
  assertProblem({ status, headers, body: JSON.parse(bytes.toString()) }, 410, 'image_gone');
  assert.equal(headers.get('etag'), null);
  assert.ok(log.lines.some((line) => line.startsWith('image.missing ') && line.includes(jobId)));
  assert.equal((await request(link, 'HEAD')).status, 410);
  assert.equal((await fetch(link, { headers: { 'if-none-match': etag } })).status, 410);
  const { violations } = await verifyImages(world.app);
  assert.equal(violations.length, before + 1);
  assert.ok(violations.some(({ invariant, detail }) => invariant === 'I9' && detail.includes(jobId)));
});

test('H12: HEAD has no body, OPTIONS allows other origins, anything else is 405', async () => {
  const { link } = await makeImage();
  const head = await request(link, 'HEAD');
  assert.equal(head.status, 200);
  assert.equal(head.bytes.length, 0);
  const options = await request(link, 'OPTIONS');
  assert.ok([200, 204].includes(options.status));
  assert.equal(options.headers.get('access-control-allow-origin'), '*');
  assert.match(options.headers.get('access-control-allow-methods') ?? '', /GET/);
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
    const { status, headers, bytes } = await request(link, method);
    assertProblem({ status, headers, body: JSON.parse(bytes.toString()) }, 405, 'method_not_allowed');
    assert.match(headers.get('allow') ?? '', /GET/);
  }
});

test('H12: HEAD has the headers of GET', async () => {
  const { link } = await makeImage();
  const { bytes } = await request(link);
  const head = await request(link, 'HEAD');
  assert.equal(head.headers.get('content-length'), String(bytes.length));
});

for (const [name, fail] of [
  [
    'refuses',
    () => {
      throw new StoreError('no permission for /srv/secret-place');
    },
  ],
  [
    'breaks off before the first byte',
    () =>
      new Readable({
        read() {
          this.destroy(new Error('EIO in /srv/secret-place'));
        },
      }),
  ],
] as const) {
  test(`an image whose store ${name} is 502, never 500, and can be requested again`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'darkroom-images-'));
    const disk = await openDiskStore(folder);
    let fails = false;
    const images: ImageStore = {
      ...disk,
      get: async (key) => (fails ? { bytes: 1_000, body: fail() } : await disk.get(key)),
    };
    {
      await using failing = await openWorld({ replacements: { images } });
      const { result } = await failing.finished(await failing.create());
      const link = (result as { image_url: string }).image_url; // by the schema of a finished job
      fails = true;
      const { status, headers, bytes } = await request(link);
      assertProblem({ status, headers, body: JSON.parse(bytes.toString()) }, 502, 'storage_unavailable');
      assert.ok(Number(headers.get('retry-after')) >= 1);
      assert.ok(!bytes.includes('secret-place'), 'something internal shows');
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('etag'), null);
      fails = false;
      assert.equal((await request(link)).status, 200);
    }
    await rm(folder, { recursive: true, force: true });
  });
}

test('the image of a job that retention removed is 410, or 403 once the link has expired', async () => {
  const { jobId, link } = await makeImage();
  await expire(world.app, -1_000); // all jobs that end until a second from now
  assert.equal((await world.send('GET', `/jobs/${jobId}`)).status, 404);
  const { status, headers, bytes } = await request(link);
  assertProblem({ status, headers, body: JSON.parse(bytes.toString()) }, 410, 'image_gone');
  assert.match(headers.get('cache-control') ?? '', /no-store/);
  assert.deepEqual(await Array.fromAsync(world.app.images.list(objectsOf('results', jobId))), []);
});

test('our link to an image that never existed is 404', async () => {
  const jobId = await world.create();
  await world.finished(jobId);
  const secrets = await openSecrets(world.config, world.app.database);
  const { sign } = createLinkSigner({ cdnUrl: () => world.url, secrets, clock: world.clock });
  for (const name of [newId(world.clock.nowMs()), inputName(jobId, 0)]) {
    const { status, headers, bytes } = await request(sign(name, 'png'));
    assertProblem({ status, headers, body: JSON.parse(bytes.toString()) }, 404, 'not_found');
  }
});

test('H7, H10: a link is valid for 24 to 25 hours; every poll returns one that is', async () => {
  const { jobId, link } = await makeImage();
  const expires = Number(new URL(link).searchParams.get('expires'));
  world.clock.advance(24 * hour - 60_000);
  const late = await request(link);
  assert.equal(late.status, 200);
  const maxAge = Number(/max-age=(\d+)/.exec(late.headers.get('cache-control') ?? '')?.[1]);
  const left = expires - world.clock.nowMs() / 1_000;
  assert.ok(
    maxAge >= left - 1 && maxAge < left + 30,
    `a cache keeps it for ${maxAge} s, the link holds for ${left} s`,
  );
  world.clock.advance(hour + 60_000);
  await assertForbidden(link);
  assert.equal((await request(await linkOf(jobId))).status, 200);
});
