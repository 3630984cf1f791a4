import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fetchLimits } from '../../src/images/inputs/limits.ts';
import { openRawClient, rawRequest } from '../http/support/raw-client.ts';
import { assertProblem, assertRawProblem, pointersOf } from '../http/support/refusal.ts';
import { bearer, eventually } from '../http/support/requests.ts';
import { listedKeys } from '../images/conformance.ts';
import { s3Credentials, startS3 } from '../images/s3-servers.ts';
import { openWorld, type Reply, type World } from '../world/world.ts';
import { photo, photoOf } from './images.ts';

const dayMs = 24 * 60 * 60 * 1000;

async function upload(
  world: World,
  body: FormData | Buffer | string | ReadableStream,
  { type, key = world.key }: { type?: string; key?: string } = {},
): Promise<Reply> {
  const headers = { ...bearer(key), ...(type !== undefined && { 'content-type': type }) };
  const sent = body instanceof Buffer ? new Uint8Array(body) : body;
  const request = { method: 'POST', headers, body: sent, duplex: 'half' } as const;
  const answer = await fetch(`${world.url}/api/v1/uploads`, request);
  const reply = { status: answer.status, headers: answer.headers, body: await answer.json() };
  return reply as Reply;
}

async function uploaded(world: World): Promise<{ upload_id: string; url: string; bytes: number }> {
  const { status, body } = await upload(world, photo, { type: 'image/jpeg' });
  assert.equal(status, 201, JSON.stringify(body));
  return body as Awaited<ReturnType<typeof uploaded>>;
}

function createFrom(world: World, url: string, headers: Record<string, string> = {}): Promise<Reply> {
  const body = { prompt: 'a fox', aspect_ratio: '1:1', input_images_urls: [url] };
  return world.send('POST', '/nb2/url-generations', { body, headers });
}

function formOf(parts: Record<string, string | Buffer>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([new Uint8Array(value)], { type: 'image/jpeg' }), 'photo.jpg');
  }
  return form;
}

/** The folders of uploads that are arriving. */
async function incoming(world: World): Promise<string[]> {
  return readdir(join(world.config.dataDir, 'incoming')).catch(() => []);
}

async function assertNothingKept(world: World): Promise<void> {
  assert.deepEqual(await listedKeys(world.app.images, 'uploads/'), []);
  const rows = await world.app.database.read.selectFrom('uploads').select('id').execute();
  assert.deepEqual(rows, []);
  // Removing a folder may take longer than answering a client that has gone.
  await eventually(
    () => incoming(world),
    (folders) => folders.length === 0,
  );
}

test('an upload is an input only of its own account, and after its end only replays use it', async () => {
  await using world = await openWorld();
  const sent = await upload(world, photo, { type: 'image/jpeg' });
  assert.equal(sent.status, 201);
  const { upload_id: id, url, expires_at: expiresAt, ...image } = sent.body;
  assert.deepEqual([image.width, image.height], [320, 240]);
  const leftMs = Date.parse(String(expiresAt)) - world.clock.nowMs();
  assert.ok(leftMs >= dayMs && leftMs <= dayMs + 3_600_000, String(expiresAt));
  const served = await fetch(String(url));
  assert.equal(served.headers.get('content-type'), 'image/jpeg');
  assert.equal((await served.arrayBuffer()).byteLength, image.bytes);

  const key = { 'idempotency-key': randomUUID() };
  const created = await createFrom(world, String(url), key);
  assert.equal(created.status, 202, JSON.stringify(created.body));
  assert.equal((await world.finished(String(created.body.job_id))).status, 'done');
  assert.equal(world.provider.requests[0]?.request.inputs[0]?.bytes, image.bytes);

  const other = await world.account('other', { creditMicros: 1_000_000n });
  const stolen = await createFrom(world, String(url), bearer(other.key));
  const forged = await createFrom(world, String(url).replace('expires=', 'expires=1'), bearer(other.key));
  assertProblem(stolen, 422, 'inputs_unusable');
  assert.deepEqual(stolen.body.errors, forged.body.errors);
  const remove = (headers = {}) => world.send('DELETE', `/uploads/${id}`, { headers });
  assertProblem(await remove(bearer(other.key)), 404, 'not_found');

  const read = async (headers = {}) => world.send('GET', `/uploads/${id}`, { headers });
  assert.deepEqual((await read()).body, sent.body);
  assertProblem(await read(bearer(other.key)), 404, 'not_found');
  const list = async (headers = {}) => (await world.send('GET', '/uploads', { headers })).body;
  assert.deepEqual(await list(), { data: [sent.body], next_cursor: null });
  assert.deepEqual((await list(bearer(other.key))).data, []);
  assert.equal((await remove()).status, 204);
  assertProblem(await read(), 404, 'not_found');
  assert.deepEqual((await list()).data, []);
  assertProblem(await remove(), 404, 'not_found');
  assert.equal((await fetch(String(url))).status, 410);
  assertProblem(await createFrom(world, String(url)), 422, 'inputs_unusable');
  const replayed = await createFrom(world, String(url), key);
  assert.deepEqual([replayed.status, replayed.body], [202, created.body]);
  await world.elapse(2 * dayMs);
  assertProblem(await createFrom(world, String(url)), 422, 'inputs_unusable');
  assert.equal((await createFrom(world, String(url), key)).body.job_id, created.body.job_id);
  await assertNothingKept(world);
});

test('a form accepts exactly one file, and the body has to be an image', async () => {
  await using world = await openWorld({ worker: false });
  for (const form of [formOf({ photo }), formOf({ 'a/b': photo })]) {
    const { status, body } = await upload(world, form);
    assert.equal(status, 201, JSON.stringify(body));
    await world.send('DELETE', `/uploads/${body.upload_id}`);
  }
  const text = Buffer.from('this is no image, but it is long enough');
  for (const [body, pointer] of [
    [formOf({ photo, note: 'a fox' }), ''],
    [formOf({ note: 'a fox', photo }), ''],
    [formOf({ note: 'a fox' }), '/note'],
    [formOf({ one: photo, two: photo }), ''],
    [new FormData(), ''],
  ] as const) {
    const reply = await upload(world, body);
    assertProblem(reply, 422, 'invalid_request');
    assert.deepEqual(pointersOf(reply), [pointer]);
  }
  const type = 'multipart/form-data; boundary=x';
  const part = '--x\r\ncontent-disposition: form-data; name="a"; filename="a.jpg"\r\n\r\n';
  const cut = Buffer.concat([Buffer.from(part), photo]);
  for (const broken of [cut, cut.subarray(0, 30), 'no form', Buffer.from(`${part}\r\n--x`)])
    assertProblem(await upload(world, broken, { type }), 422, 'invalid_request');
  assertProblem(await upload(world, cut, { type: 'multipart/form-data' }), 422, 'invalid_request');

  for (const [body, pointer] of [
    [formOf({ 'a/b': text }), '/a~1b'],
    [formOf({ photo: photo.subarray(0, 900) }), '/photo'],
    [formOf({ photo: Buffer.alloc(0) }), '/photo'],
    [text, ''],
    [photo.subarray(0, 900), ''],
    [Buffer.alloc(0), ''],
  ] as const) {
    const reply = await upload(world, body, body instanceof FormData ? {} : { type: 'image/png' });
    assertProblem(reply, 422, 'inputs_unusable');
    assert.deepEqual(pointersOf(reply), [pointer]);
  }
  for (const wrong of ['application/json', 'text/plain', 'multipart/mixed; boundary=x', undefined])
    assertProblem(
      await upload(world, photo, wrong === undefined ? {} : { type: wrong }),
      415,
      'unsupported_media_type',
    );
  assertProblem(await upload(world, photo, { type: 'image/png', key: 'dk_wrong' }), 401, 'key_invalid');
  await assertNothingKept(world);
});

test('40 MB are accepted in one request, one byte more is not, and nothing is left of either', async () => {
  await using world = await openWorld({ worker: false });
  const most = fetchLimits.totalBytes;
  const whole = photoOf(most);
  assert.equal(whole.length, most);
  const taken = await upload(world, whole, { type: 'application/octet-stream' });
  assert.equal(taken.status, 201, JSON.stringify(taken.body));
  const inForm = await upload(world, formOf({ photo: whole }));
  assert.equal(inForm.status, 201, JSON.stringify(inForm.body));
  for (const { upload_id: id } of [taken.body, inForm.body]) await world.send('DELETE', `/uploads/${id}`);

  const more = photoOf(most + 1);
  const chunked = new Blob([new Uint8Array(more)]).stream();
  for (const [body, pointer] of [
    [more, ''],
    [chunked, ''],
    [formOf({ photo: more }), '/photo'],
  ] as const) {
    const reply = await upload(world, body, body instanceof FormData ? {} : { type: 'image/jpeg' });
    assertProblem(reply, 422, 'inputs_unusable');
    assert.deepEqual(
      (reply.body.errors as { code: string; pointer: string }[]).map((error) => [error.code, error.pointer]),
      [['input_too_large', pointer]],
    );
  }
  await assertNothingKept(world);
});

test('nothing is left of an upload whose client leaves, and an early refusal reaches a client that still sends', async () => {
  await using world = await openWorld({ worker: false });
  const headers = { ...bearer(world.key), 'content-type': 'image/jpeg', 'content-length': '1000000' };
  {
    using client = await openRawClient(world.url);
    client.write(rawRequest('POST', '/api/v1/uploads', { headers }));
    client.write(photo);
    await eventually(
      () => incoming(world),
      (folders) => folders.length > 0,
    );
    client.socket.destroy();
  }
  await assertNothingKept(world);
  using client = await openRawClient(world.url);
  client.write(rawRequest('POST', '/api/v1/uploads', { headers }));
  client.write(Buffer.alloc(100, 'x'));
  assertRawProblem(await client.next(), 422, 'inputs_unusable');
  // The connection is still usable after the rest has arrived.
  client.write(Buffer.alloc(999_900, 'x'));
  client.write(rawRequest('GET', '/api/v1/balance', { headers: bearer(world.key) }));
  assert.equal((await client.next())?.status, 200);
  using polite = await openRawClient(world.url);
  polite.write(rawRequest('POST', '/api/v1/uploads', { headers: { ...headers, expect: '100-continue' } }));
  assert.equal((await polite.next())?.status, 100);
});

test('an account keeps no more than its limits, and is refused before it sends', async () => {
  await using world = await openWorld({ worker: false, replacements: { uploadLimits: { count: 3 } } });
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => upload(world, photo, { type: 'image/jpeg' })),
  );
  const kept = replies.filter(({ status }) => status === 201);
  assert.equal(kept.length, 3);
  for (const reply of replies) if (reply.status !== 201) assertProblem(reply, 409, 'upload_limit_reached');
  using client = await openRawClient(world.url);
  const headers = { ...bearer(world.key), 'content-type': 'image/jpeg', 'content-length': '1000000' };
  client.write(rawRequest('POST', '/api/v1/uploads', { headers }));
  assertRawProblem(await client.next(), 409, 'upload_limit_reached');
  await world.send('DELETE', `/uploads/${kept[0]?.body.upload_id}`);
  await uploaded(world);
  await world.elapse(2 * dayMs);
  await uploaded(world);
});

test('on an object store an upload works as on a disk', async () => {
  await using s3 = await startS3(['images']);
  await using world = await openWorld({
    env: {
      DARKROOM_STORAGE: `s3://images?endpoint=${s3.endpoint}`,
      AWS_ACCESS_KEY_ID: s3Credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3Credentials.secretAccessKey,
    },
  });
  const { url, upload_id: id, bytes } = await uploaded(world);
  assert.equal((await (await fetch(url)).arrayBuffer()).byteLength, bytes);
  const job = await world.finished(String((await createFrom(world, url)).body.job_id));
  assert.equal(job.status, 'done');
  await world.send('DELETE', `/uploads/${id}`);
  await assertNothingKept(world);
});
