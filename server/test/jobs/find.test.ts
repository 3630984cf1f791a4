import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { fillWithFinishedJobs } from '../../../bench/fill.ts';
import { dropContent } from '../../src/jobs/drop-content-store.ts';
import { type ListPosition, listJobPage } from '../../src/jobs/list-job-page.ts';
import { catchUp, jobsPerBucket } from '../../src/jobs/search/catch-up.ts';
import { forgetWords } from '../../src/jobs/search/word-store.ts';
import { changeTags } from '../../src/jobs/tags/change-tags.ts';
import { writeWords } from '../../src/jobs/upkeep/write-words.ts';
import { assertProblem } from '../http/support/refusal.ts';
import { bearer, postText } from '../http/support/requests.ts';
import { openMember } from '../panel/browser.ts';
import { editImage } from '../panel/support/member.ts';
import { expire } from '../world/expire.ts';
import { holdTransaction, somebodyWaits } from '../world/hold-transaction.ts';
import { openWorld, type World } from '../world/world.ts';
import { openOwnAccount } from './support/own-account.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world[Symbol.asyncDispose]());

const openAccount = (name: string) => openOwnAccount(world, name);

test('an emoji is found by its name, and with or without the selector that keyboards add', async () => {
  const own = await openAccount('selectors');
  const named = await own.make({ prompt: 'a heart on a beach' });
  const plain = await own.make({ prompt: 'a \u2764 on a cup' });
  const typed = await own.make({ prompt: 'a \u2764\ufe0f on a hat' });
  for (const q of ['\u2764', '\u2764\ufe0f'])
    assert.deepEqual(await own.list({ q }), [typed, plain, named], q);
  assert.deepEqual(await own.list({ q: '\u2764\ufe0f beach' }), [named]);
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

  assert.deepEqual(await found('foxes'), [5, 2, 0], 'whatever its ending');
  assert.deepEqual(await found('sleeping fox'), [2]);
  assert.deepEqual(await found('\u{1f98a} snow'), [0], 'what an emoji is called');
  for (const q of ['lighthose', 'lighhouse dusk', 'lihgthouse', 'lighthouses', 'lightthouse'])
    assert.deepEqual(await found(q), [2], q);
  assert.deepEqual(await found('lighthose', { status: 'failed' }), []);
  assert.deepEqual(await found('foz'), [], 'too short to be meant otherwise');
  const drawn = await own.make({ prompt: 'a \u{1f984} on \u{1f6fc}' });
  for (const q of ['unicorn', '\u{1f984}', '\u{1f6fc}', 'unicorns'])
    assert.deepEqual(await own.list({ q }), [drawn], q);

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

test('many found jobs appear page by page, each once and in order, across the word index’s buckets', async () => {
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

  // Far more jobs have the word than pass the filter, and those that pass it are among the oldest.
  const rare = [all[all.length - 3] ?? '', all[all.length - 2] ?? ''];
  await changeTags(database, { accountId: own.accountId, jobIds: rare }, { add: ['rare'] });
  assert.deepEqual(await own.list({ q: 'lighthouse', tag: 'rare' }), rare);
  assert.deepEqual(await own.list({ q: 'lighthouse', tag: 'rare', limit: '1' }), rare.slice(0, 1));
  assert.deepEqual(await own.list({ q: 'lighthouse dawn', tag: 'rare' }), []);
  assert.deepEqual(await own.list({ q: 'image1 lighthouse', status: 'failed' }), []);
  assert.deepEqual(await own.list({ q: 'lighthouse', model: 'pro' }), []);

  await database.transaction((tx) => forgetWords(tx, all.slice(0, 2)));
  assert.deepEqual((await own.list({ q: 'lighthouse', limit: '1' }))[0], all[2]);
});

test('words that no prompt of a large account has are answered', async () => {
  const own = await openAccount('large');
  await own.make({ prompt: 'a fox' });
  assert.equal((await own.list({ q: 'fox' })).length, 1);
  // What 100,000 jobs leave here. The words of those jobs are not needed.
  const { database } = world.app;
  await database.transaction((tx) =>
    tx.updateTable('word_progress').set({ jobs: 100_000 }).where('account_id', '=', own.accountId).execute(),
  );
  assert.deepEqual(await own.list({ q: 'impressionistic watercolour illustration photorealistic' }), []);
});

test('jobs are filtered by their properties together with words', async () => {
  const own = await openAccount('filters');
  const wide = await own.make({ prompt: 'a fox', aspect_ratio: '16:9', resolution: '2K' });
  await world.elapse(1_000);
  const between = new Date(world.clock.nowMs()).toISOString();
  await world.elapse(1_000);
  const square = await own.make({ prompt: 'a fox' }, '/nb/text-generations');
  const [, other] = [await own.finished(wide), await own.finished(square)];
  const keyId = await keyOf(square);
  for (const q of [{}, { q: 'fox' }]) {
    assert.deepEqual(await own.list({ ...q, aspect_ratio: '16:9' }), [wide]);
    assert.deepEqual(await own.list({ ...q, resolution: '2K' }), [wide]);
    assert.deepEqual(await own.list({ ...q, from: between }), [square]);
    assert.deepEqual(await own.list({ ...q, to: between }), [wide]);
    assert.deepEqual(await own.list({ ...q, model: 'nb', status: 'done' }), [square]);
    assert.deepEqual(await own.list({ ...q, key_id: keyId }), [square, wide]);
    assert.deepEqual(await own.list({ ...q, key_id: 'panel' }), []);
  }
  assert.equal(other.status, 'done');
  for (const query of [
    'from=yesterday',
    'key_id=me',
    'starred=yes',
    'colour=RED',
    'colour=mauve',
    'tag=',
    'since=2026-01-01',
  ])
    assertProblem(await own.send('GET', `/jobs?${query}`), 422, 'invalid_request');

  async function keyOf(jobId: string): Promise<string> {
    const read = world.app.database.read.selectFrom('jobs').select('key_id').where('id', '=', jobId);
    return (await read.executeTakeFirstOrThrow()).key_id;
  }
});

test('tags and stars are set on jobs, counted, and found', async () => {
  const own = await openAccount('tags');
  const one = await own.make();
  await world.elapse(1);
  const two = await own.make();
  const tagged = (jobId: string, tags: string[], starred: boolean) => ({ job_id: jobId, tags, starred });
  const put = async (method: string, path: string) => {
    const { kept_until: _, ...marks } = (await own.send(method, `/jobs/${path}`)).body; // only once the job is done
    return marks;
  };
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
    const wrong = new URLSearchParams({ ...q, tag: 'Best' });
    assertProblem(await own.send('GET', `/jobs?${wrong}`), 422, 'invalid_request');
  }
  for (const [gone, left] of [
    ['star', ['best']],
    ['tags/best', []],
    ['tags/never', []],
  ] as const) {
    assert.equal((await own.send('DELETE', `/jobs/${two}/${gone}`)).status, 204);
    assert.deepEqual(await put('GET', `${two}/tags`), tagged(two, [...left], false));
  }

  for (let index = 2; index < 20; index += 1) await put('PUT', `${one}/tags/t${index}`);
  assertProblem(await own.send('PUT', `/jobs/${one}/tags/more`), 422, 'invalid_request');
  for (const tag of ['%20', 'x'.repeat(51), 'a%0Ab', 'a%00b'])
    assertProblem(await own.send('PUT', `/jobs/${two}/tags/${tag}`), 422, 'invalid_request');
  const stranger = await openAccount('no tags');
  for (const path of [`${one}/tags/mine`, `${one}/star`, 'nothing/star'])
    assertProblem(await stranger.send('PUT', `/jobs/${path}`), 404, 'not_found');
  assertProblem(await stranger.send('GET', `/jobs/${one}/tags`), 404, 'not_found');
});

test('changes of a job’s tags at the same time obey its limit', async () => {
  const own = await openAccount('tags at once');
  const jobs = await Promise.all(Array.from({ length: 10 }, () => own.make({ prompt: 'a fox' })));
  const add = (jobId: string, letter: string) => {
    const tags = Array.from({ length: 15 }, (_, nth) => `${letter}${nth}`);
    return changeTags(world.app.database, { accountId: own.accountId, jobIds: [jobId] }, { add: tags });
  };
  const changes = jobs.flatMap((jobId) => [add(jobId, 'a'), add(jobId, 'b')]);
  const refused = (await Promise.allSettled(changes)).filter(({ status }) => status === 'rejected');
  assert.equal(refused.length, jobs.length);
});

test('a prompt that is deleted during its account’s first indexing leaves no words', async () => {
  const own = await openAccount('first words');
  const jobId = await own.make({ prompt: 'a secret fox' });
  await own.finished(jobId);
  const { database } = world.app;
  const deleting = holdTransaction(world, async (tx) => {
    await dropContent(tx, [jobId]);
    await forgetWords(tx, [jobId]);
  });
  await deleting.begun;
  const indexing = catchUp(database, own.accountId);
  if (database.kind === 'postgres') await Promise.race([indexing, somebodyWaits(world)]);
  await deleting.end();
  await indexing;
  const { rows } = await sql`select 1 from job_words where rowid in (
    select id from entries where account_id = ${own.accountId})`.execute(database.read);
  assert.deepEqual(rows, []);
});

test('a job’s search words are purged with it', async () => {
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
  assert.equal((await expire({ database, images }, 0)).jobs, 1);
  assert.deepEqual(await rows(), [0, 0, 0, 0]);
});

test('the panel tags many jobs at once, all or none', async () => {
  const browser = await openMember(world, { email: 'tagger@example.com' });
  const jobs = await Promise.all([1, 2, 3].map(() => world.create()));
  const change = (body: object) =>
    browser.try('POST /api/v1/jobs/tags', { body: { job_ids: jobs, ...body } });
  const { body } = await change({ add: ['spring', 'draft'], starred: true });
  assert.deepEqual((body.data as object[]).length, 3);
  const query = { tag: 'spring', starred: 'true' } as const;
  const { data } = await browser.call('GET /api/v1/jobs', { query });
  assert.deepEqual(new Set(data.map(({ job_id }) => job_id)), new Set(jobs));
  assert.deepEqual([data[0]?.tags, data[0]?.starred], [['draft', 'spring'], true]);
  const [first] = (await world.send('GET', '/jobs?tag=spring')).body.data as {
    tags: string[];
    starred: boolean;
  }[];
  assert.deepEqual([first?.tags, first?.starred], [['draft', 'spring'], true], 'programs see it as well');
  const [own] = (await browser.call('GET /api/v1/keys')).data;
  const poll = async (query: string) => (await world.send('GET', `/jobs/${jobs[0]}${query}`)).body;
  const { tags, starred, key_id, kept_until: _, ...job } = await poll('?include=tags');
  assert.deepEqual([tags, starred, key_id], [['draft', 'spring'], true, own?.key_id], 'so does one job');
  assert.deepEqual(Object.keys(await poll('')), Object.keys(job), 'and a poll costs no query for them');
  assert.equal((await world.send('GET', `/jobs/${jobs[0]}?include=all`)).status, 422);
  const [short] = (await world.send('GET', '/jobs?tag=spring&prompt_length=2')).body.data as {
    prompt: string;
  }[];
  assert.equal(short?.prompt.length, 2);
  const table = await browser.call('GET /api/v1/jobs.csv', { query });
  const [header = '', row = ''] = table.split('\r\n');
  assert.ok(header.endsWith('metadata,tags,starred'));
  assert.ok(row.endsWith('"[""draft"",""spring""]",yes'), row);
  assert.equal((await change({ remove: ['draft'], starred: false })).status, 200);
  assert.deepEqual((await browser.call('GET /api/v1/tags')).data, [{ tag: 'spring', jobs: 3 }]);
  const { key } = await openAccount('elsewhere');
  const foreign = await world.create('/nb2/text-generations', {}, bearer(key));
  assert.equal((await change({ job_ids: [...jobs, foreign], add: ['never'] })).status, 404);
  assert.deepEqual((await browser.call('GET /api/v1/tags')).data, [{ tag: 'spring', jobs: 3 }]);
});

test('a job records its origin: the job whose image it used, which it repeats, or whose request was edited', async () => {
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
  const again = await browser.call('POST /api/v1/jobs/:job_id/again', {
    params: { job_id: edited },
  });
  await world.finished(again.job_id);
  const { result } = await world.finished(used);
  const inPanel = await browser.call(editImage, {
    params: { model: 'nb2' },
    body: {
      ...{ prompt: 'b', aspect_ratio: '1:1' },
      input_images_urls: [(result as { image_url: string }).image_url],
    },
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
  const { descendants } = await lineage(used);
  assert.deepEqual(
    descendants.map(({ job_id, origin }) => [job_id, origin?.job_id, origin?.kind]),
    [
      [inPanel.job_id, used, 'input'],
      [edited, used, 'edit'],
      [again.job_id, edited, 'again'],
    ],
  );
  assert.deepEqual(await lineage(inPanel.job_id), {
    ancestors: (await lineage(edited)).ancestors,
    descendants: [],
  });

  const stranger = await openAccount('no heir');
  const taken = await world.create(
    '/nb2/url-generations',
    { input_images_urls: [image_url] },
    bearer(stranger.key),
  );
  assert.ok(!('origin' in (await stranger.finished(taken))), 'it is the image of somebody else');
  for (const origin of [
    { job_id: first, kind: 'edit' },
    { job_id: 'first', kind: 'edit' },
    { job_id: first, kind: 'input' },
    { job_id: first },
    'first',
  ])
    assertProblem(await postText(world, { origin }, bearer(stranger.key)), 422, 'invalid_request');
});
