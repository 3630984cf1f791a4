import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { newId } from '../../src/base/std/ids.ts';
import { createAdmission } from '../../src/jobs/admission/admission.ts';
import { openRawClient, rawRequest } from '../http/support/raw-client.ts';
import { assertProblem, assertRefused, pointersOf } from '../http/support/refusal.ts';
import { bearer, postText } from '../http/support/requests.ts';
import { TestProvider } from '../world/provider.ts';
import { openWorld, testRoutes } from '../world/world.ts';
import { admitteeOf } from './support/contenders.ts';

const world = await openWorld({ worker: false });
after(() => world[Symbol.asyncDispose]());

interface Page {
  data: { job_id: string; status: string; model: string }[];
  next_cursor: string | null;
}

async function list(query = '', key = world.key): Promise<Page> {
  const { status, body } = await world.send('GET', `/jobs${query}`, { headers: bearer(key) });
  assert.equal(status, 200, JSON.stringify(body));
  return body as unknown as Page; // the documented shape; the tests below check its parts
}

const fields = [
  'job_id',
  'status',
  'created_at',
  'started_at',
  'finished_at',
  'result',
  'error',
  'model',
  'mode',
  'aspect_ratio',
  'resolution',
  'price',
  'error_code',
  'prompt',
  'input_images_urls',
];

test('a job has the documented fields in their order, in every state', async () => {
  await using own = await openWorld();
  const done = await own.finished(await own.create('/text-generations', { aspect_ratio: '16:9' }));
  assert.deepEqual(Object.keys(done), fields);
  const { image_url, bytes, ...result } = done.result as Record<string, unknown>;
  assert.match(String(image_url), /^http:\/\/.+\/images\/.+\.png\?expires=\d+&key=\w+&signature=/);
  assert.ok(Number(bytes) > 0);
  assert.deepEqual(result, {
    width: 1376,
    height: 768,
    media_type: 'image/png',
    thumbnail_url: `${image_url}&w=256`,
    thumbhash: null,
  });
  assert.deepEqual([done.error, done.error_code], [null, null]);
  for (const time of [done.created_at, done.started_at, done.finished_at])
    assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

  const { body: queued } = await world.send('GET', `/jobs/${await world.create()}`);
  assert.deepEqual(Object.keys(queued), [...fields, 'queue']);
  const { started_at, finished_at, result: none, error, error_code } = queued;
  assert.deepEqual([started_at, finished_at, none, error, error_code], [null, null, null, null, null]);
});

for (const [name, path] of [
  ['an id that is no UUID', '/jobs/not-a-uuid'],
  ['no id', '/jobs/'],
  ['an encoded NUL', '/jobs/%00'],
  ['bytes that are no UTF-8', '/jobs/%ff%fe'],
  ['an id of 10 kB', `/jobs/${'a'.repeat(10_000)}`],
  ['a UUID and more', '/jobs/0197f8a0-0000-7000-8000-000000000000x'],
  ['the nil UUID', '/jobs/00000000-0000-0000-0000-000000000000'],
] as const) {
  test(`H1, H3: ${name} is 404`, async () => {
    using client = await openRawClient(world.url);
    client.write(rawRequest('GET', `/api/v1${path}`, { headers: bearer(world.key) }));
    const reply = await client.next();
    assert.equal(reply?.status, 404);
    assert.equal(JSON.parse(reply.body).code, 'not_found');
  });
}

test('H1: every unknown id has the same answer', async () => {
  const bodies = new Set<string>();
  for (const id of ['not-a-uuid', '%00', 'a'.repeat(10_000), '00000000-0000-0000-0000-000000000000']) {
    const { body } = await world.send('GET', `/jobs/${id}`);
    bodies.add(JSON.stringify({ ...body, request_id: undefined }));
  }
  assert.equal(bodies.size, 1);
});

test('an id in upper case is the same id', async () => {
  const jobId = await world.create();
  assert.equal((await world.send('GET', `/jobs/${jobId.toUpperCase()}`)).body.job_id, jobId);
});

test('H4: a query for another account’s balance is refused, and reveals nothing', async () => {
  const { key, accountId } = await world.account('H4', { creditMicros: 1_500_000n });
  const headers = bearer(key);
  const own = await world.send('GET', '/balance', { headers });
  assert.deepEqual(own.body, { balance: '1.50', reserved: '0.00', available: '1.50' });
  for (const id of [world.accountId, accountId]) {
    const asked = await world.send('GET', `/balance?account=${id}`, { headers });
    assertProblem(asked, 422, 'invalid_request');
    assert.deepEqual(pointersOf(asked), ['/query/account']);
  }
});

test('H5: a thousand polls at once are answered, and so are creates at the same time', async () => {
  const jobId = await world.create();
  const polls = Array.from({ length: 1_000 }, () => world.send('GET', `/jobs/${jobId}`));
  const creates = Array.from({ length: 20 }, () => postText(world));
  for (const { status } of await Promise.all(creates)) assert.equal(status, 202);
  for (const { status } of await Promise.all(polls)) assert.equal(status, 200);
});

describe('Prefer: wait on a create', { concurrency: true }, () => {
  const headers = { prefer: 'wait=30' };

  test('answers 202 with the job in its current state, also to a replay', async () => {
    await using own = await openWorld();
    const create = () => postText(own, {}, { ...headers, 'idempotency-key': 'waits' });
    for (const reply of [await create(), await create()]) {
      assert.deepEqual([reply.status, reply.headers.get('preference-applied')], [202, 'wait=30']);
      const { job, ...created } = reply.body as { job: Record<string, unknown>; job_id: string };
      const path = `/api/v1/jobs/${created.job_id}`;
      assert.deepEqual(created, { job_id: created.job_id, status: 'queued', status_url: path });
      assert.deepEqual(job, (await own.send('GET', `/jobs/${created.job_id}`)).body);
      assert.equal(job.status, 'done');
    }
  });

  test('answers with an unfinished job if it is not done in time', async () => {
    const { status, body } = await postText(world, {}, { prefer: 'wait=0' });
    assert.deepEqual([status, (body.job as { status: string }).status], [202, 'queued']);
    assert.equal((await postText(world)).body.job, undefined);
  });
});

test('a job shows its request, with its inputs as our own links', async () => {
  await using own = await openWorld();
  const first = await own.finished(await own.create(undefined, { prompt: 'a \0fox\nby night' }));
  assert.deepEqual([first.prompt, first.input_images_urls], ['a fox\nby night', []]);
  const { image_url } = first.result as { image_url: string };
  const urls = [image_url, image_url];
  const jobId = await own.create('/nb2/url-generations', { resolution: '2K', input_images_urls: urls });
  const second = await own.finished(jobId);
  assert.deepEqual([second.model, second.resolution, second.aspect_ratio], ['nb2', '2K', '1:1']);
  const inputs = second.input_images_urls as string[];
  assert.equal(inputs.length, 2);
  for (const [index, url] of inputs.entries()) {
    assert.ok(url.startsWith(`${own.url}/images/${jobId}-input-${index}.png?expires=`), url);
    const response = await fetch(url);
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'image/png']);
    assert.equal((await response.arrayBuffer()).byteLength, Number(response.headers.get('content-length')));
    const other = url.replace(/-input-\d/, (name) => (name.endsWith('0') ? '-input-1' : '-input-0'));
    assert.equal((await fetch(other)).status, 403);
  }
  // An input can be the input of another job, just as a result can.
  await own.create('/nb2/url-generations', { input_images_urls: inputs });
});

describe('Prefer: wait', { concurrency: true }, () => {
  test('answers as soon as the job is done', async () => {
    await using own = await openWorld();
    const release = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    own.provider.handler = async (request) => {
      begun.resolve();
      await release.promise;
      return own.provider.answer(request);
    };
    const jobId = await own.create();
    const began = performance.now();
    const waiting = own.send('GET', `/jobs/${jobId}`, { headers: { prefer: 'wait=50' } });
    await begun.promise;
    release.resolve();
    const { status, headers, body } = await waiting;
    assert.equal(status, 200);
    assert.equal(body.status, 'done');
    assert.equal(headers.get('preference-applied'), 'wait=50');
    assert.ok(performance.now() - began < 20_000);
  });

  test('answers with the job in its current state when the time is over', async () => {
    const jobId = await world.create();
    const began = performance.now();
    const { headers, body } = await world.send('GET', `/jobs/${jobId}`, { headers: { prefer: 'wait=1' } });
    assert.ok(performance.now() - began >= 990);
    assert.equal(body.status, 'queued');
    assert.equal(headers.get('preference-applied'), 'wait=1');
  });

  test('is answered when the job is cancelled', async () => {
    const jobId = await world.create();
    const waiting = world.send('GET', `/jobs/${jobId}`, { headers: { prefer: 'wait=50' } });
    assert.equal((await world.send('POST', `/jobs/${jobId}/cancel`)).status, 200);
    assert.equal((await waiting).body.error_code, 'cancelled');
  });

  test('of more than 60 s counts as 60 s, and an invalid number of seconds is ignored', async () => {
    const jobId = await world.create();
    await world.send('POST', `/jobs/${jobId}/cancel`);
    const applied = async (prefer: string) =>
      (await world.send('GET', `/jobs/${jobId}`, { headers: { prefer } })).headers.get('preference-applied');
    for (const seconds of ['3600', '9999999', '9'.repeat(400)])
      assert.equal(await applied(`wait=${seconds}`), 'wait=60');
    assert.equal(await applied('respond-async, wait=5'), 'wait=5');
    for (const prefer of ['wait', 'wait=', 'wait=-1', 'wait=1.5', 'wait=abc', 'respond-async'])
      assert.equal(await applied(prefer), null);
  });

  test('for an unknown job is 404 at once', async () => {
    const path = '/jobs/0197f8a0-0000-7000-8000-000000000000';
    const reply = await world.send('GET', path, { headers: { prefer: 'wait=50' } });
    assertProblem(reply, 404, 'not_found');
  });

  test('for a job that another process finishes is answered too', async () => {
    await using own = await openWorld({ worker: false });
    const jobId = await own.create();
    const waiting = own.send('GET', `/jobs/${jobId}`, { headers: { prefer: 'wait=50' } });
    await using _worker = await startWorkerBeside(own);
    assert.equal((await waiting).body.status, 'done');
  });
});

async function startWorkerBeside({ config, clock }: Awaited<ReturnType<typeof openWorld>>) {
  const { startApp } = await import('../../src/app.ts');
  const { silentLog } = await import('../world/silent-log.ts');
  const routes = testRoutes(new TestProvider());
  return startApp({ ...config, role: 'worker' }, { clock, log: silentLog, routes });
}

test('jobs are listed newest first, in pages that neither repeat nor skip jobs while new ones arrive', async () => {
  const { key } = await world.account('lister', { creditMicros: 100_000_000n });
  const ids: string[] = [];
  for (let i = 0; i < 7; i += 1) ids.unshift(await world.create(undefined, {}, bearer(key)));

  const seen: string[] = [];
  let page = await list('?limit=3', key);
  for (;;) {
    seen.push(...page.data.map(({ job_id }) => job_id));
    if (page.next_cursor === null) break;
    await world.create(undefined, {}, bearer(key)); // newer than the reader's position
    page = await list(`?limit=3&cursor=${page.next_cursor}`, key);
  }
  assert.deepEqual(seen, ids);
  assert.deepEqual((await list('?limit=7', key)).data.length, 7);
  assert.equal((await list('?limit=100', key)).next_cursor, null);
});

test('a list is filtered by state and by model, and contains only the account’s jobs', async () => {
  const { key } = await world.account('filters', { creditMicros: 100_000_000n });
  const fast = await world.create('/nb/text-generations', {}, bearer(key));
  const gone = await world.create('/nb/text-generations', {}, bearer(key));
  const pro = await world.create('/text-generations', {}, bearer(key));
  await world.send('POST', `/jobs/${gone}/cancel`, { headers: bearer(key) });
  const ids = async (query: string) => (await list(query, key)).data.map(({ job_id }) => job_id);
  assert.deepEqual(await ids(''), [pro, gone, fast]);
  assert.deepEqual(await ids('?model=nb'), [gone, fast]);
  assert.deepEqual(await ids('?status=queued'), [pro, fast]);
  assert.deepEqual(await ids('?status=failed&model=nb'), [gone]);
  assert.deepEqual(await ids('?status=done'), []);
  // Jobs under a lease, and between two attempts.
  const leased = await world.create('/nb/text-generations', { prompt: 'a hare' }, bearer(key));
  const waiting = await world.create('/nb/text-generations', {}, bearer(key));
  await begin(leased, 'somewhere');
  await begin(waiting, null);
  for (const q of ['', '&q=fox', '&q=hare']) {
    const expected = (...jobs: string[]) =>
      jobs.filter((id) => q === '' || (q === '&q=hare') === (id === leased));
    assert.deepEqual(await ids(`?status=processing${q}`), expected(waiting, leased));
    assert.deepEqual(await ids(`?status=processing&limit=1${q}`), expected(waiting, leased).slice(0, 1));
    assert.deepEqual(await ids(`?status=processing&model=pro${q}`), []);
    assert.deepEqual(await ids(`?status=queued${q}`), expected(pro, fast));
    assert.deepEqual(await ids(`?status=failed${q}`), expected(gone));
    assert.deepEqual(await ids(`?model=nb&resolution=1K${q}`), expected(waiting, leased, gone, fast));
  }
  const { key: other } = await world.account('nothing yet');
  assert.deepEqual(await list('', other), { data: [], next_cursor: null });
});

test('a list has the jobs that were created in its period, whatever the time in their ids', async () => {
  const { key, accountId } = await world.account('times', { creditMicros: 100_000_000n });
  const admit = createAdmission(world.app.database, () => {});
  const make = async (aheadMs: number) => {
    const [job] = admitteeOf(accountId).jobs;
    assert.ok(job);
    const id = newId(world.clock.nowMs() + aheadMs);
    const admission = await admit({ ...admitteeOf(accountId), jobs: [{ ...job, id }] });
    assert.equal(admission.kind, 'admitted');
    const { body } = await world.send('GET', `/jobs/${id}`, { headers: bearer(key) });
    return { id, createdMs: Date.parse(String(body.created_at)) };
  };
  // An id is older than its job if the inputs took long, and newer if the process's clock is ahead.
  const slow = await make(-60_000);
  const ahead = await make(60_000);
  const both = [ahead.id, slow.id];
  const [fromMs, toMs] = [slow.createdMs, ahead.createdMs + 1];
  for (const q of ['', '&q=fox', '&status=queued', '&model=nb2'])
    for (const [name, ms, expected] of [
      ['from', fromMs, both],
      ['to', toMs, both],
      ['from', toMs, []],
      ['to', fromMs, []],
    ] as const) {
      const query = `?${name}=${new Date(ms).toISOString()}${q}`;
      const found = (await list(query, key)).data.map(({ job_id }) => job_id);
      assert.deepEqual(found, expected, query);
    }
});

test('a job is found by its id and by the Idempotency-Key of its create, which may look like an id', async () => {
  const find = async (id: string) => (await list(`?id=${id}`)).data.map(({ job_id }) => job_id);
  const first = await world.create();
  for (const key of ['order-1042', randomUUID(), '1042', 'deadbeef']) {
    const jobId = await world.create(undefined, {}, { 'idempotency-key': key });
    assert.deepEqual(await find(key), [jobId], key);
    assert.deepEqual(await find(jobId), [jobId], key);
  }
  await world.create(undefined, {}, { 'idempotency-key': first });
  assert.deepEqual(await find(first), [first], 'an id is first of all an id');
});

async function begin(jobId: string, worker: string | null): Promise<void> {
  const begun = { status: 'processing', attempt: 1, started_at: world.clock.nowMs(), worker } as const;
  await world.app.database.transaction((tx) =>
    tx.updateTable('jobs').set(begun).where('id', '=', jobId).execute(),
  );
}

test('a listed job equals the job read by itself, plus its tags and its star', async () => {
  const jobId = await world.create();
  const [first] = (await list('?limit=1')).data;
  const { queue: _, ...job } = (await world.send('GET', `/jobs/${jobId}?include=tags`)).body;
  assert.deepEqual(first, { ...job, tags: [], starred: false });
});

for (const [query, pointer] of [
  ['limit=0', '/query/limit'],
  ['limit=101', '/query/limit'],
  ['limit=1e1', '/query/limit'],
  ['limit=', '/query/limit'],
  ['limit=1&limit=2', '/query/limit'],
  ['status=finished', '/query/status'],
  ['model=dalle', '/query/model'],
  ['cursor=nonsense', '/query/cursor'],
  ['cursor=', '/query/cursor'],
  [`cursor=${Buffer.from('["x"]').toString('base64url')}`, '/query/cursor'],
  [`cursor=${'a'.repeat(200)}`, '/query/cursor'],
  ['sort=asc', '/query/sort'],
] as const) {
  test(`a list with ${query.slice(0, 20)} is 422 and names it`, async () => {
    const send = () => world.send('GET', `/jobs?${query}`);
    const reply = await assertRefused(world, send, 422, 'invalid_request');
    assert.ok(pointersOf(reply).includes(pointer), JSON.stringify(reply.body));
  });
}

test('the models are listed with ratios, resolutions and prices', async () => {
  const { status, body } = await world.send('GET', '/models');
  assert.equal(status, 200);
  assert.equal(body.currency, 'USD');
  const common = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'];
  const all = [...common, '1:4', '1:8', '4:1', '8:1', 'auto'];
  const models = body.data as Record<string, unknown>[]; // the documented shape, asserted below
  assert.deepEqual(
    models.map(({ id, aspect_ratios, resolutions, paused }) => [
      id,
      new Set(aspect_ratios as string[]),
      (resolutions as { resolution: string; price: string }[]).map((one) => `${one.resolution} ${one.price}`),
      paused,
    ]),
    [
      ['nb', new Set(common), ['1K 0.02'], false],
      ['nb2', new Set(all), ['1K 0.04', '2K 0.06', '4K 0.09'], false],
      ['pro', new Set(all), ['1K 0.08', '2K 0.10', '4K 0.15'], false],
    ],
  );
  // Programs and assistants choose a model by these single sentences.
  for (const { description } of models) assert.match(String(description), /^\p{Lu}[^.]{20,}\.$/u);
});
