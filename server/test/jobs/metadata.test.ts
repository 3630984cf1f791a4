import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertProblem, pointersOf } from '../http/support/refusal.ts';
import { bearer, postText } from '../http/support/requests.ts';
import { onePixelPng } from '../inputs/support/images.ts';
import { openMember } from '../panel/browser.ts';
import { makeImage } from '../panel/support/member.ts';
import { openWorld, type Reply, type World } from '../world/world.ts';
import { openOwnAccount } from './support/own-account.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world[Symbol.asyncDispose]());

const openAccount = (name: string) => openOwnAccount(world, name);

async function refusedWith(metadata: unknown): Promise<Reply> {
  const reply = await postText(world, { metadata });
  assertProblem(reply, 422, 'invalid_request');
  return reply;
}

test('metadata is stored, shown, found, and part of the request that an Idempotency-Key identifies', async () => {
  const own = await openAccount('metadata');
  const metadata = { order: '1042', 'customer name': 'Zoë & Söhne 🦊', note: '' };
  const jobId = await own.make({ metadata });
  const plain = await own.make();
  const other = await own.make({ metadata: { order: '1042', customer: 'b' } });
  assert.deepEqual((await own.finished(jobId)).metadata, metadata);
  assert.ok(!('metadata' in (await own.finished(plain))), 'an answer without metadata is as it was');

  assert.deepEqual(new Set(await own.list({ 'metadata[order]': '1042' })), new Set([jobId, other]));
  const both = { 'metadata[order]': '1042', 'metadata[customer name]': 'Zoë & Söhne 🦊' };
  assert.deepEqual(await own.list(both), [jobId]);
  assert.deepEqual(await own.list({ 'metadata[note]': '', status: 'done' }), [jobId]);
  assert.deepEqual(await own.list({ 'metadata[order]': '104' }), []);
  assert.deepEqual(await own.list({ 'metadata[Order]': '1042' }), []);
  const stranger = await openAccount('no metadata');
  assert.deepEqual(await stranger.list({ 'metadata[order]': '1042' }), []);

  const headers = { ...bearer(own.key), 'idempotency-key': 'once' };
  const send = (pairs: object) => postText(world, { metadata: pairs }, headers);
  const first = await send({ a: '1', b: '2' });
  assert.equal((await send({ b: '2', a: '1' })).body.job_id, first.body.job_id);
  assertProblem(await send({ a: '1' }), 422, 'idempotency_key_reused');
});

test('pages of jobs found by metadata follow one another, newest first', async () => {
  const own = await openAccount('pages');
  const made: string[] = [];
  for (let index = 0; index < 5; index += 1) {
    made.unshift(await own.make({ metadata: { set: index === 2 ? 'other' : 'one' } }));
    await world.elapse(1);
  }
  const wanted = made.filter((_, index) => index !== 2);
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await own.send('GET', `/jobs?limit=2&metadata%5Bset%5D=one${cursor}`);
    seen.push(...(body.data as { job_id: string }[]).map(({ job_id }) => job_id));
    if (body.next_cursor === null) break;
    cursor = `&cursor=${body.next_cursor}`;
  }
  assert.deepEqual(seen, wanted);
});

const pairs = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));
const longest = { ['🦊'.repeat(64)]: '🦊'.repeat(512) };

test('metadata has limits, in characters, and every database stores the same text', async () => {
  assert.equal((await postText(world, { metadata: longest })).status, 202);
  assert.equal((await postText(world, { metadata: pairs(16) })).status, 202);
  for (const [metadata, pointer] of [
    [pairs(17), '/metadata'],
    [{ ['k'.repeat(65)]: 'v' }, '/metadata'],
    [{ '': 'v' }, '/metadata'],
    [{ k: 'v'.repeat(513) }, '/metadata/k'],
    [{ k: 1 }, '/metadata/k'],
    [{ k: null }, '/metadata/k'],
    [{ k: {} }, '/metadata/k'],
    ['k=v', '/metadata'],
    [null, '/metadata'],
  ] as const)
    assert.ok(pointersOf(await refusedWith(metadata)).includes(pointer), JSON.stringify(metadata));

  const strange = await world.create(undefined, { metadata: { 'a\0b': 'c\ud800d\0' } });
  assert.deepEqual((await world.finished(strange)).metadata, { ab: 'c\ufffdd' });
  const { body } = await world.send('GET', '/jobs?metadata[a%00b]=c%EF%BF%BDd');
  assert.deepEqual((body.data as { job_id: string }[])[0]?.job_id, strange);
  const empty = await world.create(undefined, { metadata: {} });
  assert.ok(!('metadata' in (await world.finished(empty))));

  for (const query of [
    'metadata=1',
    'metadata[]=1',
    'metadata[a]=1&metadata[a]=2',
    `metadata[a]=${'v'.repeat(513)}`,
  ])
    assertProblem(await world.send('GET', `/jobs?${query}`), 422, 'invalid_request');
  const many = Object.keys(pairs(17))
    .map((key) => `metadata[${key}]=v`)
    .join('&');
  assertProblem(await world.send('GET', `/jobs?${many}`), 422, 'invalid_request');
});

test('the panel sets, shows, filters and exports metadata, and a repeated job keeps it', async () => {
  const browser = await openMember(world, { email: 'finder@example.com' });
  const body = { prompt: 'a fox', aspect_ratio: '1:1', metadata: { sheet: 'spring, "1"' } };
  const { job_id } = await browser.call(makeImage, { params: { model: 'nb2' }, body });
  await world.finished(job_id);
  const again = await browser.call('POST /api/v1/jobs/:job_id/again', {
    params: { job_id },
  });
  await world.finished(again.job_id);
  const query = { 'metadata[sheet]': 'spring, "1"' };
  const list = await browser.call('GET /api/v1/jobs', { query });
  assert.deepEqual(
    list.data.map((row) => [row.job_id, row.metadata]),
    [again.job_id, job_id].map((id) => [id, body.metadata]),
  );
  const detail = await browser.call('GET /panel/accounts/:account_id/jobs/:job_id', { params: { job_id } });
  assert.deepEqual(detail.request.body.metadata, body.metadata);
  const table = await browser.call('GET /api/v1/jobs.csv', { query });
  const [header = '', ...rows] = String(table).trimEnd().split('\r\n');
  assert.ok(header.endsWith(',prompt,metadata,tags,starred'));
  assert.equal(rows.length, 2);
  assert.ok(rows[0]?.includes(',a fox,"{""sheet"":""spring, \\""1\\""""}",'), rows[0]);
});

test('data that programs for other APIs attach to a request is kept with its jobs', async () => {
  const own = await openAccount('doors');
  const post = (path: string, body: object | FormData) =>
    fetch(`${world.url}${path}`, {
      method: 'POST',
      headers: {
        ...bearer(own.key),
        'x-goog-api-key': own.key,
        ...(!(body instanceof FormData) && { 'content-type': 'application/json' }),
      },
      body: body instanceof FormData ? body : JSON.stringify(body),
    });
  const kept = async (answer: Response) => {
    assert.equal(answer.status, 200, await answer.clone().text());
    const jobId = answer.headers.get('darkroom-job-id') ?? '';
    return (await own.send('GET', `/jobs/${jobId}`)).body.metadata;
  };
  const asked = { model: 'nb2', prompt: 'a fox' };
  const images = '/v1/images/generations';
  assert.deepEqual(await kept(await post(images, { ...asked, user: 'c-7', metadata: { order: '7' } })), {
    user: 'c-7',
    order: '7',
  });
  assert.deepEqual(await kept(await post(images, { ...asked, safety_identifier: 'c-8' })), { user: 'c-8' });
  assert.deepEqual(await kept(await post(images, { ...asked, user: 'c', metadata: { user: 'own' } })), {
    user: 'own',
  });
  for (const metadata of [longest, pairs(16)])
    assert.deepEqual(await kept(await post(images, { ...asked, metadata })), metadata);
  const full = { ...asked, user: 'c-9', metadata: pairs(16) };
  assert.deepEqual(await kept(await post(images, full)), full.metadata);
  const refused = [pairs(17), { ['k'.repeat(65)]: 'v' }, { '': 'v' }, { k: 'v'.repeat(513) }, { order: 7 }];
  for (const metadata of refused)
    assert.equal((await post(images, { ...asked, metadata })).status, 400, JSON.stringify(metadata));

  const form = new FormData();
  form.append('model', 'nb2');
  form.append('prompt', 'a fox');
  form.append('metadata[order]', '7');
  form.append('metadata[shop]', 'west');
  form.append('image', new Blob([new Uint8Array(onePixelPng)], { type: 'image/png' }), 'a.png');
  assert.deepEqual(await kept(await post('/v1/images/edits', form)), { order: '7', shop: 'west' });

  const google = { contents: [{ parts: [{ text: 'a fox' }] }], labels: { team: 'design' } };
  const answer = await post('/v1beta/models/nb2:generateContent', google);
  assert.deepEqual(await kept(answer), { team: 'design' });
});
