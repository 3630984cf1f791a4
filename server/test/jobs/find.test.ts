import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { fillWithFinishedJobs } from '../../../bench/fill.ts';
import { writeZip } from '../../src/images/write-zip.ts';
import { type ListPosition, listJobPage } from '../../src/jobs/list-jobs.ts';
import { catchUp, jobsPerBucket } from '../../src/jobs/search/catch-up.ts';
import { forgetWords } from '../../src/jobs/search/word-store.ts';
import { purgeJobs } from '../../src/upkeep/purge-jobs.ts';
import { writeWords } from '../../src/upkeep/write-words.ts';
import { assertProblem, pointersOf } from '../http/support/refusal.ts';
import { bearer, postText } from '../http/support/requests.ts';
import { onePixelPng } from '../inputs/support/pictures.ts';
import { openMember } from '../panel/browser.ts';
import { openWorld, type Reply, type World } from '../world/world.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world[Symbol.asyncDispose]());

/** An account of its own, so that its list holds what one test has made. */
async function openAccount(name: string) {
  const { key, accountId } = await world.account(name, { creditMicros: 10_000_000n });
  const headers = bearer(key);
  return {
    key,
    accountId,
    make: async (fields: object = {}, path = '/nb2/text-generations') => world.create(path, fields, headers),
    finished: (jobId: string) => world.finished(jobId, key),
    send: (method: string, path: string, body?: unknown) => world.send(method, path, { headers, body }),
    /** The ids that `GET /jobs` lists. */
    async list(query: Record<string, string> = {}): Promise<string[]> {
      const { status, body } = await world.send('GET', `/jobs?${new URLSearchParams(query)}`, { headers });
      assert.equal(status, 200, JSON.stringify(body));
      return (body.data as { job_id: string }[]).map(({ job_id }) => job_id);
    },
  };
}

async function refusedWith(metadata: unknown): Promise<Reply> {
  const reply = await postText(world, { metadata });
  assertProblem(reply, 422, 'invalid_request');
  return reply;
}

test('metadata is kept, shown, found, and part of what an Idempotency-Key stands for', async () => {
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

test('metadata has limits, in characters, and every store holds the same text', async () => {
  const pairs = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));
  const longest = { ['🦊'.repeat(64)]: '🦊'.repeat(512) };
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

test('the panel gives, shows, filters and exports metadata, and a repeat keeps it', async () => {
  const browser = await openMember(world, { email: 'finder@example.com' });
  const body = { model: 'nb2', prompt: 'a fox', aspect_ratio: '1:1', metadata: { sheet: 'spring, "1"' } };
  const { job_id } = await browser.call('POST /panel/accounts/:account_id/jobs', { body });
  await world.finished(job_id);
  const again = await browser.call('POST /panel/accounts/:account_id/jobs/:job_id/again', {
    params: { job_id },
  });
  await world.finished(again.job_id);
  const query = { 'metadata[sheet]': 'spring, "1"' };
  const list = await browser.call('GET /panel/accounts/:account_id/jobs', { query });
  assert.deepEqual(
    list.data.map((row) => [row.job_id, row.metadata]),
    [again.job_id, job_id].map((id) => [id, body.metadata]),
  );
  const detail = await browser.call('GET /panel/accounts/:account_id/jobs/:job_id', { params: { job_id } });
  assert.deepEqual(detail.request.body.metadata, body.metadata);
  const table = await browser.call('GET /panel/accounts/:account_id/jobs.csv', { query });
  const [header = '', ...rows] = String(table).trimEnd().split('\r\n');
  assert.ok(header.endsWith(',prompt,metadata'));
  assert.equal(rows.length, 2);
  assert.ok(rows[0]?.endsWith(',a fox,"{""sheet"":""spring, \\""1\\""""}"'), rows[0]);
});

test('what programs for other APIs say about a request is kept with its jobs', async () => {
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
  assert.equal((await post(images, { ...asked, metadata: { order: 7 } })).status, 400);

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

test('jobs are found by the words of their prompts, the newest first, page by page', async () => {
  const own = await openAccount('words');
  const prompts = [
    'A red fox in the snow',
    'Ein roter FUCHS im Café, at dusk',
    'a lighthouse at dusk; the fox sleeps',
    '它是一只白い狐、夜の港',
    'Ὀδυσσεύς and the ship\u0308 "İthaca"',
    'fox fox fox',
  ];
  const ids = new Map<string, string>();
  for (const prompt of prompts) ids.set(await own.make({ prompt }), prompt);
  const found = async (q: string, more: Record<string, string> = {}) =>
    (await own.list({ q, ...more })).map((id) => prompts.indexOf(ids.get(id) ?? ''));
  assert.deepEqual(await found('fox'), [5, 2, 0]);
  assert.deepEqual(await found('FOX snow'), [0], 'all words, in any order and case');
  assert.deepEqual(await found('dusk fo'), [2], 'the last is the beginning of a word');
  assert.deepEqual(await found('fo dusk'), [], 'no other is');
  assert.deepEqual(await found('cafe'), [1]);
  assert.deepEqual(await found('CAFÉ fuchs'), [1]);
  assert.deepEqual(await found('港 狐'), [3], 'characters of scripts without spaces');
  assert.deepEqual(await found('οδυσσευσ'), [4]);
  assert.deepEqual(await found('ithaca ship'), [4]);
  assert.deepEqual(await found('fox -snow'), [0], 'signs mean nothing');
  for (const q of [
    '"',
    "it's",
    '!!!',
    'fox*',
    "' | 'x",
    'fox OR snow',
    'NEAR(fox)',
    'a:b',
    '\\',
    '%',
    '\u{1f98a}',
  ])
    assert.ok((await found(q)).length <= prompts.length, q);
  assert.deepEqual(await found('…'), []);
  assert.deepEqual(await found('fox', { status: 'failed' }), []);
  assert.deepEqual(await found('fox', { limit: '2' }), [5, 2]);

  const { body: first } = await own.send('GET', '/jobs?q=fox&limit=2');
  await own.make({ prompt: 'another fox' });
  const { body: second } = await own.send('GET', `/jobs?q=fox&limit=2&cursor=${first.next_cursor}`);
  const rest = second.data as { prompt: string }[];
  assert.deepEqual(
    rest.map(({ prompt }) => prompt),
    [prompts[0]],
  );
  assert.equal(second.next_cursor, null);
  assertProblem(await own.send('GET', `/jobs?cursor=${first.next_cursor}`), 422, 'invalid_request');

  const stranger = await openAccount('no words');
  assert.deepEqual(await stranger.list({ q: 'fox' }), []);
  for (const q of ['', 'x'.repeat(301)])
    assertProblem(await own.send('GET', `/jobs?q=${q}`), 422, 'invalid_request');
});

test('what was found page by page of many is each once and in order, over the buckets of words', async () => {
  const own = await openAccount('many');
  await fillWithFinishedJobs(world.app.database, own.accountId, 2 * jobsPerBucket + 10);
  const last = await own.make({ prompt: 'a lighthouse at dawn' });
  const { database } = world.app;
  for (let more = true; more; ) ({ more } = await catchUp(database, own.accountId));
  const listAll = async (words: string, limit: number) => {
    const seen: string[] = [];
    for (let after: ListPosition | undefined; ; ) {
      const page = { after, limit };
      const { jobs, next } = await listJobPage(database, { accountId: own.accountId, words }, page);
      seen.push(...jobs.map(({ id }) => id));
      if (!next) return seen;
      after = next;
    }
  };
  const all = await listAll('light', 1_000);
  assert.equal(all.length, 2 * jobsPerBucket + 11);
  assert.deepEqual(all, [...new Set(all)].sort().reverse());
  assert.equal(all[0], last);
  assert.deepEqual(await listAll('dawn', 5), [last]);
  assert.deepEqual(await listAll('dusk dawn', 5), []);

  await database.transaction((tx) => forgetWords(tx, all.slice(0, 2)));
  assert.deepEqual((await own.list({ q: 'lighthouse', limit: '1' }))[0], all[2]);
});

test('jobs are listed by what they are, together with their words', async () => {
  const own = await openAccount('filters');
  const wide = await own.make({ prompt: 'a fox', aspect_ratio: '16:9' });
  await world.elapse(1_000);
  const between = new Date(world.clock.nowMs()).toISOString();
  await world.elapse(1_000);
  const square = await own.make({ prompt: 'a fox' }, '/nb/text-generations');
  const [, other] = [await own.finished(wide), await own.finished(square)];
  const keyId = await keyOf(square);
  for (const q of [{}, { q: 'fox' }]) {
    assert.deepEqual(await own.list({ ...q, aspect_ratio: '16:9' }), [wide]);
    assert.deepEqual(await own.list({ ...q, since: between }), [square]);
    assert.deepEqual(await own.list({ ...q, until: between }), [wide]);
    assert.deepEqual(await own.list({ ...q, model: 'nb', status: 'done' }), [square]);
    assert.deepEqual(await own.list({ ...q, key_id: keyId }), [square, wide]);
    assert.deepEqual(await own.list({ ...q, key_id: 'panel' }), []);
    assert.deepEqual(await own.list({ ...q, colour: 'mauve' }), []);
  }
  assert.equal(other.status, 'done');
  for (const query of [
    'since=yesterday',
    'key_id=me',
    'starred=yes',
    'colour=RED',
    'tag=',
    'from=2026-01-01',
  ])
    assertProblem(await own.send('GET', `/jobs?${query}`), 422, 'invalid_request');

  async function keyOf(jobId: string): Promise<string> {
    const read = world.app.database.read.selectFrom('jobs').select('key_id').where('id', '=', jobId);
    return (await read.executeTakeFirstOrThrow()).key_id;
  }
});

test('tags and stars are put on jobs, counted, and found', async () => {
  const own = await openAccount('tags');
  const one = await own.make();
  await world.elapse(1);
  const two = await own.make();
  const tagged = (jobId: string, tags: string[], starred: boolean) => ({ job_id: jobId, tags, starred });
  const put = async (method: string, path: string) => (await own.send(method, `/jobs/${path}`)).body;
  assert.deepEqual(
    await put('PUT', `${one}/tags/${encodeURIComponent(' für/Zoë? ')}`),
    tagged(one, ['für/Zoë?'], false),
  );
  assert.deepEqual(await put('PUT', `${one}/tags/best`), tagged(one, ['best', 'für/Zoë?'], false));
  assert.deepEqual(await put('PUT', `${one}/tags/best`), tagged(one, ['best', 'für/Zoë?'], false));
  assert.deepEqual(await put('PUT', `${two.toUpperCase()}/tags/best`), tagged(two, ['best'], false));
  assert.deepEqual(await put('PUT', `${two}/star`), tagged(two, ['best'], true));
  assert.deepEqual((await own.send('GET', '/tags')).body, {
    data: [
      { tag: 'best', jobs: 2 },
      { tag: 'für/Zoë?', jobs: 1 },
    ],
  });
  for (const q of [{}, { q: 'fox' }]) {
    assert.deepEqual(await own.list({ ...q, tag: 'best' }), [two, one]);
    assert.deepEqual(await own.list({ ...q, tag: 'best', starred: 'true' }), [two]);
    assert.deepEqual(await own.list({ ...q, starred: 'true' }), [two]);
    assert.deepEqual(await own.list({ ...q, starred: 'false' }), [one]);
    assert.deepEqual(await own.list({ ...q, tag: 'Best' }), []);
  }
  assert.deepEqual(await put('DELETE', `${two}/star`), tagged(two, ['best'], false));
  assert.deepEqual(await put('DELETE', `${two}/tags/best`), tagged(two, [], false));
  assert.deepEqual(await put('DELETE', `${two}/tags/never`), tagged(two, [], false));
  assert.deepEqual(await put('GET', `${two}/tags`), tagged(two, [], false));

  for (let index = 2; index < 20; index += 1) await put('PUT', `${one}/tags/t${index}`);
  assertProblem(await own.send('PUT', `/jobs/${one}/tags/more`), 422, 'invalid_request');
  for (const tag of ['%20', 'x'.repeat(51), 'a%0Ab', 'a%00b'])
    assertProblem(await own.send('PUT', `/jobs/${two}/tags/${tag}`), 422, 'invalid_request');
  const stranger = await openAccount('no tags');
  for (const path of [`${one}/tags/mine`, `${one}/star`, 'nothing/star'])
    assertProblem(await stranger.send('PUT', `/jobs/${path}`), 404, 'not_found');
  assertProblem(await stranger.send('GET', `/jobs/${one}/tags`), 404, 'not_found');
});

test('what a job was found by is purged with it', async () => {
  await using own = await openWorld();
  const { database, images } = own.app;
  const jobId = await own.create(undefined, { metadata: { order: '7' } });
  await own.finished(jobId);
  await own.send('PUT', `/jobs/${jobId}/tags/best`);
  await own.send('PUT', `/jobs/${jobId}/star`);
  const rows = async () => {
    await writeWords(database, new AbortController().signal);
    const tables = ['job_metadata', 'job_tags', 'job_stars', 'job_words'] as const;
    const count = (table: (typeof tables)[number]) =>
      sql<{ rows: number }>`select count(*) as rows from ${sql.table(table)}`.execute(database.read);
    return Promise.all(tables.map(async (table) => Number((await count(table)).rows[0]?.rows)));
  };
  assert.deepEqual(await rows(), [1, 1, 1, 1]);
  await own.jump(1_000);
  assert.equal((await purgeJobs({ database, images }, 0)).jobs, 1);
  assert.deepEqual(await rows(), [0, 0, 0, 0]);
});

test('the panel tags many jobs at once, all or none', async () => {
  const browser = await openMember(world, { email: 'tagger@example.com' });
  const jobs = await Promise.all([1, 2, 3].map(() => world.create()));
  const change = (body: object) =>
    browser.try('POST /panel/accounts/:account_id/jobs/tags', { body: { job_ids: jobs, ...body } });
  const { body } = await change({ add: ['spring', 'draft'], starred: true });
  assert.deepEqual((body.data as object[]).length, 3);
  const query = { tag: 'spring', starred: 'true' } as const;
  const { data } = await browser.call('GET /panel/accounts/:account_id/jobs', { query });
  assert.deepEqual(new Set(data.map(({ job_id }) => job_id)), new Set(jobs));
  assert.deepEqual([data[0]?.tags, data[0]?.starred], [['draft', 'spring'], true]);
  assert.equal((await change({ remove: ['draft'], starred: false })).status, 200);
  assert.deepEqual((await browser.call('GET /panel/accounts/:account_id/tags')).data, [
    { tag: 'spring', jobs: 3 },
  ]);
  const { key } = await openAccount('elsewhere');
  const foreign = await world.create('/nb2/text-generations', {}, bearer(key));
  assert.equal((await change({ job_ids: [...jobs, foreign], add: ['never'] })).status, 404);
  assert.deepEqual((await browser.call('GET /panel/accounts/:account_id/tags')).data, [
    { tag: 'spring', jobs: 3 },
  ]);
});

test('a job remembers the job whose picture it used, which it repeats, or from which it was edited', async () => {
  const browser = await openMember(world, { email: 'heir@example.com' });
  const first = await world.create(undefined, { prompt: 'a fox' });
  const made = await world.finished(first);
  assert.ok(!('origin' in made));
  const { image_url } = made.result as { image_url: string };
  const used = await world.create('/nb2/url-generations', {
    input_images_urls: [image_url],
    prompt: 'at night',
  });
  assert.deepEqual((await world.finished(used)).origin, { job_id: first, kind: 'input' });
  const edited = await world.create(undefined, { prompt: 'a cat', origin: { job_id: used, kind: 'edit' } });
  assert.deepEqual((await world.finished(edited)).origin, { job_id: used, kind: 'edit' });
  const again = await browser.call('POST /panel/accounts/:account_id/jobs/:job_id/again', {
    params: { job_id: edited },
  });
  await world.finished(again.job_id);
  const inPanel = await browser.call('POST /panel/accounts/:account_id/jobs', {
    body: { model: 'nb2', prompt: 'b', aspect_ratio: '1:1', inputs: [{ job_id: used }] },
  });
  await world.finished(inPanel.job_id);

  const lineage = async (job_id: string) =>
    (await browser.call('GET /panel/accounts/:account_id/jobs/:job_id', { params: { job_id } })).lineage;
  const { ancestors } = await lineage(again.job_id);
  assert.deepEqual(
    ancestors.map(({ job_id, prompt, origin }) => [job_id, prompt, origin?.kind]),
    [
      [edited, 'a cat', 'edit'],
      [used, 'at night', 'input'],
      [first, 'a fox', undefined],
    ],
  );
  const { children } = await lineage(used);
  assert.deepEqual(
    new Set(children.map(({ job_id, origin }) => `${job_id} ${origin?.kind}`)),
    new Set([`${edited} edit`, `${inPanel.job_id} input`]),
  );

  const stranger = await openAccount('no heir');
  const taken = await world.create(
    '/nb2/url-generations',
    { input_images_urls: [image_url] },
    bearer(stranger.key),
  );
  assert.ok(!('origin' in (await stranger.finished(taken))), 'it is the picture of somebody else');
  for (const origin of [
    { job_id: first, kind: 'edit' },
    { job_id: 'first', kind: 'edit' },
    { job_id: first, kind: 'input' },
    { job_id: first },
    'first',
  ])
    assertProblem(await postText(world, { origin }, bearer(stranger.key)), 422, 'invalid_request');
});

test('the images of a selection come as one archive, which unzip and Python read', async () => {
  const own = await openAccount('zip');
  const ids = [await own.make({ prompt: 'a fox / näht "x"' }), await own.make({ prompt: '…' })];
  const sizes = new Map<string, number>();
  for (const id of ids) {
    const { bytes } = (await own.finished(id)).result as { bytes: number };
    sizes.set(id.slice(-12), bytes);
  }
  const headers = bearer(own.key);
  const get = (list: readonly string[]) =>
    fetch(`${world.url}/api/v1/jobs/images.zip?job_ids=${list.join(',')}`, { headers });
  const short = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
  const answer = await get([...ids, short(ids[0] ?? ''), ...ids.map((id) => id.toUpperCase())]);
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/zip']);
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-zip-'));
  try {
    const file = join(folder, 'images.zip');
    await writeFile(file, Buffer.from(await answer.arrayBuffer()));
    const listed = execFileSync('python3', ['-c', listZip, file], { encoding: 'utf8' });
    const found = JSON.parse(listed) as [name: string, bytes: number, isPng: boolean][];
    assert.equal(found.length, 2);
    for (const [name, bytes, isPng] of found) {
      assert.equal(bytes, sizes.get(name.slice(-16, -4)), name);
      assert.ok(isPng && /^\d{4}-\d\d-\d\d [\p{L}\p{N}-]+ [0-9a-f]{12}\.png$/u.test(name), name);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  const stranger = await openAccount('no zip');
  const foreign = await stranger.make();
  for (const list of [[foreign], [...ids, foreign], ['x'], ['']])
    assert.ok([404, 422].includes((await get(list)).status), String(list));
  const many = Array.from({ length: 501 }, () => short(ids[0] ?? ''));
  assert.equal((await get(many)).status, 422);
  const browser = await openMember(world, { email: 'zipper@example.com', accountId: own.accountId });
  const path = `/panel/accounts/${own.accountId}/jobs.zip?job_ids=${ids.map(short).join(',')}`;
  assert.match((await browser.send('GET', path)).headers.get('content-disposition') ?? '', /images\.zip/);
});

const listZip = `import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
print(json.dumps([[i.filename, i.file_size, archive.read(i)[1:4] == b"PNG"] for i in archive.infolist()]))`;

test('an archive of more than 4 GB has the long numbers that it needs', async () => {
  const before = 2 ** 32 + 7;
  const files = [{ name: 'a.png', modifiedAt: 0, open: async () => Readable.from([Buffer.alloc(9)]) }];
  const archive = Buffer.concat(await Array.fromAsync(writeZip(files, before)));
  const end = archive.length - 22;
  const zip64 = end - 20 - 56;
  const directory = zip64 - 12 - 5 - 46;
  assert.equal(archive.readUInt32LE(directory), 0x02014b50);
  assert.equal(archive.readUInt32LE(directory + 42), 0xffff_ffff);
  assert.equal(archive.readBigUInt64LE(directory + 46 + 5 + 4), BigInt(before), 'where the file begins');
  assert.equal(archive.readUInt32LE(zip64), 0x06064b50);
  assert.equal(archive.readBigUInt64LE(zip64 + 48), BigInt(before + directory), 'where the directory begins');
  assert.equal(archive.readBigUInt64LE(zip64 + 56 + 8), BigInt(before + zip64));
  assert.equal(archive.readUInt32LE(end + 16), 0xffff_ffff);
});

test('people share pictures by a link that shows nothing else, and that ends at once', async () => {
  await using own = await openWorld({ env: { DARKROOM_SHARING: 'true' } });
  const browser = await openMember(own, { email: 'sharer@example.com' });
  const ids = [await own.create(undefined, { prompt: 'a <fox> & "friends"' }), await own.create()];
  for (const id of ids) await own.finished(id);
  const share = (body: object) =>
    browser.call('POST /panel/accounts/:account_id/shares', {
      body: { job_ids: ids, with_prompts: true, days: 7, ...body },
    });
  const { url, token } = await share({});
  const page = await fetch(url);
  const text = await page.text();
  assert.equal(page.status, 200);
  assert.match(page.headers.get('x-robots-tag') ?? '', /noindex/);
  assert.match(page.headers.get('cache-control') ?? '', /no-store/);
  assert.ok(text.includes('a &lt;fox&gt; &amp; &quot;friends&quot;') && !text.includes('<script'));
  const pictures = ids.map((id) => `${url}/${id}.png`);
  assert.deepEqual(
    [...text.matchAll(/<img src="([^"]+)"/g)].map(([, src]) => own.url + src),
    pictures,
  );
  const picture = await fetch(pictures[0] ?? '');
  assert.deepEqual([picture.status, picture.headers.get('content-type')], [200, 'image/png']);
  assert.match(picture.headers.get('x-robots-tag') ?? '', /noindex/);
  assert.equal((await picture.arrayBuffer()).byteLength, Number(picture.headers.get('content-length')));

  const one = await share({ job_ids: ids.slice(0, 1), with_prompts: false });
  assert.ok(!(await (await fetch(one.url)).text()).includes('fox'));
  assert.equal((await fetch(`${one.url}/${ids[1]}.png`)).status, 410, 'of the other one');
  const list = await browser.call('GET /panel/accounts/:account_id/shares');
  assert.deepEqual(new Set(list.data.map((row) => row.url)), new Set([url, one.url]));

  assert.equal((await own.send('DELETE', `/jobs/${ids[0]}/image`)).status, 204);
  assert.equal((await fetch(one.url)).status, 410);
  assert.equal((await fetch(pictures[0] ?? '')).status, 410);
  assert.equal((await fetch(url)).status, 200, 'the other picture is still there');
  await browser.call('POST /panel/accounts/:account_id/shares/:token/revoke', { params: { token } });
  for (const gone of [url, pictures[1] ?? '']) assert.equal((await fetch(gone)).status, 410);
  const short = await share({ job_ids: ids.slice(1), days: 1 });
  await own.jump(24 * 60 * 60 * 1000);
  assert.equal((await fetch(short.url)).status, 410);
  assert.equal((await fetch(`${own.url}/shared/${'x'.repeat(22)}`)).status, 404);

  const foreign = await own.account('no sharer', { creditMicros: 1_000_000n });
  const theirs = await own.create('/nb2/text-generations', {}, bearer(foreign.key));
  const closed = await openMember(world, { email: 'unshared@example.com' });
  for (const [by, job_ids, status] of [
    [browser, [theirs], 404],
    [browser, ids.slice(0, 1), 422],
    [closed, [await world.create()], 404],
  ] as const) {
    const body = { job_ids: [...job_ids], with_prompts: true, days: 7 };
    assert.equal((await by.try('POST /panel/accounts/:account_id/shares', { body })).status, status);
  }
  assert.equal((await fetch(`${world.url}/shared/${token}`)).status, 404);
  const { enabled } = await closed.call('GET /panel/accounts/:account_id/shares');
  assert.equal(enabled, false);
});
