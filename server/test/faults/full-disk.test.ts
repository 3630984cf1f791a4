import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { listen } from '../../faults/listen.ts';
import { openDiskStore } from '../../src/images/disk/disk-store.ts';
import type { ImageStore } from '../../src/images/image-store.ts';
import { findJob } from '../../src/jobs/job-store.ts';
import { verifyImages } from '../../src/jobs/upkeep/verify/verify-images.ts';
import { backUpDatabase, migrateDatabase } from '../../src/start/open-operator.ts';
import { openOperator } from '../world/commands.ts';
import { plainPng } from '../world/provider.ts';
import { openWorld, type World } from '../world/world.ts';
import { openDatabaseOn } from './support/database-on-disk.ts';
import { type RealServer, startServer, temporaryFolder, until } from './support/server.ts';
import { makeSmallDisk, noSmallDisk } from './support/small-disk.ts';

// Jobs that were running when the disk filled up may have to wait for the end of their leases; the rest is
// for slow machines.
const timeout = 180_000;
const skip = noSmallDisk;
const megabyte = 1_048_576;
const kind = process.env.TEST_DATABASE_URL ? 'postgres' : 'sqlite';

test('a backup onto a full disk names the disk, and leaves nothing there', {
  skip: kind === 'postgres' ? 'pg_dump makes its backups' : skip,
}, async () => {
  using disk = makeSmallDisk(megabyte);
  using folder = temporaryFolder();
  const env = { DARKROOM_DATA_DIR: folder.path };
  await migrateDatabase(env);
  disk.fill(65_536);
  const file = join(disk.path, 'copy.db');
  await assert.rejects(backUpDatabase(env, file), {
    name: 'DatabaseFull',
    message: `The disk of ${file} is full.`,
  });
  assert.deepEqual(readdirSync(disk.path), ['ballast']);
});

test('disk full under the database: creates are refused for now, polls are answered, and with space again nothing is missing', {
  skip,
  timeout,
}, async () => {
  using disk = makeSmallDisk(32 * megabyte);
  using folder = temporaryFolder();
  await using database = await openDatabaseOn(disk, kind, folder.path);
  const env = { ...database.env, DARKROOM_STORAGE: `disk:${join(folder.path, 'images')}` };
  await using server = await startServer(database.dataDir, { env });
  const acknowledged = new Map<string, string>();
  const refused = new Set<string>();
  const createOrRefuse = async (key: string) => {
    const reply = await create(server, key);
    if (reply.status === 202) acknowledged.set(key, String(reply.body.job_id));
    else {
      refused.add(key);
      assert.equal(reply.status, 503);
      assert.equal(reply.body.code, 'database_unavailable');
      assert.match(String(reply.headers.get('content-type')), /^application\/problem\+json/);
      assert.ok(Number(reply.headers.get('retry-after')) > 0);
    }
  };

  for (let nth = 0; nth < 5; nth++) await createOrRefuse(`before-${nth}`);
  assert.equal(acknowledged.size, 5);
  // Creates use up the remaining space, so that one of them fails half way.
  disk.fill(megabyte / 4);
  for (let nth = 0; nth < 100 && refused.size === 0; nth++) await createOrRefuse(`last-${nth}`);
  disk.fill();
  await Promise.all(Array.from({ length: 20 }, (_, nth) => createOrRefuse(`full-${nth}`)));
  assert.ok(refused.size > 1, 'every create found space');
  // Enough time to make an image, whose worker then finds no space to record it.
  const [running] = acknowledged.values();
  assert.equal((await server.send('GET', `/jobs/${running}`, undefined, { prefer: 'wait=3' })).status, 200);
  for (const jobId of acknowledged.values())
    assert.equal((await server.send('GET', `/jobs/${jobId}`)).status, 200);
  assert.equal((await server.send('GET', '/balance')).status, 200);
  assert.equal(server.child.exitCode, null);

  disk.empty();
  for (const [key, jobId] of acknowledged) {
    const { headers, body } = await create(server, key);
    assert.deepEqual([headers.get('idempotent-replayed'), body.job_id], ['true', jobId]);
  }
  for (const key of refused) {
    const { status, headers, body } = await create(server, key);
    assert.deepEqual([status, headers.get('idempotent-replayed')], [202, null]);
    acknowledged.set(key, String(body.job_id));
  }
  for (const jobId of acknowledged.values()) assert.equal(await endOf(server, jobId), 'done');
  await using operator = await openOperator({ ...env, DARKROOM_DATA_DIR: database.dataDir });
  const { checked, violations } = await operator.verify();
  assert.deepEqual(violations, []);
  assert.equal(checked.jobs, acknowledged.size);
});

test('disk full under the images: a job is tried again, then fails without a charge; with space in time it is done', {
  skip,
  timeout,
}, async () => {
  using disk = makeSmallDisk(megabyte);
  await using world = await openWorld({ env: { DARKROOM_STORAGE: `disk:${disk.path}` } });
  // No rest ends before the test lets time pass, and no job runs while it does.
  await using _held = await world.hold();
  const before = await world.create();
  assert.equal((await world.finished(before)).status, 'done');
  const { balance } = await world.balance();

  disk.fill();
  const unlucky = [await world.create(), await world.create()];
  for (let attempt = 1; attempt < maxTries; attempt++) {
    await untilResting(world, unlucky, attempt);
    await world.elapse(restMs);
  }
  for (const jobId of unlucky) {
    const job = await world.finished(jobId);
    assert.deepEqual([job.status, job.error_code, job.result], ['failed', 'internal', null]);
    assert.equal(job.error, 'The image was made but could not be stored. Create the job again.');
  }
  assert.equal(world.provider.requests.length, 1 + unlucky.length * maxTries);
  assert.deepEqual(await world.balance(), { balance, reserved: '0.00', available: balance });

  const lucky = await world.create();
  await untilResting(world, [lucky], 1);
  disk.empty();
  await world.elapse(restMs);
  const after = await world.create();
  for (const jobId of [before, lucky, after]) assert.equal((await world.finished(jobId)).status, 'done');
  const { checked, violations } = await verifyImages(world.app);
  assert.deepEqual([checked, violations], [3, []]);
  assert.deepEqual(readdirSync(join(disk.path, '.tmp')), [], 'no half-written image stays');
});

test('before the disk for temporary files is full, inputs are 503 and the same request works later', {
  skip,
  timeout,
}, async () => {
  using incoming = makeSmallDisk(megabyte);
  using folder = temporaryFolder();
  symlinkSync(incoming.path, join(folder.path, 'incoming'));
  await using inputs = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'image/png' }).end(plainPng(64, 64));
  });
  const url = `${await listen(inputs)}/input.png`;
  await using world = await openWorld({
    env: { DARKROOM_DATA_DIR: folder.path, DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8' },
    config: { minFreeDiskBytes: megabyte / 2 },
  });
  const send = () =>
    world.send('POST', '/nb2/url-generations', {
      body: { prompt: 'a fox', aspect_ratio: '1:1', input_images_urls: [url] },
      headers: { 'idempotency-key': 'disk' },
    });
  incoming.fill(megabyte / 4);
  const { status, headers, body } = await send();
  assert.deepEqual([status, body.code, headers.has('retry-after')], [503, 'overloaded', true]);
  assert.match(String(body.detail), /disk/);
  incoming.empty();
  assert.equal((await send()).status, 202);
});

test('disk full under images or temporary files: inputs are 502 and cost nothing, renditions too, and the same request works later', {
  skip,
  timeout,
}, async () => {
  using images = makeSmallDisk(megabyte);
  using incoming = makeSmallDisk(megabyte);
  using folder = temporaryFolder();
  symlinkSync(incoming.path, join(folder.path, 'incoming'));
  await using inputs = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'image/png' }).end(plainPng(64, 64));
  });
  await using world = await openWorld({
    env: {
      DARKROOM_DATA_DIR: folder.path,
      DARKROOM_STORAGE: `disk:${images.path}`,
      DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8',
    },
    config: { minFreeDiskBytes: 0 },
  });
  const url = `${await listen(inputs)}/input.png`;
  const send = (key: string) =>
    world.send('POST', '/nb2/url-generations', {
      body: { prompt: 'a fox', aspect_ratio: 'auto', input_images_urls: [url] },
      headers: { 'idempotency-key': key },
    });
  for (const [key, disk, leftBytes] of [
    ['images', images, 0],
    ['download', incoming, 0],
    ['decoded', incoming, inputBytes],
  ] as const) {
    disk.fill(leftBytes);
    const refused = await send(key);
    assert.deepEqual([key, refused.status, refused.body.code], [key, 502, 'storage_unavailable']);
    assert.equal((await world.balance()).reserved, '0.00');
    disk.empty();
    const { status, headers, body } = await send(key);
    assert.deepEqual([status, headers.get('idempotent-replayed')], [202, null]);
    const job = await world.finished(String(body.job_id));
    assert.equal(job.status, 'done');
    const { thumbnail_url } = job.result as { thumbnail_url: string };
    incoming.fill();
    const smaller = await fetch(thumbnail_url);
    const { code } = (await smaller.json()) as { code: string };
    assert.deepEqual([smaller.status, code], [502, 'storage_unavailable']);
    incoming.empty();
    assert.equal((await fetch(thumbnail_url)).status, 200);
  }
  assert.deepEqual(readdirSync(incoming.path), []);
});

test('a disk for temporary files that becomes read-only during a request is reported as such', {
  skip,
  timeout,
}, async () => {
  using incoming = makeSmallDisk(megabyte);
  using folder = temporaryFolder();
  symlinkSync(incoming.path, join(folder.path, 'incoming'));
  const disk = await openDiskStore(join(folder.path, 'images'));
  const images: ImageStore = {
    ...disk,
    async get(key) {
      if (key.endsWith('.png')) incoming.makeReadOnly();
      return disk.get(key);
    },
  };
  await using world = await openWorld({
    env: { DARKROOM_DATA_DIR: folder.path, DARKROOM_RENDITIONS: 'on-demand' },
    replacements: { images },
  });
  const { result } = await world.finished(await world.create());
  const { thumbnail_url } = result as { thumbnail_url: string };
  const refused = await fetch(thumbnail_url);
  const { code } = (await refused.json()) as { code: string };
  assert.deepEqual([refused.status, code], [502, 'storage_unavailable']);
});

// The input takes one page of the disk, so there is room to download it, but not to store it a second time.
const inputBytes = 4_096;

/** Sends a create that depends only on its key. Its prompt fills whole pages even when compressed. */
function create(server: RealServer, key: string) {
  const noise = createHash('shake256', { outputLength: 9_000 }).update(key).digest('base64');
  return server.send(
    'POST',
    '/nb/text-generations',
    { prompt: `[[delay:300ms]] a fox ${noise}`, aspect_ratio: '1:1' },
    { 'idempotency-key': key },
  );
}

async function endOf(server: RealServer, jobId: string): Promise<unknown> {
  const job = await until(async () => {
    const { body } = await server.send('GET', `/jobs/${jobId}`, undefined, { prefer: 'wait=5' });
    return body.finished_at !== null && body;
  });
  return job.status;
}

// The number in `retry-rules.ts`: an image that cannot be stored is made five times.
const maxTries = 5;
// Longer than any wait between two attempts.
const restMs = 40_000;

async function untilResting({ app }: World, jobIds: readonly string[], nth: number): Promise<void> {
  for (const jobId of jobIds) {
    const { status, failures } = await until(async () => {
      const job = await findJob(app.database.read, jobId);
      return job && (job.finishedAt !== null || job.failures.length === nth) && job;
    });
    assert.deepEqual([status, failures.at(-1)?.kind], ['processing', 'store']);
  }
}
