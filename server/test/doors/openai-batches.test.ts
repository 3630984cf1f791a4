import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import OpenAI, { toFile } from 'openai';
import { createKey } from '../../src/accounts/create-key.ts';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { noDefaults } from '../../src/money/limits/limit.ts';
import { failure } from '../../src/upstream/providers/failure.ts';
import { expire } from '../world/expire.ts';
import { plainPng } from '../world/provider.ts';
import { openWorld } from '../world/world.ts';

const world = await openWorld();
after(() => world[Symbol.asyncDispose]());
const client = clientOf(world.key);
const generations = '/v1/images/generations';
const edits = '/v1/images/edits';
const inline = `data:image/png;base64,${plainPng(64, 48).toString('base64')}`;

type Line = Record<string, unknown>;
interface Ended {
  custom_id: string;
  response: { status_code: number; body: Answer } | null;
  error: { code: string } | null;
}
interface Answer {
  size: string;
  output_format: string;
  safety_identifier: string;
  data: { b64_json: string; url: string }[];
  error: { code: string };
}

test("OpenAI's documented batch example runs as written", async () => {
  await using folder = await makeFolder();
  const path = join(folder.path, 'batchinput.jsonl');
  const lines = [
    line('request-1', { model: 'gpt-image-1', prompt: 'a fox', size: '1536x1024' }),
    line('request-2'),
  ];
  await writeFile(path, lines.map((one) => JSON.stringify(one)).join('\n'));
  const before = await world.balance();

  const file = await client.files.create({ file: createReadStream(path), purpose: 'batch' });
  assert.deepEqual([file.object, file.purpose, file.filename], ['file', 'batch', 'batchinput.jsonl']);
  const created = await client.batches.create({
    input_file_id: file.id,
    endpoint: generations,
    completion_window: '24h',
    metadata: { night: '7' },
  });
  assert.deepEqual(
    [created.object, created.endpoint, created.input_file_id],
    ['batch', generations, file.id],
  );
  assert.deepEqual([created.request_counts?.total, created.metadata], [2, { night: '7' }]);
  const batch = await ended(created.id);
  assert.deepEqual([batch.status, batch.error_file_id], ['completed', null]);
  assert.deepEqual(batch.request_counts, { total: 2, completed: 2, failed: 0 });
  assert.deepEqual(batch.metadata, { night: '7' });

  const output = await read(batch.output_file_id);
  assert.deepEqual(
    output.map(({ custom_id, response, error }) => [
      custom_id,
      response?.status_code,
      response?.body.size,
      error,
    ]),
    [
      ['request-1', 200, '1264x848', null],
      ['request-2', 200, '1024x1024', null],
    ],
  );
  const image = imageOf(output[0]);
  assert.equal(image.subarray(1, 4).toString(), 'PNG');
  const spent = Number(before.balance) - Number((await world.balance()).balance);
  assert.equal(spent.toFixed(2), '0.12');
  assert.equal(
    await (await client.files.content(file.id)).text(),
    lines.map((one) => JSON.stringify(one)).join('\n'),
  );
  const about = await client.files.retrieve(String(batch.output_file_id));
  assert.deepEqual([about.purpose, about.filename], ['batch_output', 'output.jsonl']);
});

test('edits have their images in the line or as links of this server, and each line gets its own form of answer', async () => {
  const { body } = await world.send('GET', `/jobs/${await world.create()}`, {
    headers: { prefer: 'wait=30' },
  });
  const { image_url } = body.result as { image_url: string };
  const batch = await run(edits, [
    line('inline', { images: [{ image_url: inline }], output_format: 'webp', user: 'customer-7' }, edits),
    line('ours', { images: [{ image_url }], response_format: 'url' }, edits),
  ]);
  const [first, second] = await read(batch.output_file_id);
  const { output_format, safety_identifier } = first?.response?.body ?? {};
  assert.deepEqual([output_format, safety_identifier], ['webp', 'customer-7']);
  assert.equal(imageOf(first).subarray(8, 12).toString(), 'WEBP');
  assert.equal((await fetch(second?.response?.body.data[0]?.url ?? '')).status, 200);
  const sent = world.provider.requests.slice(-2).map(({ request: { inputs } }) => inputs.length);
  assert.deepEqual(sent, [1, 1]);
  const { body: uploads } = await world.send('GET', '/uploads');
  assert.deepEqual(uploads.data, []);
});

test('failed requests are in the error file, and cost nothing', async () => {
  world.provider.handler = async (asked) => {
    if (asked.prompt.includes('cliff')) throw failure('safety_blocked');
    return world.provider.answer(asked);
  };
  const batch = await run(generations, [line('good'), line('bad', { prompt: 'a cliff' })]);
  assert.deepEqual(batch.request_counts, { total: 2, completed: 1, failed: 1 });
  assert.deepEqual(
    (await read(batch.output_file_id)).map(({ custom_id }) => custom_id),
    ['good'],
  );
  const [bad] = await read(batch.error_file_id);
  assert.deepEqual(
    [bad?.custom_id, bad?.response?.status_code, bad?.response?.body.error?.code],
    ['bad', 400, 'moderation_blocked'],
  );
});

test('a cancelled batch says of each line whether it was made', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  world.provider.handler = async (asked, { signal }) => {
    await Promise.race([promise, once(signal, 'abort')]);
    signal.throwIfAborted();
    return world.provider.answer(asked);
  };
  const { id } = await create(generations, [line('one'), line('two')]);
  const cancelling = await client.batches.cancel(id);
  assert.match(cancelling.status, /^cancell(ing|ed)$/);
  const batch = await ended(id);
  resolve();
  assert.deepEqual([batch.status, batch.output_file_id], ['cancelled', null]);
  assert.deepEqual(
    (await read(batch.error_file_id)).map(({ custom_id, response, error }) => [
      custom_id,
      response,
      error?.code,
    ]),
    [
      ['one', null, 'batch_cancelled'],
      ['two', null, 'batch_cancelled'],
    ],
  );
});

test('a file makes one batch, however often its create is repeated, even once it is deleted, and another under another key', async () => {
  answerAtOnce();
  const file = await upload([line('only')]);
  const asked = { input_file_id: file.id, endpoint: generations, completion_window: '24h' } as const;
  const make = async (headers = {}) => (await client.batches.create(asked, { headers })).id;
  const [first, ...repeated] = await Promise.all([make(), make(), make()]);
  assert.deepEqual(repeated, [first, first]);
  const headers = { 'Idempotency-Key': 'another' };
  const another = await make(headers);
  assert.notEqual(another, first);
  await client.files.delete(file.id);
  assert.deepEqual([await make(), await make(headers)], [first, another]);
});

test('the refusal of a file that is already a batch says so, and mentions no key that was not sent', async () => {
  answerAtOnce();
  const { id } = await upload([line('only')]);
  const asked = { input_file_id: id, endpoint: generations, completion_window: '24h' } as const;
  const ask = (metadata: Record<string, string>, headers = {}) =>
    client.batches.create({ ...asked, metadata }, { headers });
  const made = await ask({ night: '1' });
  const message = /^400 This file is already a batch of another/;
  const refused = { status: 400, param: 'input_file_id', message };
  await assert.rejects(ask({ night: '2' }), refused);
  const own = { 'Idempotency-Key': 'night-2' };
  assert.notEqual((await ask({ night: '2' }, own)).id, made.id);
  await assert.rejects(ask({ night: '3' }, own), { message: /This Idempotency-Key was used/ });
});

test('a batch larger than the limit of unfinished jobs is refused for good, with the reason', async () => {
  answerAtOnce();
  const deps = { database: world.app.database, clock: world.clock, limitDefaults: noDefaults };
  const { key } = await createKey(deps, { account: world.accountId, limits: { open: 2n } }, commandLine);
  const own = clientOf(key);
  await assert.rejects(
    create(
      generations,
      ['a', 'b', 'c'].map((name) => line(name)),
      own,
    ),
    (error: unknown) => {
      assert.ok(error instanceof OpenAI.RateLimitError);
      assert.match(error.message, /may have 2 unfinished jobs, and these are 3\. Send fewer at once\./);
      assert.deepEqual(
        [error.headers.get('x-should-retry'), error.headers.get('retry-after')],
        ['false', null],
      );
      return true;
    },
  );
  await create(generations, [line('a'), line('b')], own);
});

test('a file’s mistakes are named by line, and nothing of it is accepted', async () => {
  answerAtOnce();
  const { available } = await world.balance();
  const wrong: [object | string, RegExp][] = [
    ['{"custom_id"', /^400 Line 1: .*JSON/],
    [{ ...line('a'), custom_id: '' }, /Line 1: Send custom_id/],
    [{ ...line('a'), method: 'GET' }, /method/],
    [{ ...line('a'), url: edits }, /url must be/],
    [line('a', { n: 2 }), /n must be 1/],
    [line('a', { stream: true }), /stream/],
    [line('a', { prompt: '' }), /prompt/],
    [line('a', { model: 'gpt-4o' }), /model/],
    [line('a', { sede: 7 }), /sede/],
    [line('a', { metadata: { a: 1 } }), /metadata/],
  ];
  for (const [one, message] of wrong)
    await assert.rejects(create(generations, [one]), { status: 400, message });
  const several = [line('same'), line('same'), 'no', line('other', { n: 0 })];
  await assert.rejects(create(generations, several), {
    message: /Line 2: .*same\.\nLine 3: .*\nLine 4: .*\nNothing/,
  });
  for (const images of [
    [],
    [{ image_url: 'https://example.com/a.png' }],
    [{ file_id: 'file-a' }],
    [{ image_url: 'data:image/png;base64,AAAA' }],
  ])
    await assert.rejects(create(edits, [line('a', { images }, edits)]), { status: 400, message: /Line 1/ });
  await assert.rejects(
    create(
      generations,
      Array.from({ length: 10_001 }, (_, at) => line(String(at))),
    ),
    {
      status: 400,
      message: /10001: A file may have at most 10,000 lines/,
    },
  );
  await assert.rejects(create(generations, ['']), { status: 400, message: /no request/ });
  assert.equal((await world.balance()).available, available);
});

test('a line is blank only if all of it is white space, and blank lines count towards the limit', async () => {
  answerAtOnce();
  const far = ' '.repeat(5_000);
  const { request_counts } = await run(generations, [
    `${far}${JSON.stringify(line('a'))}`,
    `${far}\t\r`,
    line('b'),
  ]);
  assert.equal(request_counts?.total, 2);
  await assert.rejects(create(generations, [`${far}no`]), { status: 400, message: /Line 1: .*JSON/ });
  await assert.rejects(create(generations, ['\u00a0']), { status: 400, message: /Line 1: .*JSON/ });
  await assert.rejects(create(generations, ['\n'.repeat(15_000_000)]), {
    status: 400,
    message: /Line 10001: A file may have at most 10,000 lines/,
  });
});

test('a model that the key may not use is named by its line', async () => {
  const { key } = await world.account('one-model', { creditMicros: 1_000_000n, models: ['nb2'] });
  await assert.rejects(create(generations, [line('a'), line('b', { model: 'pro' })], clientOf(key)), {
    status: 403,
    code: 'model_forbidden',
    message: /Line 2: .*\nNothing was accepted\./,
  });
});

test('only their account can see files and batches, and pages cannot', async () => {
  const { id, output_file_id, input_file_id } = await run(generations, [line('a')]);
  const stranger = clientOf((await world.account('stranger')).key);
  const { token } = (await world.send('POST', '/client-tokens', { body: { models: ['nb2'] } })).body;
  for (const [who, status] of [
    [stranger, 404],
    [clientOf(String(token)), 403],
  ] as const)
    for (const ask of [
      () => who.batches.retrieve(id),
      () => who.batches.cancel(id),
      () => who.files.retrieve(input_file_id),
      () => who.files.content(String(output_file_id)),
      () => who.files.content(input_file_id),
      () => who.files.delete(input_file_id),
      () => who.batches.create({ input_file_id, endpoint: generations, completion_window: '24h' }),
    ])
      await assert.rejects(async () => ask(), { status });
  assert.deepEqual([(await stranger.batches.list()).data, (await stranger.files.list()).data], [[], []]);
  const { batch_id } = (
    await world.send('POST', '/batches', {
      body: { requests: [{ model: 'nb', mode: 'text', body: { prompt: 'a fox', aspect_ratio: '1:1' } }] },
    })
  ).body;
  const named = `batch_${String(batch_id).replaceAll('-', '')}`;
  await assert.rejects(client.batches.retrieve(named), { status: 404 }); // it was not sent as a file
});

test('lists continue from page to page, and a deleted file is gone, but not its batch', async () => {
  const own = clientOf((await world.account('lister', { creditMicros: 10_000_000n })).key);
  const made: string[] = [];
  const files: string[] = [];
  for (const name of ['a', 'b', 'c']) {
    const batch = await create(generations, [line(name)], own);
    made.unshift(batch.id);
    files.unshift(batch.input_file_id);
  }
  const listed: string[] = [];
  for await (const { id } of own.batches.list({ limit: 2 })) listed.push(id);
  assert.deepEqual(listed, made);
  const listedFiles: string[] = [];
  for await (const { id } of own.files.list({ limit: 2 })) listedFiles.push(id);
  assert.deepEqual(listedFiles, files);
  for (const after of ['x', 'batch_x', `batch_${'z'.repeat(32)}`]) {
    await assert.rejects(async () => own.batches.list({ after }), { status: 404, code: 'not_found' });
    await assert.rejects(async () => own.files.list({ after }), { status: 404, code: 'not_found' });
  }
  for (const query of ['purpose=batch', 'order=asc', 'before=x'])
    await assert.rejects(own.get(`/batches?${query}`), { status: 400 });
  const [gone = ''] = files;
  assert.deepEqual(await own.files.delete(gone), { id: gone, object: 'file', deleted: true });
  await assert.rejects(own.files.content(gone), { status: 404, code: 'not_found' });
  await assert.rejects(own.files.delete(gone), { status: 404 });
  assert.equal((await own.batches.retrieve(made[0] ?? '')).input_file_id, gone);
});

test('files are deleted together with the jobs of their time', async () => {
  const { id, input_file_id } = await run(generations, [line('old')]);
  await expire(world.app, -1);
  await assert.rejects(client.files.content(input_file_id), { status: 404 });
  await assert.rejects(client.batches.retrieve(id), { status: 404 });
});

function clientOf(apiKey: string): OpenAI {
  return new OpenAI({ baseURL: `${world.url}/v1`, apiKey, maxRetries: 0 });
}

function line(custom_id: string, body: object = {}, url = generations): Line {
  return {
    custom_id,
    method: 'POST',
    url,
    body: { model: 'nb2', prompt: 'a fox', size: '1024x1024', ...body },
  };
}

async function upload(lines: readonly (object | string)[], by = client) {
  const text = lines.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n');
  return by.files.create({ file: await toFile(Buffer.from(`${text}\n`), 'batch.jsonl'), purpose: 'batch' });
}

async function create(
  endpoint: typeof generations | typeof edits,
  lines: readonly (object | string)[],
  by = client,
) {
  const { id } = await upload(lines, by);
  return by.batches.create({ input_file_id: id, endpoint, completion_window: '24h' });
}

async function run(endpoint: typeof generations | typeof edits, lines: readonly (object | string)[]) {
  return ended((await create(endpoint, lines)).id);
}

async function ended(id: string) {
  const dashed = id.replace(/^batch_(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  const { data } = (await world.send('GET', `/jobs?batch_id=${dashed}`)).body as {
    data: { job_id: string }[];
  };
  for (const { job_id } of data) await world.finished(job_id);
  return client.batches.retrieve(id);
}

async function read(fileId: string | null | undefined): Promise<Ended[]> {
  const text = await (await client.files.content(String(fileId))).text();
  return text
    .trimEnd()
    .split('\n')
    .map((one) => JSON.parse(one));
}

function imageOf(line: Ended | undefined): Buffer {
  return Buffer.from(line?.response?.body.data[0]?.b64_json ?? '', 'base64');
}

function answerAtOnce(): void {
  world.provider.handler = async (asked) => world.provider.answer(asked);
}

async function makeFolder() {
  const path = await mkdtemp(join(tmpdir(), 'darkroom-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}
