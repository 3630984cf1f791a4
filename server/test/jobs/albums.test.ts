import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { dayMs } from '../../src/accounts/retention/retention.ts';
import { openMember } from '../panel/browser.ts';
import { keep } from '../world/expire.ts';
import { openWorld, type World } from '../world/world.ts';
import { openOwnAccount } from './support/own-account.ts';

let world: World;
before(async () => {
  world = await openWorld({
    env: { DARKROOM_SHARING: 'true' },
    config: { retention: { stars: 3 } },
  });
});
after(() => world[Symbol.asyncDispose]());

async function open(name: string, images: number) {
  const own = await openOwnAccount(world, name);
  const member = await openMember(world, { email: `${name}@example.com`, accountId: own.accountId });
  const ofOwn = <Options extends { params?: Record<string, string> }>(options?: Options) => ({
    ...options,
    params: { account_id: own.accountId, ...options?.params },
  });
  type Call = Parameters<typeof member.try>;
  const browser = {
    call: ((call: Call[0], options?: Call[1]) => member.call(call, ofOwn(options))) as typeof member.call,
    try: (call: Call[0], options?: Call[1]) => member.try(call, ofOwn(options)),
  };
  const ids: string[] = [];
  for (let made = 0; made < images; made++) {
    const id = await own.make({ prompt: `image ${made}` });
    await own.finished(id);
    ids.push(id);
  }
  return { own, browser, ids };
}

type Opened = Awaited<ReturnType<typeof open>>;

const jobsOf = async (browser: Opened['browser'], album_id: string) =>
  (await browser.call('GET /api/v1/albums/:album_id', { params: { album_id } })).data.map(
    ({ job_id }) => job_id,
  );

test('an album is made, renamed, filled, ordered and deleted, and its images stay', async () => {
  const { browser, ids } = await open('orders', 3);
  const [one = '', two = '', three = ''] = ids;
  const { album_id, ...made } = await browser.call('POST /api/v1/albums', {
    body: { name: 'Spring', add: [two, one, two.toUpperCase()] },
  });
  assert.deepEqual([made.name, made.images], ['Spring', 2]);
  assert.equal((await fetch(made.cover_url ?? '')).status, 200);
  const params = { album_id };
  const change = (body: object) => browser.try('PATCH /api/v1/albums/:album_id', { params, body });
  assert.equal((await change({ add: [three, one] })).status, 200);
  assert.deepEqual(await jobsOf(browser, album_id), [two, one, three], 'what is added comes last, each once');
  await change({ job_ids: [three, two], name: 'Summer' });
  assert.deepEqual(await jobsOf(browser, album_id), [three, two]);
  const empty = await browser.call('POST /api/v1/albums', { body: { name: 'Empty' } });
  const { data } = await browser.call('GET /api/v1/albums');
  assert.deepEqual(
    data.map(({ name, images, cover_url }) => [name, images, cover_url !== null]),
    [
      ['Empty', 0, false],
      ['Summer', 2, true],
    ],
  );
  const adding = await Promise.all([one, two, three].map((id) => change({ add: [id] })));
  assert.deepEqual(
    adding.map(({ status }) => status),
    [200, 200, 200],
  );
  assert.deepEqual(await jobsOf(browser, album_id), [three, two, one], 'several at once lose nothing');
  await change({ job_ids: [three, two] });
  assert.equal((await change({ job_ids: [one, world.accountId] })).status, 404);
  assert.equal((await change({ name: '  ' })).status, 422);
  assert.deepEqual(await jobsOf(browser, album_id), [three, two], 'all or nothing');

  const deletion = { body: { job_ids: [three] } };
  await browser.call('POST /api/v1/jobs/delete-images', deletion);
  assert.deepEqual(await jobsOf(browser, album_id), [two], 'a deleted image is in no album');
  await browser.call('DELETE /api/v1/albums/:album_id', { params });
  assert.equal((await browser.try('GET /api/v1/albums/:album_id', { params })).status, 404);
  assert.deepEqual(
    (await browser.call('GET /api/v1/albums')).data.map(({ album_id: id }) => id),
    [empty.album_id],
  );
  assert.equal((await browser.call('GET /api/v1/jobs')).data.length, 3);
});

test('one image is moved and others are removed, and everything else stays in the album', async () => {
  const { browser, ids } = await open('mover', 4);
  const [one = '', two = '', three = '', four = ''] = ids;
  const { album_id } = await browser.call('POST /api/v1/albums', { body: { name: 'Moved', add: ids } });
  const change = async (body: object) => {
    await browser.call('PATCH /api/v1/albums/:album_id', { params: { album_id }, body });
    return jobsOf(browser, album_id);
  };
  assert.deepEqual(await change({ move: { job_id: three, after: null } }), [three, one, two, four]);
  assert.deepEqual(await change({ move: { job_id: three.toUpperCase(), after: two } }), ids);
  assert.deepEqual(await change({ move: { job_id: one, after: four } }), [two, three, four, one]);
  assert.deepEqual(await change({ remove: [three.toUpperCase(), world.accountId] }), [two, four, one]);
  for (const move of [
    { job_id: three, after: two },
    { job_id: two, after: three },
    { job_id: two, after: two },
  ])
    assert.deepEqual(await change({ move }), [two, four, one], 'what was removed neither returns nor counts');
  assert.deepEqual(await change({ add: [three], remove: [four], move: { job_id: three, after: two } }), [
    two,
    three,
    one,
  ]);
  await Promise.all([change({ add: [four] }), change({ remove: [two] })]);
  assert.deepEqual(await jobsOf(browser, album_id), [three, one, four], 'two at once lose nothing');
  assert.deepEqual(await change({ remove: ids }), []);
});

test('an album of 500 images is created by one request, and ordered by another', async () => {
  const { browser, ids } = await open('large', 1);
  const { album_id } = await browser.call('POST /api/v1/albums', { body: { name: 'Large', add: ids } });
  const params = { album_id };
  const some = (count: number) => Array.from({ length: count }, () => randomUUID());
  for (const [status, body] of [
    [
      404,
      {
        name: 'Large',
        job_ids: some(500),
        add: some(500),
        remove: some(500),
        move: { job_id: ids[0], after: null },
      },
    ],
    [422, { job_ids: some(501) }],
  ] as const)
    assert.equal((await browser.try('PATCH /api/v1/albums/:album_id', { params, body })).status, status);
  for (const [status, count] of [
    [404, 500],
    [422, 501],
  ] as const) {
    const body = { name: 'Larger', add: some(count) };
    assert.equal((await browser.try('POST /api/v1/albums', { body })).status, status);
  }
});

test('an album that is deleted while it is filled is gone, whichever request comes first', async () => {
  const { browser, ids } = await open('hasty', 2);
  for (let round = 0; round < 5; round++) {
    const { album_id } = await browser.call('POST /api/v1/albums', { body: { name: 'Brief', add: ids } });
    const params = { album_id };
    const fill = () => browser.try('PATCH /api/v1/albums/:album_id', { params, body: { add: ids } });
    const remove = () => browser.try('DELETE /api/v1/albums/:album_id', { params });
    const answers = await Promise.all([fill(), fill(), remove(), fill(), fill(), remove()]);
    assert.deepEqual(
      answers.filter(({ status }) => ![200, 204, 404].includes(status)),
      [],
    );
    assert.equal((await browser.try('GET /api/v1/albums/:album_id', { params })).status, 404);
  }
});

test('an album whose create is repeated under its Idempotency-Key is created once', async () => {
  const { browser } = await open('repeats', 0);
  const once = {
    body: { name: 'Once' },
    headers: { 'idempotency-key': 'b2b2f6de-0c3a-4b53-8d0e-4a9a3f6f7c01' },
  };
  const first = await browser.call('POST /api/v1/albums', once);
  assert.deepEqual(await browser.call('POST /api/v1/albums', once), first);
  assert.equal((await browser.call('GET /api/v1/albums')).data.length, 1);
});

test('nobody sees or changes the album of another account', async () => {
  const { browser, ids } = await open('owner', 1);
  const stranger = await open('stranger', 1);
  const { album_id } = await browser.call('POST /api/v1/albums', { body: { name: 'Ours', add: ids } });
  const params = { album_id };
  const theirs = stranger.browser;
  for (const answer of [
    await theirs.try('GET /api/v1/albums/:album_id', { params }),
    await theirs.try('PATCH /api/v1/albums/:album_id', { params, body: { name: 'Theirs' } }),
    await theirs.try('DELETE /api/v1/albums/:album_id', { params }),
    await theirs.try('POST /api/v1/shares', { body: { album_id, with_prompts: false, days: 1 } }),
    await theirs.try('POST /api/v1/albums', { body: { name: 'Theirs', add: ids } }),
  ])
    assert.equal(answer.status, 404);
});

test('a link to an album shows its current images, in order, and ends with the album', async () => {
  const { browser, ids } = await open('sharer', 3);
  const [one = '', two = '', three = ''] = ids;
  const { album_id } = await browser.call('POST /api/v1/albums', {
    body: { name: 'Shown', add: [one, two] },
  });
  const link = { album_id, with_prompts: false, days: 1 };
  const share = await browser.call('POST /api/v1/shares', { body: link });
  assert.deepEqual([share.album_id, share.job_ids], [album_id, []]);
  for (const body of [
    { ...link, job_ids: [one] },
    { with_prompts: false, days: 1 },
  ])
    assert.equal((await browser.try('POST /api/v1/shares', { body })).status, 422);
  const shown = async () => {
    const answer = await fetch(share.url);
    const html = await answer.text();
    return {
      status: answer.status,
      ids: [...html.matchAll(/download="([0-9a-f-]{36})/g)].map(([, id]) => id),
    };
  };
  assert.deepEqual(await shown(), { status: 200, ids: [one, two] });
  const params = { album_id };
  await browser.call('PATCH /api/v1/albums/:album_id', { params, body: { job_ids: [three, one] } });
  assert.deepEqual(await shown(), { status: 200, ids: [three, one] });
  assert.equal(
    (await fetch(`${share.url}/${two}.png`)).status,
    410,
    'what was taken from it is shown no more',
  );
  await browser.call('DELETE /api/v1/albums/:album_id', { params });
  assert.deepEqual(await shown(), { status: 410, ids: [] });
});

test('images in albums are kept as starred ones are, under one common bound', async () => {
  const { own, browser, ids } = await open('keeper', 5);
  const [first = '', second = '', third = '', fourth = '', fifth = ''] = ids;
  await own.send('PUT', `/jobs/${second}/star`);
  await own.send('PUT', `/jobs/${fourth}/star`);
  const { album_id } = await browser.call('POST /api/v1/albums', {
    body: { name: 'Kept', add: [fifth, second, first] },
  });
  const untilOf = async () => {
    const { data } = await browser.call('GET /api/v1/jobs');
    const byId = new Map(data.map(({ job_id, kept_until }) => [job_id, kept_until]));
    return ids.map((id) => byId.get(id) === null);
  };
  assert.deepEqual(await untilOf(), [true, true, false, true, false], 'three of the four, the first');
  await world.elapse(31 * dayMs);
  await keep(world.app, { stars: 3 });
  assert.deepEqual(await jobsOf(browser, album_id), [second, first]);
  assert.equal((await own.send('GET', `/jobs/${third}`)).status, 404);
  assert.equal((await own.send('GET', `/jobs/${fourth}`)).status, 200);
  await browser.call('PATCH /api/v1/albums/:album_id', { params: { album_id }, body: { job_ids: [second] } });
  await keep(world.app, { stars: 3 });
  assert.equal((await own.send('GET', `/jobs/${first}`)).status, 404, 'it has left the album');
});
