import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { panelPayer } from '../../src/accounts/panel-key.ts';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { AppError } from '../../src/errors.ts';
import { createLinkSigner } from '../../src/images/image-links.ts';
import { type ImageStore, StoreUnavailable } from '../../src/images/image-store.ts';
import { createDecoder } from '../../src/images/inputs/decoder.ts';
import { createSemaphore } from '../../src/images/inputs/semaphore.ts';
import { createSpace } from '../../src/images/inputs/space.ts';
import { dropUpload } from '../../src/images/uploads/drop-upload.ts';
import { sweepUploads } from '../../src/images/uploads/sweep-uploads.ts';
import { takeUpload, type UploadDeps } from '../../src/images/uploads/take-upload.ts';
import { sweepRemovals } from '../../src/jobs/upkeep/sweep-removals.ts';
import { changeLimits } from '../../src/money/limits/change-limits.ts';
import { noDefaults } from '../../src/money/limits/limit.ts';
import { listLimits } from '../../src/money/limits/list-limits.ts';
import { assertProblem } from '../http/support/refusal.ts';
import { listedKeys } from '../images/conformance.ts';
import { makeGoodFiles } from '../inputs/support/hostile-files.ts';
import { stepAtOnce } from '../world/expire.ts';
import { plainPng } from '../world/provider.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld, type World } from '../world/world.ts';

const secret = 'a secret of these tests that is long enough';
const hourMs = 60 * 60 * 1000;
const { jpeg } = await makeGoodFiles();

async function openUploads(limits: UploadDeps['limits'] = {}) {
  const world = await openWorld({ env: { DARKROOM_SECRET: secret } });
  const { app, clock } = world;
  const decoder = createDecoder();
  const tempDir = join(tmpdir(), `darkroom-uploads-${process.pid}`);
  const links = createLinkSigner({ cdnUrl: () => world.url, secrets: [secret], clock });
  const deps: UploadDeps = {
    ...app,
    links,
    clock,
    log: silentLog,
    decoder,
    tempDir,
    slots: createSemaphore(56),
    space: createSpace({ perOwner: 1e9, inProcess: 1e9, minFree: 0 }),
    limits,
    limitDefaults: noDefaults,
  };
  const take = (source: Uint8Array | AsyncIterable<Uint8Array>) =>
    takeUpload(deps, { ...panelPayer(world.accountId), source, signal: AbortSignal.timeout(60_000) });
  return {
    world,
    deps,
    take,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await decoder[Symbol.asyncDispose]();
      const left = await readdir(tempDir);
      await rm(tempDir, { recursive: true });
      assert.deepEqual(left, [], 'temporary files were left behind');
    },
  };
}

function createFrom(world: World, url: string, key = world.key) {
  const body = { prompt: 'a fox', aspect_ratio: '1:1', input_images_urls: [url] };
  return world.send('POST', '/nb2/url-generations', { body, headers: { authorization: `Bearer ${key}` } });
}

test('an upload is an input only for its account, byte for byte, until it is deleted or expires', async () => {
  await using uploads = await openUploads();
  const { world, deps, take } = uploads;
  const upload = await take(jpeg);
  assert.equal(upload.mediaType, 'image/jpeg');
  const served = await fetch(upload.url);
  assert.equal(served.status, 200);
  assert.equal((await served.arrayBuffer()).byteLength, upload.bytes);

  const made = await createFrom(world, upload.url);
  assert.equal(made.status, 202, JSON.stringify(made.body));
  assert.equal((await world.finished(String(made.body.job_id))).status, 'done');
  const input = world.provider.requests[0]?.request.inputs[0];
  assert.deepEqual([input?.width, input?.height, input?.bytes], [320, 240, upload.bytes]);

  const other = await world.account('other', { creditMicros: 1_000_000n });
  const refused = await createFrom(world, upload.url, other.key);
  const forged = await createFrom(world, upload.url.replace('expires=', 'expires=1'), other.key);
  assertProblem(refused, 422, 'inputs_unusable');
  assert.deepEqual(refused.body.errors, forged.body.errors);

  assert.equal(await dropUpload(deps, { accountId: other.accountId, uploadId: upload.id }), false);
  assert.equal(await dropUpload(deps, { accountId: world.accountId, uploadId: upload.id }), true);
  assert.equal((await fetch(upload.url)).status, 410);
  assertProblem(await createFrom(world, upload.url), 422, 'inputs_unusable');

  const expiring = await take(jpeg);
  assert.equal((await sweepUploads(deps)).uploads, 0);
  await world.elapse(25 * hourMs);
  assert.equal((await fetch(expiring.url)).status, 403);
  assertProblem(await createFrom(world, expiring.url), 422, 'inputs_unusable');
  assert.equal((await sweepUploads(deps)).uploads, 1);
  assert.deepEqual(await listedKeys(deps.images, 'uploads/'), []);
});

test('the image of a deleted or expired upload that the store refuses to remove is removed later', async () => {
  await using uploads = await openUploads();
  const { world, deps, take } = uploads;
  const remove = () => Promise.reject(new Error('not available'));
  const images: ImageStore = Object.create(deps.images, { remove: { value: remove } });
  const { id: uploadId } = await take(jpeg);
  assert.equal(await dropUpload({ ...deps, images }, { accountId: world.accountId, uploadId }), true);
  await take(jpeg);
  await world.elapse(25 * hourMs);
  await assert.rejects(sweepUploads({ ...deps, images }), /not available/);
  assert.equal((await listedKeys(deps.images, 'uploads/')).length, 2);
  await world.elapse(hourMs);
  await sweepRemovals({ ...deps, step: stepAtOnce(deps.database) });
  assert.deepEqual(await listedKeys(deps.images, 'uploads/'), []);
});

test('an account keeps no more than its limits, however many uploads come at once', async () => {
  await using uploads = await openUploads({ count: 3 });
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => uploads.take(plainPng(8, 8))));
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  assert.equal(refused.length, 5);
  for (const error of refused) {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.code, 'upload_limit_reached');
  }
  assert.equal((await listedKeys(uploads.deps.images, 'uploads/')).length, 3);
  uploads.deps.limits = { bytes: 3 * plainPng(8, 8).length };
  await assert.rejects(uploads.take(jpeg), { code: 'upload_limit_reached' });
});

test('nothing is left of a file that is not an image, or of a source that breaks off', async () => {
  await using uploads = await openUploads();
  const { take, deps } = uploads;
  await assert.rejects(take(Buffer.from('no image at all, but long enough')), { code: 'inputs_unusable' });
  await assert.rejects(take(Buffer.alloc(0)), { code: 'inputs_unusable' });
  await assert.rejects(take(jpeg.subarray(0, 500)), { code: 'inputs_unusable' });
  const gone = new Error('the client has gone');
  async function* breaking() {
    yield jpeg.subarray(0, 500);
    throw gone;
  }
  await assert.rejects(take(breaking()), gone);
  assert.deepEqual(await listedKeys(deps.images, 'uploads/'), []);
});

test('an upload that cannot be stored uses nothing of the limit of input bytes', async () => {
  await using uploads = await openUploads();
  const { world, deps, take } = uploads;
  const { accountId } = world;
  const subject = { kind: 'account', id: accountId } as const;
  const asked = { defaults: noDefaults, nowMs: world.clock.nowMs() };
  const limited = { accountId, subject, changes: { input: 5_000_000n }, defaults: noDefaults };
  await deps.database.transaction((tx) => changeLimits(tx, limited, commandLine));
  const used = async () => {
    const limits = await listLimits(deps.database.read, [subject], asked);
    return limits.find(({ meter }) => meter === 'input')?.used;
  };
  const { bytes } = await take(jpeg);
  const { images } = deps;
  deps.images = { ...images, put: () => Promise.reject(new StoreUnavailable('the disk is full')) };
  await assert.rejects(take(jpeg), { code: 'storage_unavailable' });
  assert.equal(await used(), BigInt(bytes));
  deps.images = images;
  await take(jpeg);
  assert.equal(await used(), BigInt(2 * bytes));
});
