import assert from 'node:assert/strict';
import { hash, randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { createKey } from '../../src/accounts/create-key.ts';
import { creditAccount } from '../../src/accounts/credit-account.ts';
import { fingerprintOf } from '../../src/jobs/admission/fingerprint.ts';
import { pause, resume } from '../../src/jobs/admission/pause-store.ts';
import { tellLowBalances } from '../../src/notify/alerts/tell-low-balances.ts';
import { ProviderError } from '../../src/upstream/providers/provider.ts';
import { openRawClient, rawRequest } from '../http/support/raw-client.ts';
import { assertProblem, assertRefused } from '../http/support/refusal.ts';
import { bearer, eventually, postText, textBody } from '../http/support/requests.ts';
import { readSnapshot } from '../http/support/snapshot.ts';
import { onePixelPng } from '../inputs/support/images.ts';
import { startStranger, strangerNetwork } from '../inputs/support/strangers.ts';
import { expire } from '../world/expire.ts';
import { openWorld, type Reply } from '../world/world.ts';

const env = { DARKROOM_ALLOW_NETWORKS: strangerNetwork };
const world = await openWorld({ worker: false, env });
after(() => world[Symbol.asyncDispose]());

const withKey = (key: string = randomUUID(), more: Record<string, string> = {}) => ({
  'idempotency-key': key,
  ...more,
});
const isReplay = ({ headers }: Reply) => headers.get('idempotent-replayed') === 'true';

/** The jobs of an account with the number of reservations of each. */
async function jobsOf(accountId: string, { app } = world) {
  return app.database.read
    .selectFrom('jobs')
    .innerJoin('entries', 'entries.job_id', 'jobs.id')
    .select('jobs.id')
    .where('jobs.account_id', '=', accountId)
    .where('entries.kind', '=', 'reserve')
    .execute();
}

test('D1: the same request five times is one job, reserved once, with the same answer', async () => {
  const { key, accountId } = await world.account('D1', { creditMicros: 1_000_000n });
  const headers = withKey(undefined, bearer(key));
  const replies: Reply[] = [];
  for (let i = 0; i < 5; i += 1) replies.push(await postText(world, {}, headers));
  for (const reply of replies) {
    assert.equal(reply.status, 202);
    assert.deepEqual(reply.body, replies[0]?.body);
    assert.equal(reply.headers.get('location'), replies[0]?.headers.get('location'));
  }
  assert.deepEqual(replies.map(isReplay), [false, true, true, true, true]);
  assert.equal((await jobsOf(accountId)).length, 1);
});

test('D2: 200 parallel creates with one key are one job and one reservation', async () => {
  const { key, accountId } = await world.account('D2', { creditMicros: 100_000_000n });
  const headers = withKey(undefined, bearer(key));
  const replies = await Promise.all(Array.from({ length: 200 }, () => postText(world, {}, headers)));
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([202]));
  assert.equal(new Set(replies.map(({ body }) => body.job_id)).size, 1);
  assert.equal(replies.filter((reply) => !isReplay(reply)).length, 1);
  assert.equal((await jobsOf(accountId)).length, 1);
  const { body } = await world.send('GET', '/balance', { headers: bearer(key) });
  assert.equal(body.reserved, '0.04');
});

test('D2: 50 parallel creates from URLs with one key fetch the inputs once', async () => {
  let fetches = 0;
  await using images = await startStranger((_request, response) => {
    fetches += 1;
    response.end(onePixelPng);
  });
  const { key, accountId } = await world.account('D2 url', { creditMicros: 1_000_000n });
  const headers = withKey(undefined, bearer(key));
  const body = { ...textBody, input_images_urls: [`${images.origin}/a.png`] };
  // A request that has waited ten seconds for the key, as on a busy machine, is sent again.
  const create = async (): Promise<Reply> => {
    const reply = await world.send('POST', '/nb2/url-generations', { body, headers });
    return reply.body.code === 'idempotency_key_in_use' ? create() : reply;
  };
  const replies = await Promise.all(Array.from({ length: 50 }, create));
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([202]));
  assert.equal(new Set(replies.map((reply) => reply.body.job_id)).size, 1);
  assert.equal((await jobsOf(accountId)).length, 1);
  assert.equal(fetches, 1);
});

test('D3, D4: the same key with another prompt, field or endpoint is 422', async () => {
  const headers = withKey();
  assert.equal((await postText(world, {}, headers)).status, 202);
  for (const send of [
    () => postText(world, { prompt: 'another' }, headers),
    () => postText(world, { resolution: '2K' }, headers),
    () => world.send('POST', '/text-generations', { body: textBody, headers }),
    () => world.send('POST', '/nb/text-generations', { body: textBody, headers }),
  ]) {
    await assertRefused(world, send, 422, 'idempotency_key_reused');
  }
});

test('D5: the order of fields, white space and NULs do not make another request', async () => {
  const headers = withKey();
  const first = await postText(world, { resolution: '2K' }, headers);
  assert.equal(first.status, 202);
  const same = '\n{ "resolution":  "2K", "aspect_ratio" : "1:1",\t"prompt": "a \\u0000fox" }\r\n';
  const replay = await world.send('POST', '/nb2/text-generations', { body: same, headers });
  assert.ok(isReplay(replay));
  assert.deepEqual(replay.body, first.body);
});

test('explicit defaults make the same request as omitted ones', async () => {
  const written = { resolution: '1K', callback_url: null };
  for (const [first, second] of [
    [{}, written],
    [written, {}],
  ] as const) {
    const headers = withKey();
    const created = await postText(world, first, headers);
    const replay = await postText(world, second, headers);
    assert.ok(isReplay(replay), JSON.stringify(replay.body));
    assert.deepEqual(replay.body, created.body);
    await assertRefused(
      world,
      () => postText(world, { resolution: '2K' }, headers),
      422,
      'idempotency_key_reused',
    );
  }
});

test('stored fingerprints stay valid', () => {
  const body = { prompt: 'a fox', aspect_ratio: '1:1' };
  assert.equal(
    fingerprintOf('POST', 'nb2 text', body),
    hash('sha256', 'POST nb2 text\n{"aspect_ratio":"1:1","prompt":"a fox"}', 'hex'),
  );
});

test('D7: a replay is answered even when the money is gone', async () => {
  const { key } = await world.account('D7', { creditMicros: 40_000n });
  const headers = withKey(undefined, bearer(key));
  const first = await postText(world, {}, headers);
  assertProblem(await postText(world, {}, bearer(key)), 402, 'insufficient_funds');
  assert.deepEqual((await postText(world, {}, headers)).body, first.body);
});

test('D8, D10: while paused a replay is answered, and a refused key works after the pause', async () => {
  const { database } = world.app;
  const known = withKey();
  const refused = withKey();
  const first = await postText(world, {}, known);
  for (const scope of ['nb2', 'project'] as const) {
    const code = scope === 'nb2' ? 'model_paused' : 'project_paused';
    await database.transaction((tx) => pause(tx, { scope, reason: null, until: null }));
    assert.deepEqual((await postText(world, {}, known)).body, first.body);
    await assertRefused(world, () => postText(world, {}, refused), 503, code);
    await database.transaction((tx) => resume(tx, scope));
  }
  const admitted = await postText(world, {}, refused);
  assert.equal(admitted.status, 202);
  assert.ok(!isReplay(admitted));
});

test('D9: a key that got 402 makes a new job once there is credit', async () => {
  const { key, accountId } = await world.account('D9', { creditMicros: 10_000n });
  const headers = withKey(undefined, bearer(key));
  await assertRefused(world, () => postText(world, {}, headers), 402, 'insufficient_funds');
  await creditAccount(
    { ...world.app, tellBalances: tellLowBalances },
    { account: accountId, amountMicros: 30_000n, reason: 'top-up' },
  );
  const admitted = await postText(world, {}, headers);
  assert.equal(admitted.status, 202);
  assert.ok(!isReplay(admitted));
});

test('D11: a key whose inputs could not be fetched runs again', async () => {
  let works = false;
  await using images = await startStranger((_request, response) => {
    response.statusCode = works ? 200 : 500;
    response.end(onePixelPng);
  });
  const body = { ...textBody, input_images_urls: [`${images.origin}/a.png`] };
  const headers = withKey();
  const send = () => world.send('POST', '/nb2/url-generations', { body, headers });
  await assertRefused(world, send, 422, 'inputs_unusable');
  works = true;
  const admitted = await send();
  assert.equal(admitted.status, 202);
  assert.ok(!isReplay(admitted));
  assert.deepEqual((await send()).body, admitted.body);
});

test('a key that got 401, 403, 415 or 422 is not used up', async () => {
  const { key, accountId } = await world.account('limited', { creditMicros: 1_000_000n, models: ['nb'] });
  const headers = withKey();
  const limited = { ...headers, ...bearer(key) };
  await assertRefused(world, () => postText(world, {}, { ...headers, ...bearer('x') }), 401, 'key_invalid');
  await assertRefused(world, () => postText(world, {}, limited), 403, 'model_forbidden');
  const plain = { ...headers, 'content-type': 'text/plain' };
  await assertRefused(world, () => postText(world, {}, plain), 415, 'unsupported_media_type');
  await assertRefused(world, () => postText(world, { prompt: '' }, headers), 422, 'invalid_request');
  assert.ok(!isReplay(await postText(world, {}, headers)));
  assert.equal(
    (await world.send('POST', '/nb/text-generations', { body: textBody, headers: limited })).status,
    202,
  );
  assert.equal((await jobsOf(accountId)).length, 1);
});

test('D12: a server that dies between commit and answer has the job, and a replay finds it', async () => {
  await using own = await openWorld({ worker: false });
  const headers = withKey();
  using client = await openRawClient(own.url);
  const body = JSON.stringify(textBody);
  const path = '/api/v1/nb2/text-generations';
  client.write(rawRequest('POST', path, { headers: { ...headers, ...bearer(own.key) }, body }));
  const [job] = await eventually(
    () => jobsOf(own.accountId, own),
    ({ length }) => length === 1,
  );
  client.socket.destroy(); // this client never reads the answer
  await own.restart();
  const replay = await postText(own, {}, headers);
  assert.ok(isReplay(replay));
  assert.equal(replay.body.job_id, job?.id);
  assert.equal((await jobsOf(own.accountId, own)).length, 1);
});

test('D14: the same key from another account is another job', async () => {
  const headers = withKey();
  const { key } = await world.account('D14', { creditMicros: 1_000_000n });
  const first = await postText(world, {}, headers);
  const other = await postText(world, {}, { ...headers, ...bearer(key) });
  assert.equal(other.status, 202);
  assert.ok(!isReplay(other));
  assert.notEqual(other.body.job_id, first.body.job_id);
});

test('D15: the same key with another API key of the account is a replay', async () => {
  const headers = withKey();
  const first = await postText(world, {}, headers);
  const { database } = world.app;
  const { key } = await createKey({ database, clock: world.clock }, { account: world.accountId });
  const replay = await postText(world, {}, { ...headers, ...bearer(key) });
  assert.ok(isReplay(replay));
  assert.deepEqual(replay.body, first.body);
});

for (const [name, lines] of [
  ['of 256 characters', [`a`.repeat(256)]],
  ['that is empty', ['']],
  ['of two quotes only', ['""']],
  ['with a letter outside ASCII', ['caf\u00e9']],
  ['with a tab inside', ['a\tb']],
  ['with a space inside', ['a b']],
  ['sent twice', ['a', 'a']],
  ['sent twice in quotes', ['"a"', '"a"']],
] as const) {
  test(`D16: a key ${name} is 422`, async () => {
    const before = await readSnapshot(world);
    using client = await openRawClient(world.url);
    const body = JSON.stringify(textBody);
    const keys = lines.map((line) => `idempotency-key: ${line}\r\n`).join('');
    client.write(
      Buffer.from(
        `POST /api/v1/nb2/text-generations HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${world.key}\r\n` +
          `content-type: application/json\r\ncontent-length: ${body.length}\r\n${keys}\r\n${body}`,
        'latin1',
      ),
    );
    const reply = await client.next();
    assert.equal(reply?.status, 422);
    assert.equal(JSON.parse(reply.body).errors[0].pointer, '/headers/idempotency-key');
    assert.deepEqual(await readSnapshot(world), before);
  });
}

test('a key of 255 visible characters is valid', async () => {
  const headers = withKey(`!${'~'.repeat(254)}`);
  const first = await postText(world, {}, headers);
  assert.equal(first.status, 202);
  assert.ok(isReplay(await postText(world, {}, headers)));
});

test('D17: a key in quotes and the same one without are the same key', async () => {
  const key = randomUUID();
  const first = await postText(world, {}, withKey(`"${key}"`));
  const replay = await postText(world, {}, withKey(key));
  assert.ok(isReplay(replay));
  assert.deepEqual(replay.body, first.body);
});

test('D18: a replay after the job failed has the first answer’s body', async () => {
  await using own = await openWorld();
  own.provider.handler = async () => {
    throw new ProviderError('safety_blocked', 'The prompt was refused.');
  };
  const headers = withKey();
  const first = await postText(own, {}, headers);
  const job = await own.finished(String(first.body.job_id));
  assert.equal(job.status, 'failed');
  const replay = await postText(own, {}, headers);
  assert.ok(isReplay(replay));
  assert.deepEqual(replay.body, first.body);
  assert.equal(replay.body.status, 'queued');
  assert.deepEqual(await own.balance(), { balance: '100.00', reserved: '0.00', available: '100.00' });

  await own.restart();
  assert.deepEqual((await postText(own, {}, headers)).body, first.body);
});

test('D19: on a GET the key is ignored', async () => {
  const jobId = await world.create();
  for (const path of ['/balance', `/jobs/${jobId}`, '/jobs', '/models'])
    for (const headers of [withKey('same'), withKey('caf')])
      assert.equal((await world.send('GET', path, { headers })).status, 200);
});

const dayMs = 24 * 60 * 60 * 1000;

test('a key is known for 30 days even if jobs are kept for less', async () => {
  await using own = await openWorld();
  const headers = withKey();
  const jobId = await own.create(undefined, {}, headers);
  await own.finished(jobId);
  await own.elapse(2 * dayMs);
  assert.equal((await expire(own.app, dayMs)).jobs, 1);
  const again = await postText(own, {}, headers);
  assert.ok(isReplay(again));
  assert.equal(again.body.job_id, jobId);
});

test('D20: a key is free again once retention has removed its job', async () => {
  await using own = await openWorld();
  const headers = withKey();
  const jobId = await own.create(undefined, {}, headers);
  await own.finished(jobId);
  await own.elapse(31 * dayMs);
  const purged = await expire(own.app, 30 * dayMs);
  // The image and its renditions.
  assert.deepEqual(purged, { jobs: 1, images: 4 });
  assertProblem(await own.send('GET', `/jobs/${jobId}`), 404, 'not_found');
  const again = await postText(own, {}, headers);
  assert.equal(again.status, 202);
  assert.ok(!isReplay(again));
  assert.notEqual(again.body.job_id, jobId);
  await own.finished(String(again.body.job_id));
  assert.equal((await own.balance()).balance, '99.92');
});
