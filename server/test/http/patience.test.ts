import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDiskStore } from '../../src/images/disk/disk-store.ts';
import type { ImageStore } from '../../src/images/image-store.ts';
import { fingerprintOf } from '../../src/jobs/admission/fingerprint.ts';
import { holdKeyIfFree } from '../../src/jobs/admission/idempotency-store.ts';
import { onePixelPng } from '../inputs/support/images.ts';
import { startStranger, strangerNetwork } from '../inputs/support/strangers.ts';
import { photoOf } from '../uploads/images.ts';
import { openWorld } from '../world/world.ts';
import { openRawClient, type RawClient, rawRequest } from './support/raw-client.ts';
import { assertProblem, assertRawProblem } from './support/refusal.ts';
import { bearer, postText, textBody } from './support/requests.ts';

const world = await openWorld({ worker: false });
after(() => world[Symbol.asyncDispose]());

/** Tests that take long by design, and therefore run concurrently. */
describe('how long the server waits', { concurrency: true }, () => {
  test('B15: a body of one byte per second is 408 within 30 s', async () => {
    using client = await openRawClient(world.url);
    const headers = { ...bearer(world.key), 'content-type': 'application/json', 'content-length': '1000' };
    client.write(rawRequest('POST', '/api/v1/nb2/text-generations', { headers }));
    assert.ok((await dribble(client, '{')) < 36_000);
  });

  test('a slow body after a time without any is 408 within 30 s too', async () => {
    await using own = await openWorld({ worker: false });
    const headers = { ...bearer(own.key), 'content-type': 'application/json', 'content-length': '2' };
    const begin = async () => {
      const client = await openRawClient(own.url);
      client.write(rawRequest('POST', '/api/v1/nb2/text-generations', { headers }));
      return client;
    };
    using earlier = await begin();
    // Senders are watched only while bodies arrive, and ended ones are forgotten at the next look, after a second.
    await sleep(500);
    earlier.write('{}');
    assert.equal((await earlier.next())?.status, 422);
    await sleep(2_000);
    using late = await begin();
    assert.ok((await dribble(late, '')) < 36_000);
  });

  test('an upload may take longer while it arrives steadily, and is 408 otherwise', async () => {
    const file = photoOf(1_200_000);
    const headers = {
      ...bearer(world.key),
      'content-type': 'image/jpeg',
      'content-length': `${file.length}`,
    };
    const begin = async () => {
      const client = await openRawClient(world.url);
      client.write(rawRequest('POST', '/api/v1/uploads', { headers }));
      return client;
    };
    using slow = await begin();
    using steady = await begin();
    slow.write(file.subarray(0, 1_000));
    const ended = dribble(slow, 'x');
    const piece = file.length / 40;
    for (let at = 0; at < file.length; at += piece) {
      steady.write(file.subarray(at, at + piece));
      await sleep(900);
    }
    assert.equal((await steady.next())?.status, 201);
    assert.ok((await ended) < 36_000);
  });

  test('B16: headers of one byte per second are 408 within 15 s', async () => {
    using client = await openRawClient(world.url);
    client.write(`GET /api/v1/balance HTTP/1.1\r\nhost: localhost\r\nx-slow: `);
    assert.ok((await dribble(client, 'a')) < 21_000);
  });

  test('D13: a key whose first request died is free after a time, and then makes one job', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const began = performance.now(); // measured from before the key's time begins
    await abandonKey(headers['idempotency-key'], 1_000);
    const replies = await Promise.all([postText(world, {}, headers), postText(world, {}, headers)]);
    assert.ok(performance.now() - began > 950, 'it did not wait');
    assert.deepEqual(
      replies.map(({ status }) => status),
      [202, 202],
    );
    assert.equal(replies[0]?.body.job_id, replies[1]?.body.job_id);
    const replayed = replies.map((reply) => reply.headers.get('idempotent-replayed'));
    assert.deepEqual(new Set(replayed), new Set([null, 'true']));
  });

  test('a create whose store hangs is 502 after a minute and leaves nothing', async () => {
    await using host = await startStranger((_request, response) => response.end(onePixelPng));
    const folder = await mkdtemp(join(tmpdir(), 'darkroom-images-'));
    const disk = await openDiskStore(folder);
    const images: ImageStore = { ...disk, put: () => new Promise(() => {}) };
    const env = { DARKROOM_ALLOW_NETWORKS: strangerNetwork };
    {
      await using own = await openWorld({ env, worker: false, replacements: { images } });
      const body = { ...textBody, input_images_urls: [`${host.origin}/a.png`] };
      const began = performance.now();
      const reply = await own.send('POST', '/nb2/url-generations', { body });
      assertProblem(reply, 502, 'storage_unavailable');
      const took = performance.now() - began;
      assert.ok(took > 55_000 && took < 75_000, `it took ${took} ms`);
      assert.deepEqual(await readdir(join(own.config.dataDir, 'incoming')), []);
      assert.equal((await own.balance()).reserved, '0.00');
    }
    await rm(folder, { recursive: true });
  });

  test('409: a key in use, after ten seconds of waiting; another body is 422 at once', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    await abandonKey(headers['idempotency-key'], 60_000);
    const began = performance.now();
    const reused = await postText(world, { prompt: 'another' }, headers);
    assertProblem(reused, 422, 'idempotency_key_reused');
    assert.ok(performance.now() - began < 5_000);
    const reply = await postText(world, {}, headers);
    assertProblem(reply, 409, 'idempotency_key_in_use');
    const again = Number(reply.headers.get('retry-after'));
    assert.ok(again > 40 && again <= 50, `the key is free in 50 s, not in ${again}`);
    assert.ok(performance.now() - began > 9_000);
  });
});

/** Writes one byte per second until the server answers 408 and closes. Returns after how many milliseconds. */
async function dribble(client: RawClient, byte: string): Promise<number> {
  const began = performance.now();
  const timer = setInterval(() => client.write(byte), 1_000);
  try {
    const reply = await client.next();
    assertRawProblem(reply, 408, 'request_timeout');
    const took = performance.now() - began;
    await client.closed;
    return took;
  } finally {
    clearInterval(timer);
  }
}

async function abandonKey(key: string, holdMs: number) {
  const fingerprint = fingerprintOf('POST', 'nb2 text', textBody);
  const hold = { accountId: world.accountId, key, fingerprint, holder: randomUUID(), holdMs };
  await world.app.database.transaction((tx) => holdKeyIfFree(tx, hold));
}
