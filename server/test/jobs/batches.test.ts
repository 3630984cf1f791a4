import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markCancelled } from '../../src/jobs/batches/batch-store.ts';
import { listBatchPage } from '../../src/jobs/batches/get-batch.ts';
import { openMember } from '../panel/browser.ts';
import { expire } from '../world/expire.ts';
import { claimOnce } from '../world/run-once.ts';
import { openWorld, testRoutes, type World } from '../world/world.ts';

const timeout = 60_000;

function requests(count: number, body: object = {}) {
  return Array.from({ length: count }, (_, index) => ({
    model: index % 2 === 0 ? 'nb' : 'nb2',
    mode: 'text',
    body: { prompt: `fox ${index}`, aspect_ratio: '1:1', ...body },
  }));
}

function post(world: World, body: unknown, headers: Record<string, string> = {}) {
  return world.send('POST', '/batches', { body, headers });
}

interface BatchBody {
  status: string;
  finished_at: string | null;
  counts: Record<string, number>;
  price: string;
  charged: string;
}

async function read(world: World, batchId: unknown): Promise<BatchBody> {
  const { status, body } = await world.send('GET', `/batches/${batchId}`);
  assert.equal(status, 200);
  return body as unknown as BatchBody;
}

async function results(world: World, batchId: unknown) {
  const answer = await fetch(`${world.url}/api/v1/batches/${batchId}/results`, {
    headers: { authorization: `Bearer ${world.key}` },
  });
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/jsonl']);
  const lines = (await answer.text()).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as { index: number; job: Record<string, unknown> });
}

test('a batch of 600 is one reservation, and its results come in the order of its requests', {
  timeout,
}, async () => {
  await using world = await openWorld({ worker: false });
  const { status, body, headers } = await post(world, { requests: requests(600) });
  assert.equal(status, 202, JSON.stringify(body));
  const path = `/api/v1/batches/${body.batch_id}`;
  assert.deepEqual([body.status, body.status_url, body.jobs], ['processing', path, 600]);
  assert.equal(headers.get('location'), path);
  assert.equal((await world.balance()).reserved, body.price);
  const batch = await read(world, body.batch_id);
  assert.deepEqual(batch.counts, { queued: 600, processing: 0, done: 0, failed: 0 });
  assert.deepEqual([batch.price, batch.charged, batch.finished_at], [body.price, '0.00', null]);
  const lines = await results(world, body.batch_id);
  assert.deepEqual(
    lines.map(({ index, job }) => [index, job.prompt, job.model]),
    requests(600).map(({ model, body: { prompt } }, index) => [index, prompt, model]),
  );
  const [line] = lines;
  const { body: job } = await world.send('GET', `/jobs/${line?.job.job_id}`);
  assert.deepEqual({ ...line?.job, queue: job.queue }, job);

  const other = await post(world, { requests: requests(3) });
  const list = async (query: string) => {
    const { body: found } = await world.send('GET', `/jobs?limit=2&batch_id=${query}`);
    return found as { data: { prompt: string }[]; next_cursor: string | null };
  };
  const page = await list(String(other.body.batch_id));
  const rest = await list(`${other.body.batch_id}&cursor=${page.next_cursor}`);
  const found = [...page.data, ...rest.data].map(({ prompt }) => prompt);
  assert.deepEqual(found.sort(), ['fox 0', 'fox 1', 'fox 2']);
  assert.equal((await list(`${other.body.batch_id}&model=nb2&q=fox`)).data.length, 1);
  assert.equal((await world.send('GET', '/jobs?batch_id=none')).status, 422);
});

test('counts follow the jobs, and a batch is done once its last job has ended', { timeout }, async () => {
  await using world = await openWorld();
  const { body } = await post(world, { requests: requests(6) });
  for (const { job } of await results(world, body.batch_id)) await world.finished(String(job.job_id));
  const batch = await read(world, body.batch_id);
  assert.deepEqual(batch.counts, { queued: 0, processing: 0, done: 6, failed: 0 });
  assert.deepEqual([batch.status, batch.charged], ['done', body.price]);
  assert.ok(batch.finished_at);
  assert.equal((await world.balance()).reserved, '0.00');
  await expire(world.app, -1);
  assert.equal((await world.send('GET', `/batches/${body.batch_id}`)).status, 404);
});

test('a batch has the name of its create, and another name under the same key is another request', {
  timeout,
}, async () => {
  await using world = await openWorld({ worker: false });
  const key = { 'idempotency-key': 'animals' };
  const asked = { name: 'animals', requests: requests(2) };
  const { body } = await post(world, asked, key);
  assert.equal((await post(world, asked, key)).body.batch_id, body.batch_id);
  assert.equal((await post(world, { ...asked, name: 'plants' }, key)).body.code, 'idempotency_key_reused');
  await post(world, { ...asked, name: null });
  const { body: list } = await world.send('GET', '/batches');
  assert.deepEqual(
    (list.data as { name: unknown }[]).map(({ name }) => name),
    [null, 'animals'],
  );
  for (const name of ['', '  ', 'x'.repeat(101)])
    assert.equal((await post(world, { ...asked, name })).status, 422, `"${name}"`);
});

test('JSON Lines make the same batch', { timeout }, async () => {
  await using world = await openWorld({ worker: false });
  const lines = requests(3).map((one) => JSON.stringify(one));
  const jsonl = { 'content-type': 'application/jsonl' };
  const { status, body } = await post(world, `${lines.join('\r\n')}\n\n`, jsonl);
  assert.deepEqual([status, body.jobs], [202, 3]);
  const unreadable = { detail: 'is not a line of valid JSON, or too large.' };
  const broken = await post(world, `${lines[0]}\n{"model": \n{"model":"nb"}\n]\n`, jsonl);
  assert.deepEqual(
    [broken.status, broken.body.errors],
    [
      422,
      [
        { pointer: '/requests/1', ...unreadable },
        { pointer: '/requests/2/mode', detail: 'is required.' },
        { pointer: '/requests/2/body', detail: 'is required.' },
        { pointer: '/requests/3', ...unreadable },
      ],
    ],
  );
  const text = await post(world, lines.join('\n'), { 'content-type': 'text/plain' });
  assert.deepEqual([text.status, text.body.code], [415, 'unsupported_media_type']);
});

test('nothing is accepted if one request is invalid, and mistakes are named by their place', {
  timeout,
}, async () => {
  await using world = await openWorld({ worker: false });
  const list: { model: string; mode: string; body: object }[] = requests(8);
  list[1] = { model: 'nb', mode: 'text', body: { prompt: '', aspect_ratio: '1:1' } };
  list[3] = { model: 'none', mode: 'text', body: {} };
  list[4] = { model: 'nb', mode: 'url', body: {} };
  list[5] = { model: 'nb', mode: 'text', body: { prompt: 'a', aspect_ratio: '1:1', deadline_seconds: -1 } };
  list[6] = {
    model: 'nb',
    mode: 'text',
    body: { prompt: 'a', aspect_ratio: '1:1', callback_url: 'http://127.0.0.1/' },
  };
  const { status, body } = await post(world, { requests: list });
  assert.deepEqual([status, body.code], [422, 'invalid_request']);
  const pointers = (body.errors as { pointer: string }[]).map(({ pointer }) => pointer);
  assert.deepEqual(pointers, [
    '/requests/1/body/prompt',
    '/requests/3/model',
    '/requests/4/body/prompt',
    '/requests/4/body/aspect_ratio',
    '/requests/4/body/input_images_urls',
    '/requests/5/body/deadline_seconds',
    '/requests/6/body/callback_url',
  ]);
  const mixed: unknown[] = [{ model: 'nb', mode: 'text', body: {}, more: 1 }, 'words', ...list.slice(1, 2)];
  const told = await post(world, { requests: mixed });
  assert.deepEqual(
    (told.body.errors as { pointer: string }[]).map(({ pointer }) => pointer),
    ['/requests/0/more', '/requests/1', '/requests/2/body/prompt'],
  );
  const unknown = await post(world, { requests: [{ model: 'nb', mode: 'text', body: {}, more: 1 }] });
  assert.deepEqual(
    (unknown.body.errors as { pointer: string }[]).map(({ pointer }) => pointer),
    ['/requests/0/more'],
  );
  assert.equal((await post(world, { requests: [] })).status, 422);
  assert.equal((await post(world, { requests: requests(10_001) })).status, 422);
  assert.equal((await world.balance()).reserved, '0.00');
  assert.deepEqual((await world.send('GET', '/jobs')).body.data, []);
  assert.deepEqual((await world.send('GET', '/batches')).body.data, []);
});

test('a batch of ten thousand may be indented', { timeout }, async () => {
  await using world = await openWorld({ worker: false });
  const quote = (count: number) =>
    world.send('POST', '/batches?dry_run=true', {
      body: JSON.stringify({ requests: requests(count) }, null, 8),
    });
  const { status, body } = await quote(10_000);
  assert.deepEqual([status, body.jobs], [200, 10_000], String(body.detail));
  assert.match(String((await quote(10_001)).body.detail), /at most 10,000 entries/);
});

test('all mistakes of a batch come in one answer, up to a thousand', { timeout }, async () => {
  await using world = await openWorld({ worker: false });
  const wrong = (count: number) => requests(count, { aspect_ratio: '17:9' });
  const { body } = await post(world, { requests: wrong(999) });
  assert.equal((body.errors as unknown[]).length, 999);
  assert.match(String(body.detail), /^999 parts .* names each\. Nothing was accepted\.$/);
  const more = await post(world, { requests: wrong(2_000) });
  assert.equal((more.body.errors as unknown[]).length, 1_000);
  assert.match(String(more.body.detail), /^1,000 and more parts .* names the first 1,000\. Nothing/);
});

test('nothing is accepted if the money is not enough for all requests', { timeout }, async () => {
  await using world = await openWorld({ worker: false });
  const poor = await world.account('poor', { creditMicros: 1_000_000n });
  const authorization = `Bearer ${poor.key}`;
  const { status, body } = await post(world, { requests: requests(600) }, { authorization });
  assert.deepEqual([status, body.code, body.available], [402, 'insufficient_funds', '1.00']);
  const { body: jobs } = await world.send('GET', '/jobs', { headers: { authorization } });
  assert.deepEqual(jobs.data, []);
});

test('a result of a batch is its job as the job is read, without its place in the queue', {
  timeout,
}, async () => {
  await using world = await openWorld({ worker: false });
  const { body } = await post(world, { requests: requests(2) });
  for (const { job } of await results(world, body.batch_id)) {
    const { queue, ...read } = (await world.send('GET', `/jobs/${job.job_id}`)).body;
    assert.ok(queue);
    assert.deepEqual(job, read);
  }
});

test('a key gives the same batch again, and is refused for another', { timeout }, async () => {
  await using world = await openWorld({ worker: false });
  const headers = { 'idempotency-key': 'once' };
  const first = await post(world, { requests: requests(5) }, headers);
  const { reserved } = await world.balance();
  const again = await post(world, { requests: requests(5) }, headers);
  assert.deepEqual([again.status, again.body], [202, first.body]);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.equal((await world.balance()).reserved, reserved);
  const other = await post(world, { requests: requests(4) }, headers);
  assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused']);
  const single = await world.send('POST', '/nb/text-generations', {
    body: requests(1)[0]?.body,
    headers,
  });
  assert.equal(single.body.code, 'idempotency_key_reused');
});

test('batches are listed newest first, and only for their account', { timeout }, async () => {
  await using world = await openWorld({ worker: false });
  const made: unknown[] = [];
  for (let count = 1; count <= 3; count += 1)
    made.unshift((await post(world, { requests: requests(count) })).body.batch_id);
  const first = await world.send('GET', '/batches?limit=2');
  const second = await world.send('GET', `/batches?limit=2&cursor=${first.body.next_cursor}`);
  const listed = [first, second].flatMap(({ body }) => body.data as { batch_id: string; jobs: number }[]);
  assert.deepEqual(
    listed.map(({ batch_id }) => batch_id),
    made,
  );
  assert.equal(second.body.next_cursor, null);
  const wanted = { accountId: world.accountId, before: undefined, limit: 2 };
  assert.equal((await listBatchPage(world.app, wanted)).length, 2, 'the database reads no more than a page');
  const other = await world.account('other');
  const headers = { authorization: `Bearer ${other.key}` };
  for (const path of ['', '/results'])
    assert.equal((await world.send('GET', `/batches/${made[0]}${path}`, { headers })).status, 404);
  assert.deepEqual((await world.send('GET', '/batches', { headers })).body.data, []);
});

test('a key for some models is refused for a batch with others', { timeout }, async () => {
  await using world = await openWorld({ worker: false });
  const { key } = await world.account('narrow', { creditMicros: 1_000_000n, models: ['nb'] });
  const { body } = await post(world, { requests: requests(2) }, { authorization: `Bearer ${key}` });
  assert.equal(body.code, 'model_forbidden');
});

test('a cancelled batch releases the money of unfinished jobs, and keeps finished images', {
  timeout,
}, async () => {
  await using world = await openWorld({ worker: false });
  const { balance } = await world.balance();
  const { body } = await post(world, { requests: requests(60) });
  const cancel = () => world.send('POST', `/batches/${body.batch_id}/cancel`);
  const before = await cancel();
  assert.equal(before.status, 200);
  assert.equal(before.body.status, 'cancelled');
  assert.deepEqual(before.body.counts, { queued: 0, processing: 0, done: 0, failed: 60 });
  assert.deepEqual(await world.balance(), { balance, reserved: '0.00', available: balance });
  const [line] = await results(world, body.batch_id);
  const { error, error_code } = line?.job ?? {};
  assert.deepEqual([error, error_code], ['The job was cancelled before it began.', 'cancelled']);
  assert.deepEqual((await cancel()).body, before.body);
  assert.equal((await world.send('POST', '/batches/nobody/cancel')).status, 404);
  const person = await openMember(world, { email: 'cancels@example.com' });
  const params = { batch_id: String((await post(world, { requests: requests(1) })).body.batch_id) };
  for (const _time of [1, 2]) await person.call('POST /api/v1/batches/:batch_id/cancel', { params });
  const entries = world.app.database.read.selectFrom('audit_log').select('subject');
  assert.equal((await entries.where('action', '=', 'batch.cancelled').execute()).length, 1);

  await using working = await openWorld();
  const ended = (await post(working, { requests: requests(2) })).body;
  while ((await read(working, ended.batch_id)).status !== 'done');
  const late = await working.send('POST', `/batches/${ended.batch_id}/cancel`);
  assert.deepEqual([late.body.status, late.body.charged], ['done', ended.price]);
});

test('a batch ends with the last of its jobs, even if the clock went back', { timeout }, async () => {
  await using world = await openWorld({ worker: false });
  const { body } = await post(world, { requests: requests(2) });
  await world.elapse(60_000);
  const routes = testRoutes(world.provider);
  await claimOnce(world.app.database, world.watch, { worker: 'w', routes, limit: 1, leaseMs: 20_000 });
  world.clock.jump(-50_000);
  await world.send('POST', `/batches/${body.batch_id}/cancel`);
  const ends = (await results(world, body.batch_id)).map(({ job }) => String(job.finished_at));
  assert.equal((await read(world, body.batch_id)).finished_at, ends.sort().at(-1));
});

test('cancelling a large batch is answered once it has begun, and continues by itself without a pause', {
  timeout,
}, async (t) => {
  await using world = await openWorld({ worker: false });
  const { balance } = await world.balance();
  const { body } = await post(world, { requests: requests(1_000) });
  using stack = new DisposableStack();
  t.mock.timers.enable({ apis: ['setTimeout'] }); // no pause ends until the batch has
  stack.defer(() => {
    t.mock.timers.runAll();
    t.mock.timers.reset();
  });
  const answered = Promise.withResolvers<void>();
  const { database } = world.app;
  const end = database.longTransaction.bind(database);
  // Of the ten parts, the last five wait for the answer: on a busy machine, the batch could end before it.
  const parts = t.mock.method(database, 'longTransaction', async (work: Parameters<typeof end>[0]) => {
    if (parts.mock.callCount() >= 5) await answered.promise;
    return end(work);
  });
  const { body: answer } = await world.send('POST', `/batches/${body.batch_id}/cancel`);
  answered.resolve();
  assert.deepEqual([answer.status, answer.finished_at], ['cancelling', null]);
  const { queued, failed } = answer.counts as Record<string, number>;
  assert.ok(failed !== undefined && failed >= 100 && queued === 1_000 - failed, JSON.stringify(answer));
  while ((await read(world, body.batch_id)).status === 'cancelling');
  const after = await read(world, body.batch_id);
  assert.deepEqual([after.status, after.counts.failed], ['cancelled', 1_000]);
  assert.deepEqual(await world.balance(), { balance, reserved: '0.00', available: balance });
});

test('if a process dies while cancelling a batch, another one continues, and no job of the batch begins', {
  timeout,
}, async () => {
  await using world = await openWorld({ worker: false });
  const { database } = world.app;
  const { body } = await post(world, { requests: requests(250) });
  const routes = testRoutes(world.provider, { slots: 10 });
  const claim = () => claimOnce(database, world.watch, { worker: 'w', routes, limit: 3, leaseMs: 20_000 });
  // The state of a process that was killed right after the first part.
  await database.transaction((tx) => markCancelled(tx, String(body.batch_id)));
  const { body: single } = await world.send('POST', '/nb/text-generations', { body: requests(1)[0]?.body });
  assert.deepEqual(
    (await claim()).map(({ id }) => id),
    [single.job_id],
    'only what is not of the batch',
  );
  while ((await read(world, body.batch_id)).status !== 'cancelled');
  assert.equal((await read(world, body.batch_id)).counts.failed, 250);
});
