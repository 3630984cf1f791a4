import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import sharp from 'sharp';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { pauseJobs, resumeJobs } from '../../src/jobs/admission/pause-jobs.ts';
import { openWorld } from '../world/world.ts';

const world = await openWorld();
after(() => world[Symbol.asyncDispose]());

interface Answer {
  content: { type: string; text?: string; data?: string; mimeType?: string; uri?: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

const requestInit = (key: string) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });
const address = () => new URL(`${world.url}/mcp`);

/** A client of the newest protocol, or of the version with `initialize`. */
async function connect(key = world.key, options: ClientOptions = {}) {
  const client = new Client({ name: 'tests', version: '1' }, options);
  await client.connect(new StreamableHTTPClientTransport(address(), requestInit(key)));
  return {
    client,
    call: async (name: string, args: Record<string, unknown> = {}, more = {}) =>
      (await client.callTool({ name, arguments: args }, more)) as unknown as Answer, // the protocol's shape
    [Symbol.asyncDispose]: () => client.close(),
  };
}

const textOf = ({ content }: Answer) => content.map(({ text }) => text ?? '').join('\n');
const modern: ClientOptions = { versionNegotiation: { mode: { pin: '2026-07-28' } } };

for (const [protocol, options] of [
  ['of 2026', modern],
  ['before it', {}],
] as const) {
  test(`a client of the protocol ${protocol} makes an image, and gets a preview, a link, the price and an id`, async () => {
    const before = Number((await world.balance()).balance);
    await using mcp = await connect(world.key, options);
    assert.match(mcp.client.getInstructions() ?? '', /generate_image/);
    const answer = await mcp.call('generate_image', {
      prompt: 'a fox',
      model: 'nb2',
      aspect_ratio: '16:9',
      resolution: '2K',
    });
    const { job_id: jobId, ...made } = answer.structuredContent ?? {};
    assert.deepEqual(
      { ...made, image_url: null },
      {
        status: 'done',
        model: 'nb2',
        aspect_ratio: '16:9',
        resolution: '2K',
        price: '0.06',
        currency: 'USD',
        image_url: null,
        width: 2752,
        height: 1536,
        error: null,
        error_code: null,
      },
    );
    const [text, preview, link] = answer.content;
    assert.ok(text?.text?.includes(String(jobId)) && text.text.includes(String(made.image_url)));
    assert.equal(preview?.mimeType, 'image/webp');
    assert.ok((preview?.data?.length ?? Infinity) < 500_000);
    const seen = await sharp(Buffer.from(preview?.data ?? '', 'base64')).metadata();
    assert.deepEqual([seen.format, seen.width, seen.height], ['webp', 1024, 572]);
    assert.deepEqual([link?.type, link?.uri, link?.mimeType], ['resource_link', made.image_url, 'image/png']);
    const whole = await fetch(String(made.image_url));
    assert.equal((await sharp(await whole.arrayBuffer()).metadata()).width, 2752);
    assert.equal((before - Number((await world.balance()).balance)).toFixed(2), '0.06');
    assert.deepEqual(
      (await mcp.call('get_job', { job_id: jobId })).structuredContent,
      answer.structuredContent,
    );
  });
}

test('the older official client works as the newer one does', async () => {
  const client = new OlderClient({ name: 'tests', version: '1' });
  await client.connect(new OlderTransport(address(), requestInit(world.key)) as never); // its types are inexact
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['generate_image', 'get_job', 'list_models', 'get_balance'],
  );
  const answer = (await client.callTool({
    name: 'generate_image',
    arguments: { prompt: 'a fox' },
  })) as Answer;
  assert.equal(answer.structuredContent?.status, 'done', 'the cheapest model made it');
  assert.equal(answer.structuredContent?.price, '0.02');
  await client.close();
});

test('a client that requests progress is notified of the job at once, and while it waits', async () => {
  const go = Promise.withResolvers<void>();
  world.provider.handler = async (request) => {
    await go.promise;
    return world.provider.answer(request);
  };
  await using mcp = await connect();
  const heard: { progress: number; message?: string }[] = [];
  const progress = Promise.withResolvers<void>();
  const answer = mcp.call(
    'generate_image',
    { prompt: 'a fox' },
    {
      onprogress(update: { progress: number; message?: string }) {
        heard.push(update);
        if (heard.length === 2) progress.resolve();
      },
    },
  );
  await progress.promise;
  world.provider.handler = async (request) => world.provider.answer(request);
  go.resolve();
  const { structuredContent } = await answer;
  assert.match(heard[0]?.message ?? '', new RegExp(String(structuredContent?.job_id)));
  assert.ok((heard[1]?.progress ?? 0) > (heard[0]?.progress ?? 0));
});

test('a client that leaves does not stop its job, which is charged and can be read', async () => {
  const go = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  world.provider.handler = async (request) => {
    begun.resolve();
    await go.promise;
    return world.provider.answer(request);
  };
  await using mcp = await connect();
  const leave = new AbortController();
  const answer = mcp.call('generate_image', { prompt: 'a fox that stays' }, { signal: leave.signal });
  await begun.promise;
  leave.abort();
  await assert.rejects(answer);
  world.provider.handler = async (request) => world.provider.answer(request);
  go.resolve();
  const { body } = await world.send('GET', '/jobs?limit=1');
  const [job] = body.data as { job_id: string; prompt: string }[];
  assert.equal(job?.prompt, 'a fox that stays');
  const answered = await mcp.call('get_job', { job_id: job?.job_id, wait_seconds: 20 });
  assert.equal(answered.structuredContent?.status, 'done');
  assert.equal((await world.balance()).reserved, '0.00');
});

test('a call that does not wait gets its image’s id at once', async () => {
  const go = Promise.withResolvers<void>();
  world.provider.handler = async (request) => {
    await go.promise;
    return world.provider.answer(request);
  };
  await using mcp = await connect();
  const told = await mcp.call('generate_image', { prompt: 'a fox for later', wait_seconds: 0 });
  assert.match(String(told.structuredContent?.status), /^(queued|processing)$/);
  world.provider.handler = async (request) => world.provider.answer(request);
  go.resolve();
  const jobId = told.structuredContent?.job_id;
  const done = await mcp.call('get_job', { job_id: jobId, wait_seconds: 20 });
  assert.equal(done.structuredContent?.status, 'done');
});

test('earlier images can be inputs of later ones, and are resources', async () => {
  await using mcp = await connect();
  const first = await mcp.call('generate_image', { prompt: 'a\nfox', aspect_ratio: '4:3' });
  const firstId = String(first.structuredContent?.job_id);
  const edited = await mcp.call('generate_image', {
    prompt: 'in winter',
    model: 'pro',
    images: [firstId, first.structuredContent?.image_url],
  });
  assert.equal(edited.structuredContent?.aspect_ratio, '4:3', 'auto takes the shape of the first image');
  assert.equal(world.provider.requests.at(-1)?.request.inputs.length, 2);

  const { resources } = await mcp.client.listResources();
  assert.deepEqual(
    resources.slice(0, 2).map(({ uri, title }) => [uri, title]),
    [
      [`darkroom://images/${edited.structuredContent?.job_id}`, 'in winter'],
      [`darkroom://images/${firstId}`, 'a fox'],
    ],
  );
  const { contents } = await mcp.client.readResource({ uri: `darkroom://images/${firstId}` });
  const [image] = contents as { mimeType: string; blob: string }[];
  assert.equal((await sharp(Buffer.from(image?.blob ?? '', 'base64')).metadata()).format, 'png');

  const stranger = await world.account('stranger', { creditMicros: 1_000_000n });
  await using other = await connect(stranger.key);
  assert.deepEqual((await other.client.listResources()).resources, []);
  await assert.rejects(other.client.readResource({ uri: `darkroom://images/${firstId}` }), /not found/i);
  const stolen = await other.call('generate_image', { prompt: 'mine now', images: [firstId] });
  assert.deepEqual([stolen.isError, /no such job/.test(textOf(stolen))], [true, true]);
});

test('a tool’s failure is its result, and says what to do next', async () => {
  const poor = await world.account('poor');
  const scoped = await world.account('scoped', { creditMicros: 1_000_000n, models: ['nb'] });
  const cases: [key: string, tool: string, args: Record<string, unknown>, words: RegExp][] = [
    [world.key, 'generate_image', { prompt: '' }, /prompt must not be empty\. Correct this/],
    [
      world.key,
      'generate_image',
      { prompt: 'a', model: 'x', size: 1 },
      /model must be one of nb, nb2, pro\..*size is not known|size is not known.*model must be one of nb, nb2, pro/,
    ],
    [
      world.key,
      'generate_image',
      { prompt: 'a', model: 'nb', aspect_ratio: '1:8', resolution: '1K' },
      /aspect_ratio must be one of 1:1, 2:3/,
    ],
    [
      world.key,
      'generate_image',
      { prompt: 'a', model: 'nb', resolution: '4K' },
      /resolution is not a field of the model nb/,
    ],
    [world.key, 'generate_image', { prompt: 'a', images: ['fox.png'] }, /images\/0 must be a URL/],
    [world.key, 'generate_image', { prompt: 'a', images: ['http://127.0.0.1:9/a.png'] }, /Use other images/],
    [
      world.key,
      'generate_image',
      { prompt: 'a', images: ['https://example.com/a.png'], mask: 'http://127.0.0.1:9/a.png' },
      /^mask The URL does not lead to a public/,
    ],
    [world.key, 'get_job', { job_id: 'a' }, /no such job/],
    [poor.key, 'generate_image', { prompt: 'a' }, /balance must be topped up/],
    [scoped.key, 'generate_image', { prompt: 'a', model: 'pro' }, /may use nb but not pro.*list_models/],
  ];
  for (const [key, tool, args, words] of cases) {
    await using mcp = await connect(key);
    const answer = await mcp.call(tool, args);
    assert.equal(answer.isError, true, JSON.stringify(answer));
    assert.match(textOf(answer), words);
  }
  await pauseJobs(world.app, { scope: 'nb2', reason: null, until: null }, commandLine);
  await using mcp = await connect();
  const paused = await mcp.call('generate_image', { prompt: 'a', model: 'nb2' });
  assert.match(textOf(paused), /Or use another model\. Wait \d+ s/);
  await resumeJobs(world.app, { scope: 'nb2' }, commandLine);

  world.provider.handler = async () => {
    throw new Error('broken');
  };
  const failed = await mcp.call('generate_image', { prompt: 'a' });
  world.provider.handler = async (request) => world.provider.answer(request);
  assert.deepEqual([failed.isError, failed.structuredContent?.status], [true, 'failed']);
  assert.match(textOf(failed), /No image was made and nothing was charged/);
});

test('a key sees the models that it may use, and its own balance', async () => {
  const scoped = await world.account('two models', { creditMicros: 5_000_000n, models: ['nb', 'pro'] });
  await using mcp = await connect(scoped.key);
  const { tools } = await mcp.client.listTools();
  const properties = tools[0]?.inputSchema.properties as { model: { enum: string[] } };
  assert.deepEqual(properties.model.enum, ['nb', 'pro']);
  assert.doesNotMatch(tools[0]?.description ?? '', /nb2/);
  const { models } = (await mcp.call('list_models')).structuredContent as { models: { id: string }[] };
  assert.deepEqual(
    models.map(({ id }) => id),
    ['nb', 'pro'],
  );
  assert.equal((await mcp.call('get_balance')).structuredContent?.available, '5.00');
});

test('requests that break the protocol are refused in its form', async () => {
  const send = (
    headers: Record<string, string>,
    body = '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    method = 'POST',
  ) =>
    fetch(address(), {
      method,
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...headers,
      },
      ...(method === 'POST' && { body }),
    });
  const authorization = `Bearer ${world.key}`;
  const unknown = await send({});
  assert.equal(unknown.status, 401);
  assert.match(unknown.headers.get('www-authenticate') ?? '', /^Bearer/);
  assert.equal((await send({ authorization: 'Bearer dk_wrong' })).status, 401);
  assert.equal((await send({ authorization, origin: 'https://evil.example' })).status, 403);
  assert.equal((await send({ authorization, origin: world.url })).status, 200);
  const broken = await send({ authorization }, '{');
  assert.equal(broken.status, 400);
  assert.equal(((await broken.json()) as { error: { code: number } }).error.code, -32_700);
  assert.equal((await send({ authorization }, '', 'GET')).status, 405);
  await using mcp = await connect();
  await assert.rejects(mcp.call('draw'), /no tool "draw"/);
});
