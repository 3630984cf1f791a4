import assert from 'node:assert/strict';
import { test } from 'node:test';
import { disableKey } from '../../src/accounts/disable-key.ts';
import { rollKey } from '../../src/accounts/roll-key.ts';
import { startApp } from '../../src/app.ts';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { ProviderError } from '../../src/upstream/providers/provider.ts';
import { assertProblem, assertRefused, pointersOf } from '../http/support/refusal.ts';
import { bearer, eventually, postText, textBody } from '../http/support/requests.ts';
import { plainPng } from '../world/provider.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld, type World } from '../world/world.ts';

interface Made {
  token: string;
  token_id: string;
  expires_at: string;
  models: string[] | null;
  spend_cap: string | null;
  origin: string | null;
}

async function makeToken(world: World, body: object = {}, key = world.key): Promise<Made> {
  const reply = await world.send('POST', '/client-tokens', { body, headers: bearer(key) });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body as unknown as Made; // the documented shape
}

const minute = 60_000;
const page = 'https://app.example.com';

test('tokens are listed and read by those who manage the account, and end when revoked', async () => {
  await using world = await openWorld({ worker: false });
  const { token, ...made } = await makeToken(world, { models: ['nb2'], spend_cap: '1', origin: page });
  const plain = await makeToken(world);
  const path = `/client-tokens/${made.token_id}`;
  const list = async (key = world.key) =>
    (await world.send('GET', '/client-tokens', { headers: bearer(key) })).body.data as Made[];
  assert.deepEqual((await list())[1], made);
  assert.deepEqual((await world.send('GET', path)).body, made);
  assert.equal((await list())[0]?.spend_cap, null);
  const other = await world.account('other', { creditMicros: 1_000_000n });
  assert.deepEqual(await list(other.key), []);
  for (const method of ['GET', 'DELETE'])
    assertProblem(await world.send(method, path, { headers: bearer(other.key) }), 404, 'not_found');

  const create = () => postText(world, {}, { ...bearer(token), origin: page });
  assert.equal((await create()).status, 202);
  assert.equal((await world.send('DELETE', path)).status, 204);
  await world.elapse(1_000); // the time for which a process caches a token
  assertProblem(await create(), 401, 'key_invalid');
  for (const method of ['GET', 'DELETE']) assertProblem(await world.send(method, path), 404, 'not_found');
  assert.deepEqual(
    (await list()).map(({ token_id }) => token_id),
    [plain.token_id],
  );
  assert.equal((await postText(world, {}, bearer(plain.token))).status, 202);
});

test('a client token makes jobs, reads those, and does nothing else', async () => {
  await using world = await openWorld();
  const made = await makeToken(world, { expires_in: 120, models: ['nb2'], spend_cap: '1', origin: page });
  assert.match(made.token, /^dkc_[0-9A-Za-z]{38}$/);
  assert.deepEqual([made.models, made.spend_cap, made.origin], [['nb2'], '1.00', page]);
  assert.equal(Date.parse(made.expires_at) - world.clock.nowMs() <= 2 * minute, true);
  const from = { ...bearer(made.token), origin: page };

  const jobId = await world.create(undefined, {}, from);
  const waited = await world.send('GET', `/jobs/${jobId}`, { headers: { ...from, prefer: 'wait=30' } });
  assert.equal(waited.body.status, 'done');
  const { body: seenByKey } = await world.send('GET', `/jobs/${jobId}`);
  assert.deepEqual(seenByKey, waited.body);

  // Jobs of the key or of another token are unknown to the token, even as a stream and as a replay.
  const another = { ...bearer((await makeToken(world)).token) };
  const theirs = await world.create(undefined, {}, { ...another, 'idempotency-key': 'one' });
  const ofKey = await world.create(undefined, {}, { 'idempotency-key': 'one' });
  const own = await world.create(undefined, {}, { ...from, 'idempotency-key': 'one' });
  assert.equal(new Set([theirs, ofKey, own]).size, 3);
  assert.equal(await world.create(undefined, {}, { ...from, 'idempotency-key': 'one' }), own);
  for (const id of [theirs, ofKey]) {
    for (const accept of ['application/json', 'text/event-stream']) {
      const reply = await world.send('GET', `/jobs/${id}`, { headers: { ...from, accept } });
      assertProblem(reply, 404, 'not_found');
    }
  }

  await Promise.all([theirs, ofKey, own].map((id) => world.finished(id)));
  const uploaded = await fetch(`${world.url}/api/v1/uploads`, {
    method: 'POST',
    headers: { ...from, 'content-type': 'image/png' },
    body: Buffer.from(plainPng(64, 64)),
  });
  assert.equal(uploaded.status, 201);
  const { url: image, upload_id: uploadId } = (await uploaded.json()) as Record<string, string>;
  const inputs = { body: { ...textBody, input_images_urls: [image] }, headers: from };
  const edit = await world.send('POST', '/nb2/url-generations', inputs);
  assert.equal(edit.status, 202, JSON.stringify(edit.body));
  await world.finished(String(edit.body.job_id));

  for (const [method, path] of [
    ['DELETE', `/uploads/${uploadId}`],
    ['GET', '/jobs'],
    ['POST', `/jobs/${jobId}/cancel`],
    ['GET', '/events'],
    ['GET', '/webhooks/default'],
    ['POST', '/webhooks/default/rotate'],
    ['GET', '/deliveries'],
    ['GET', '/balance'],
    ['GET', '/entries'],
    ['GET', '/usage'],
    ['GET', '/models'],
    ['POST', '/client-tokens'],
  ] as const) {
    const options = { headers: from, ...(method === 'POST' && { body: {} }) };
    await assertRefused(world, () => world.send(method, path, options), 403, 'token_forbidden');
  }
  await assertRefused(
    world,
    () => world.send('POST', '/text-generations', { body: textBody, headers: from }),
    403,
    'model_forbidden',
  );
  const hook = await assertRefused(
    world,
    () => postText(world, { callback_url: 'https://example.com/' }, from),
    422,
    'invalid_request',
  );
  assert.deepEqual(pointersOf(hook), ['/callback_url']);
  await world.finished(await world.create(undefined, { callback_url: null }, from));

  // The token's origin, sent by the browser, or the page's own server.
  const host = new URL(world.url).host;
  const atHome = await makeToken(world, { origin: `http://${host}` });
  const refused = [
    [made.token, {}],
    [made.token, { origin: 'https://evil.example' }],
    [made.token, { origin: `${page}.evil.example` }],
    [made.token, { 'sec-fetch-site': 'same-origin' }],
    [atHome.token, { 'sec-fetch-site': 'cross-site' }],
  ] as const;
  for (const [token, headers] of refused) {
    const send = () => postText(world, {}, { ...headers, ...bearer(token) });
    await assertRefused(world, send, 403, 'origin_refused');
  }
  const sameOrigin = { ...bearer(atHome.token), 'sec-fetch-site': 'same-origin' };
  assert.equal((await postText(world, {}, sameOrigin)).status, 202);

  const shown = await world.app.database.read.selectFrom('jobs').select('key_id').execute();
  assert.equal(new Set(shown.map((row) => row.key_id)).size, 1);
});

test('an invalid client token is refused, and no token may do more than its key', async () => {
  await using world = await openWorld({ worker: false });
  const narrow = await world.account('narrow', {
    creditMicros: 1_000_000n,
    models: ['nb'],
    expiresInMs: 5 * minute,
  });
  for (const [body, pointer] of [
    [{ expires_in: 0 }, '/expires_in'],
    [{ expires_in: 3_601 }, '/expires_in'],
    [{ expires_in: '60' }, '/expires_in'],
    [{ models: [] }, '/models'],
    [{ models: ['nb', 'none'] }, '/models/1'],
    [{ spend_cap: '0' }, '/spend_cap'],
    [{ spend_cap: '-1' }, '/spend_cap'],
    [{ spend_cap: 1 }, '/spend_cap'],
    [{ spend_cap: '0.0000001' }, '/spend_cap'],
    [{ origin: '*' }, '/origin'],
    [{ origin: 'null' }, '/origin'],
    [{ origin: `${page}/` }, '/origin'],
    [{ origin: 'file:///tmp' }, '/origin'],
    [{ more: true }, '/more'],
  ] as const) {
    const reply = await world.send('POST', '/client-tokens', { body });
    assertProblem(reply, 422, 'invalid_request');
    assert.deepEqual(pointersOf(reply), [pointer]);
  }
  const asked = { body: { models: ['nb2'] }, headers: bearer(narrow.key) };
  assertProblem(await world.send('POST', '/client-tokens', asked), 403, 'model_forbidden');
  const made = await makeToken(world, { expires_in: 3_600 }, narrow.key);
  assert.deepEqual(made.models, ['nb']);
  assert.ok(Date.parse(made.expires_at) <= world.clock.nowMs() + 5 * minute);
  assertProblem(await postText(world, {}, bearer(made.token)), 403, 'model_forbidden');

  const create = (token: string) =>
    world.send('POST', '/nb/text-generations', { body: textBody, headers: bearer(token) });
  assert.equal((await create(made.token)).status, 202);
  await world.elapse(5 * minute);
  assertProblem(await create(made.token), 401, 'key_invalid');

  const short = await makeToken(world, { expires_in: 60 });
  const long = await makeToken(world);
  await world.elapse(minute);
  assertProblem(await create(short.token), 401, 'key_invalid');
  assert.equal((await create(long.token)).status, 202);
  const [{ key_id: keyId } = { key_id: '' }] = await world.app.database.read
    .selectFrom('client_tokens')
    .select('key_id')
    .where('id', '=', long.token_id)
    .execute();
  await disableKey(world.app, { keyId }, commandLine);
  await eventually(
    () => create(long.token),
    ({ status }) => status === 401,
  );
});

test('a client token ends when its key is rolled, at once or after the overlap', async () => {
  await using world = await openWorld({ worker: false });
  const { accountId, key, keyId } = await world.account('rolled', { creditMicros: 1_000_000n });
  const { token } = await makeToken(world, { expires_in: 3_600 }, key);
  const roll = (id: string, overlapMs: number) =>
    rollKey({ ...world.app, clock: world.clock }, { accountId, keyId: id, overlapMs }, commandLine);
  const next = await roll(keyId, minute);
  const late = await makeToken(world, { expires_in: 3_600 }, key);
  for (const own of [token, late.token]) assert.equal((await postText(world, {}, bearer(own))).status, 202);
  await world.elapse(minute);
  for (const own of [token, late.token])
    assertProblem(await postText(world, {}, bearer(own)), 401, 'key_invalid');

  const { token: last } = await makeToken(world, {}, next.key);
  assert.equal((await postText(world, {}, bearer(last))).status, 202);
  await roll(next.keyId, 0);
  await world.elapse(2_000); // recently used keys are cached for a second
  assertProblem(await postText(world, {}, bearer(last)), 401, 'key_invalid');
  for (const ended of [keyId, next.keyId]) await assert.rejects(roll(ended, 0), /no longer works/);
});

test('spend cap race: 200 parallel creates over two servers with a cap of 50 jobs get exactly 50 × 202', async () => {
  await using world = await openWorld({ worker: false });
  await using second = await startApp(world.config, { clock: world.clock, log: silentLog });
  const { token } = await makeToken(world, { spend_cap: '2.00' });
  const answers = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const response = await fetch(`${index % 2 ? second.url : world.url}/api/v1/nb2/text-generations`, {
        method: 'POST',
        headers: { ...bearer(token), 'content-type': 'application/json' },
        body: JSON.stringify(textBody),
      });
      return { status: response.status, body: await response.json() };
    }),
  );
  const byStatus = Map.groupBy(answers, ({ status }) => status);
  assert.deepEqual([byStatus.get(202)?.length, byStatus.get(402)?.length], [50, 150]);
  const last = await postText(world, {}, bearer(token));
  assertProblem(last, 402, 'spend_limit_reached');
  assert.deepEqual([last.body.available, last.body.required], ['0.00', '0.04']);
  assert.equal((await postText(world)).status, 202);
});

test('a job that fails no longer counts against the cap, and expired tokens are removed', async () => {
  await using world = await openWorld();
  const { token } = await makeToken(world, { spend_cap: '0.05', expires_in: 60 });
  world.provider.handler = () => Promise.reject(new ProviderError('safety_blocked', 'No.'));
  for (const _time of [1, 2, 3]) {
    const jobId = await world.create(undefined, {}, bearer(token));
    assert.equal((await world.finished(jobId, token)).status, 'failed');
  }
  world.provider.handler = async (request) => world.provider.answer(request);
  const jobId = await world.create(undefined, {}, bearer(token));
  assert.equal((await world.finished(jobId, token)).status, 'done');
  assertProblem(await postText(world, {}, bearer(token)), 402, 'spend_limit_reached');

  await world.elapse(11 * minute);
  await world.restart();
  const left = () => world.app.database.read.selectFrom('client_tokens').select('id').execute();
  await eventually(left, ({ length }) => length === 0);
  assert.equal((await world.send('GET', `/jobs/${jobId}`)).body.status, 'done');
});
