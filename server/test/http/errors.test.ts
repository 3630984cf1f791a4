import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, describe, test } from 'node:test';
import { creditAccount } from '../../src/accounts/credit-account.ts';
import { openDiskStore } from '../../src/images/disk/disk-store.ts';
import { type ImageStore, type StoredObject, StoreError } from '../../src/images/image-store.ts';
import { pause, resume } from '../../src/jobs/admission/pause-store.ts';
import { tellLowBalances } from '../../src/notify/alerts/tell-low-balances.ts';
import { onePixelPng } from '../inputs/support/images.ts';
import { startStranger, strangerNetwork } from '../inputs/support/strangers.ts';
import { openWorld } from '../world/world.ts';
import { codeBlocksOf } from './read-page.ts';
import { createRecordingLog } from './support/recording-log.ts';
import { assertProblem, assertRefused, pointersOf } from './support/refusal.ts';
import { bearer, textBody } from './support/requests.ts';

const folder = await mkdtemp(join(tmpdir(), 'darkroom-images-'));
const disk = await openDiskStore(folder);
let storeFails = false;
const log = createRecordingLog();
const world = await openWorld({
  worker: false,
  env: { DARKROOM_ALLOW_NETWORKS: strangerNetwork },
  replacements: {
    log,
    images: {
      ...disk,
      async put(key, body, info) {
        if (storeFails) {
          if ('destroy' in body) body.destroy();
          throw new StoreError('no space left on /srv/secret-place');
        }
        await disk.put(key, body, info);
      },
    },
  },
});
const images = await startStranger((request, response) => {
  response.statusCode = request.url === '/missing.png' ? 404 : 200;
  response.end(onePixelPng);
});
after(async () => {
  await images[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const creates = [
  { path: '/text-generations', model: 'pro', price: '0.08' },
  { path: '/nb2/text-generations', model: 'nb2', price: '0.04' },
  { path: '/nb/text-generations', model: 'nb', price: '0.02' },
  { path: '/url-generations', model: 'pro', price: '0.08' },
  { path: '/nb2/url-generations', model: 'nb2', price: '0.04' },
  { path: '/nb/url-generations', model: 'nb', price: '0.02' },
] as const;
const inputs = { input_images_urls: [`${images.origin}/a.png`] };
const bodyFor = (path: string, more: object = {}) => ({
  ...textBody,
  ...(path.endsWith('/url-generations') && inputs),
  ...more,
});
const post = (path: string, more: object = {}, headers: Record<string, string> = {}) =>
  world.send('POST', path, { body: bodyFor(path, more), headers });

for (const { path, model, price } of creates) {
  describe(`POST ${path}`, () => {
    test('202: a job, where to poll it and when', async () => {
      const { status, headers, body } = await post(path);
      assert.equal(status, 202);
      assert.deepEqual(Object.keys(body), ['job_id', 'status', 'status_url']);
      assert.equal(body.status, 'queued');
      assert.equal(body.status_url, `/api/v1/jobs/${body.job_id}`);
      assert.equal(headers.get('location'), body.status_url);
      assert.equal(headers.get('retry-after'), '1');
      assert.match(headers.get('x-request-id') ?? '', /^req_/);
      assert.match(
        String(body.job_id),
        /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
      const job = await world.send('GET', `/jobs/${body.job_id}`);
      assert.equal(job.body.model, model);
      assert.equal(job.body.mode, path.endsWith('/url-generations') ? 'url' : 'text');
      assert.equal(job.body.started_at, null);
      assert.equal(job.body.finished_at, null);
    });

    test('401: an invalid key', async () => {
      const reply = await assertRefused(world, () => post(path, {}, bearer('nonsense')), 401, 'key_invalid');
      assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
    });

    test('402: not enough money, with how much is available and how much is needed', async () => {
      const { key } = await world.account(`poor ${path}`, { creditMicros: 10_000n });
      const reply = await assertRefused(world, () => post(path, {}, bearer(key)), 402, 'insufficient_funds');
      assert.equal(reply.body.available, '0.01');
      assert.equal(reply.body.required, price);
    });

    test('403: a key for other models', async () => {
      const others = (['nb', 'nb2', 'pro'] as const).filter((other) => other !== model);
      const { key } = await world.account(`limited ${path}`, { creditMicros: 1_000_000n, models: others });
      await assertRefused(world, () => post(path, {}, bearer(key)), 403, 'model_forbidden');
    });

    test('422: a ratio that no model has', async () => {
      const reply = await assertRefused(
        world,
        () => post(path, { aspect_ratio: '5:7' }),
        422,
        'invalid_request',
      );
      assert.deepEqual(pointersOf(reply), ['/aspect_ratio']);
    });

    for (const scope of ['project', model] as const) {
      test(`503: ${scope} paused, with the reason and Retry-After; replays are answered`, async () => {
        const headers = { 'idempotency-key': `before ${path} ${scope}`.replaceAll(' ', '-') };
        const first = await post(path, {}, headers);
        assert.equal(first.status, 202);
        const { database } = world.app;
        await database.transaction((tx) => pause(tx, { scope, reason: 'new lamps', until: null }));
        try {
          const code = scope === 'project' ? 'project_paused' : 'model_paused';
          const reply = await assertRefused(world, () => post(path), 503, code);
          assert.ok(Number(reply.headers.get('retry-after')) >= 1);
          assert.match(String(reply.body.detail), /new lamps/);

          const replay = await post(path, {}, headers);
          assert.equal(replay.status, 202);
          assert.equal(replay.headers.get('idempotent-replayed'), 'true');
          assert.deepEqual(replay.body, first.body);
        } finally {
          await database.transaction((tx) => resume(tx, scope));
        }
      });
    }
  });
}

for (const { path } of creates.filter(({ path }) => path.endsWith('/url-generations'))) {
  test(`422: POST ${path} with an input that cannot be fetched names it`, async () => {
    const input_images_urls = [...inputs.input_images_urls, `${images.origin}/missing.png`];
    const reply = await assertRefused(world, () => post(path, { input_images_urls }), 422, 'inputs_unusable');
    assert.deepEqual(pointersOf(reply), ['/input_images_urls/1']);
  });

  test(`502: POST ${path} while the image store fails; the same key works afterwards`, async () => {
    const headers = { 'idempotency-key': `store${path.replaceAll('/', '-')}` };
    storeFails = true;
    try {
      const reply = await assertRefused(world, () => post(path, {}, headers), 502, 'storage_unavailable');
      assert.ok(!JSON.stringify(reply.body).includes('secret-place'), 'something internal shows');
    } finally {
      storeFails = false;
    }
    assert.ok(log.has('inputs.not_stored'));
    const again = await post(path, {}, headers);
    assert.equal(again.status, 202);
    assert.equal(again.headers.get('idempotent-replayed'), null);
  });
}

for (const [name, open] of [
  [
    'refuses',
    () => {
      throw new StoreError('no permission for /srv/secret-place');
    },
  ],
  ['breaks off', () => breakingOff('UND_ERR_SOCKET')],
  ['has a broken disk', () => breakingOff('EIO')],
] as const) {
  test(`502: an input that is our own result while the image store ${name}; the same key works afterwards`, async () => {
    let fails = false;
    const images: ImageStore = { ...disk, get: async (key) => (fails ? open() : await disk.get(key)) };
    await using own = await openWorld({ replacements: { images } });
    const { result } = await own.finished(await own.create());
    const { image_url } = result as { image_url: string }; // by the schema of a finished job
    const headers = { 'idempotency-key': 'own' };
    const body = { ...textBody, input_images_urls: [image_url] };
    const send = () => own.send('POST', '/nb2/url-generations', { body, headers });
    fails = true;
    const reply = await assertRefused(own, send, 502, 'storage_unavailable');
    assert.ok(!JSON.stringify(reply.body).includes('secret-place'), 'something internal shows');
    fails = false;
    const again = await send();
    assert.equal(again.status, 202);
    assert.equal(again.headers.get('idempotent-replayed'), null);
  });
}

function breakingOff(code: string): StoredObject {
  const body = new Readable({
    read() {
      this.push(onePixelPng.subarray(0, 20));
      this.destroy(Object.assign(new Error('read /srv/secret-place'), { code }));
    },
  });
  return { bytes: onePixelPng.length, body };
}

test('inputs of a refused create are not kept', async () => {
  const keys = async () => (await Array.fromAsync(disk.list('inputs/'))).length;
  const { key, accountId } = await world.account('late', { creditMicros: 40_000n });
  const before = await keys();
  const slow = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  await using server = await startStranger(async (_request, response) => {
    asked.resolve();
    await slow.promise;
    response.end(onePixelPng);
  });
  // Another job takes the money while this one's inputs are being fetched.
  const late = post('/nb2/url-generations', { input_images_urls: [`${server.origin}/a.png`] }, bearer(key));
  await asked.promise;
  assert.equal((await post('/nb2/text-generations', {}, bearer(key))).status, 202);
  slow.resolve();
  assertProblem(await late, 402, 'insufficient_funds');
  assert.equal(await keys(), before);

  await creditAccount(
    { ...world.app, tellBalances: tellLowBalances },
    { account: accountId, amountMicros: 40_000n, reason: 'top-up' },
  );
  assert.equal((await post('/nb2/url-generations', {}, bearer(key))).status, 202);
  assert.equal(await keys(), before + 1);
});

test('the reference’s example of unusable inputs is the real answer', async () => {
  const { body } = await post('/nb2/url-generations', {
    input_images_urls: [`${images.origin}/a.png`, `${images.origin}/missing.png`],
  });
  const page = await (await fetch(`${world.url}/docs/errors/inputs_unusable`)).text();
  const example = codeBlocksOf(page)[0] ?? '';
  const shown = JSON.parse(example.slice(example.indexOf('{')));
  assert.deepEqual([shown.detail, shown.errors], [body.detail, body.errors]);
});

test('404: an unknown job, and every id that is not a UUID', async () => {
  for (const id of ['0197f8a0-0000-7000-8000-000000000000', 'not-a-uuid', '1']) {
    await assertRefused(world, () => world.send('GET', `/jobs/${id}`), 404, 'not_found');
    await assertRefused(world, () => world.send('POST', `/jobs/${id}/cancel`), 404, 'not_found');
  }
});

test('order of checks: key, model, content type, body, replay, pause, money', async () => {
  const { key } = await world.account('poor and limited', { creditMicros: 40_000n, models: ['nb2'] });
  const send =
    (path: string, body: unknown, headers: Record<string, string> = {}) =>
    () =>
      world.send('POST', path, { body, headers: { ...bearer(key), ...headers } });
  const plain = { 'content-type': 'text/plain' };
  const known = { 'idempotency-key': 'known' };
  assert.equal((await send('/nb2/text-generations', textBody, known)()).status, 202);
  await world.app.database.transaction((tx) => pause(tx, { scope: 'nb2', reason: null, until: null }));
  try {
    const other = '/nb/text-generations';
    await assertRefused(world, send(other, {}, { ...plain, ...bearer('none') }), 401, 'key_invalid');
    await assertRefused(world, send(other, {}, plain), 403, 'model_forbidden');
    await assertRefused(world, send('/nb2/text-generations', {}, plain), 415, 'unsupported_media_type');
    await assertRefused(world, send('/nb2/text-generations', {}, known), 422, 'invalid_request');
    const reused = send('/nb2/text-generations', { ...textBody, prompt: 'other' }, known);
    await assertRefused(world, reused, 422, 'idempotency_key_reused');
    assert.equal((await send('/nb2/text-generations', textBody, known)()).status, 202);
    await assertRefused(world, send('/nb2/text-generations', textBody), 503, 'model_paused');
  } finally {
    await world.app.database.transaction((tx) => resume(tx, 'nb2'));
  }
  await assertRefused(world, send('/nb2/text-generations', textBody), 402, 'insufficient_funds');
});
