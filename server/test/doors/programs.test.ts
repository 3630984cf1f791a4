import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, suite, test } from 'node:test';
import { plainPng } from '../world/provider.ts';
import { openWorld } from '../world/world.ts';

// Requests of programs that cannot be installed here, byte for byte where that matters: paths, headers, and the names
// and types of parts. Taken from the programs' sources: Open WebUI at 02530d501 (routers/images.py, which sends with
// aiohttp), n8n at 2475cbe03 (the OpenAI node and HTTP Request, which send with axios).
const world = await openWorld();
after(() => world[Symbol.asyncDispose]());
const guide = readFileSync(new URL('../../../docs/guides/programs.md', import.meta.url), 'utf8');

const png = plainPng(64, 48);
const aiohttp = {
  accept: '*/*',
  'accept-encoding': 'gzip, deflate, br, zstd',
  'user-agent': 'Python/3.12 aiohttp/3.14.1',
};

interface Images {
  data: { b64_json?: string; url?: string }[];
}

const made = () => world.provider.requests.at(-1)?.request;

async function send(path: string, headers: Record<string, string>, body: string | Buffer): Promise<unknown> {
  const bytes = new Uint8Array(Buffer.from(body));
  const answer = await fetch(world.url + path, { method: 'POST', headers, body: bytes });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return JSON.parse(text);
}

interface Part {
  name: string;
  value: string | Buffer;
  type?: string;
  filename?: string;
}

/** A form as these libraries write it. aiohttp also gives each text a type. */
function form(boundary: string, parts: Part[]): Buffer {
  const lines = parts.flatMap(({ name, value, type, filename }) => [
    `--${boundary}\r\n`,
    ...(type !== undefined ? [`Content-Type: ${type}\r\n`] : []),
    `Content-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n\r\n`,
    value,
    '\r\n',
  ]);
  return Buffer.concat([...lines, `--${boundary}--\r\n`].map((line) => Buffer.from(line)));
}

suite('Open WebUI', () => {
  const [, settings = ''] = /```sh\n(ENABLE_IMAGE_GENERATION[\s\S]*?)```/.exec(guide) ?? [];
  const setting = new Map(settings.split('\n').map((line) => line.split('=') as [string, string]));
  const authorization = `Bearer ${world.key}`;
  const text = 'text/plain; charset=utf-8';

  test('generates an image with the settings of the guide', async () => {
    const path = new URL(`${setting.get('IMAGES_OPENAI_API_BASE_URL')}/images/generations`).pathname;
    const body = JSON.stringify({
      model: setting.get('IMAGE_GENERATION_MODEL'),
      prompt: 'a red fox',
      n: 1,
      size: setting.get('IMAGE_SIZE'),
      response_format: 'b64_json',
    });
    const headers = { ...aiohttp, authorization, 'content-type': 'application/json' };
    const { data } = (await send(path, headers, body)) as Images;
    assert.ok(Buffer.from(data[0]?.b64_json ?? '', 'base64').length > 0);
    assert.equal(made()?.aspectRatio, '3:2');
  });

  test('shows why an image was refused, although it reads only the status line', async () => {
    const body = JSON.stringify({ model: 'gémini\r\n✓', prompt: 'a red fox' });
    for (const [path, key] of [
      ['/v1/images/generations', { authorization }],
      ['/v1beta/models/g%C3%A9mini%E2%9C%93:generateContent', { 'x-goog-api-key': world.key }],
    ] as const) {
      const headers = { ...aiohttp, ...key, 'content-type': 'application/json' };
      const answer = await fetch(world.url + path, { method: 'POST', headers, body });
      assert.match(answer.statusText, /^[ -~]*g mini [ -~]*nb, nb2, pro/);
    }
  });

  test('fetches an image by its link, with the key, if a model answers with one', async () => {
    const body = JSON.stringify({ model: 'dall-e-3', prompt: 'a red fox', n: 1, size: '1024x1024' });
    const headers = { ...aiohttp, authorization };
    const { data } = (await send(
      '/v1/images/generations',
      { ...headers, 'content-type': 'application/json' },
      body,
    )) as Images;
    const image = await fetch(data[0]?.url ?? '', { headers });
    assert.deepEqual([image.status, image.headers.get('content-type')], [200, 'image/png']);
    await image.arrayBuffer();
  });

  test('edits one image, and several', async () => {
    const boundary = 'd3b07384d113edec49eaa6238ad5ff00';
    const file = { value: png, filename: '6b2e2c0e-6c3e-4f4e-9a51-0d2a33a1d8f1.png', type: 'image/png' };
    const model = setting.get('IMAGE_EDIT_MODEL') ?? '';
    const texts = { model, prompt: 'at night', n: '1', size: '1536x1024', response_format: 'b64_json' };
    const parts = Object.entries(texts).map(([name, value]) => ({ name, value, type: text }));
    const headers = {
      ...aiohttp,
      authorization,
      'content-type': `multipart/form-data; boundary=${boundary}`,
    };
    for (const files of [
      [{ ...file, name: 'image' }],
      Array(2).fill({ ...file, name: 'image[]' }),
    ] as Part[][]) {
      const { data } = (await send(
        '/v1/images/edits',
        headers,
        form(boundary, [...parts, ...files]),
      )) as Images;
      assert.ok(data[0]?.b64_json);
      assert.equal(made()?.inputs.length, files.length);
    }
  });

  test("generates and edits with Gemini's engine", async () => {
    const headers = { ...aiohttp, 'x-goog-api-key': world.key, 'content-type': 'application/json' };
    const image = { inline_data: { mime_type: 'image/png', data: png.toString('base64') } };
    for (const parts of [[{ text: 'a red fox' }], [{ text: 'at night' }, image]]) {
      const answer = await send(
        '/v1beta/models/nb2:generateContent',
        headers,
        JSON.stringify({ contents: [{ parts }] }),
      );
      const { candidates } = answer as { candidates: { content: { parts: { inlineData: object }[] } }[] };
      assert.ok(candidates[0]?.content.parts[0]?.inlineData);
      assert.equal(made()?.inputs.length, parts.length - 1);
    }
  });
});

suite('n8n', () => {
  const axios = {
    accept: 'application/json,text/*;q=0.99',
    'accept-encoding': 'gzip, compress, deflate, br',
    'user-agent': 'axios/1.16.0',
  };
  const headers = { ...axios, authorization: `Bearer ${world.key}`, 'openai-organization': '' };

  test('the OpenAI node checks its credential, and generates an image', async () => {
    const models = await fetch(`${world.url}/v1/models`, { headers });
    assert.equal(models.status, 200);
    await models.arrayBuffer();
    // n8n sends a response format to every model except those with this name.
    for (const fields of [
      { model: 'gpt-image-1-mini', quality: 'high', size: '1024x1536' },
      { model: 'nb2', response_format: 'b64_json' },
      { model: 'dall-e-3', response_format: 'b64_json', quality: 'hd', size: '1792x1024' },
    ]) {
      const body = JSON.stringify({ prompt: 'a red fox', ...fields });
      const { data } = (await send(
        '/v1/images/generations',
        { ...headers, 'content-type': 'application/json' },
        body,
      )) as Images;
      assert.ok(data[0]?.b64_json, fields.model);
    }
  });

  test('the OpenAI node edits images', async () => {
    const boundary = '--------------------------515890814546601021194782';
    const file = { name: 'image[]', value: png, filename: 'fox.png', type: 'image/png' };
    const texts = { prompt: 'at night', model: 'gpt-image-1', n: '1', size: 'auto', quality: 'auto' };
    const parts = Object.entries(texts).map(([name, value]) => ({ name, value }));
    const { data } = (await send(
      '/v1/images/edits',
      { ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
      form(boundary, [file, file, ...parts]),
    )) as Images;
    assert.ok(data[0]?.b64_json);
    assert.equal(made()?.inputs.length, 2);
  });

  // n8n-workflow 2.41 shows its own sentence for the status, with one of these fields below.
  test('the nodes show why an image was refused, which they read from error.message and detail', async () => {
    const ask = async (path: string, wish: object) => {
      const body = JSON.stringify({ prompt: '', ...wish });
      const sent = { ...headers, 'content-type': 'application/json' };
      const answer = await fetch(world.url + path, { method: 'POST', headers: sent, body });
      return (await answer.json()) as { error?: { message: string }; detail?: string };
    };
    const { error } = await ask('/v1/images/generations', { model: 'nb2' });
    assert.equal(error?.message, 'The prompt must not be empty.');
    const { detail } = await ask('/api/v1/nb2/text-generations', { aspect_ratio: '1:1' });
    assert.equal(detail, 'The field "prompt" must not be empty.');
  });

  test('HTTP Request makes an image with the settings of the guide, and a repeated execution finds it', async () => {
    const [, address = ''] = /\| URL \| `http:\/\/127\.0\.0\.1:3000([^`]+)` \|/.exec(guide) ?? [];
    const [, prefer = ''] = /`Prefer` = `([^`]+)`/.exec(guide) ?? [];
    const every =
      'application/json,text/html,application/xhtml+xml,application/xml,text/*;q=0.9, image/*;q=0.8, */*;q=0.7';
    const sent = {
      ...axios,
      accept: every,
      authorization: headers.authorization,
      prefer,
      'idempotency-key': '1284-0', // from {{ $execution.id }}-{{ $itemIndex }}
      'content-type': 'application/json',
    };
    const body = JSON.stringify({ prompt: 'a red fox', aspect_ratio: '1:1' });
    const ask = async () => {
      const answer = await fetch(world.url + address, { method: 'POST', headers: sent, body });
      assert.equal(answer.status, 202);
      return (await answer.json()) as {
        job: { job_id: string; status: string; result: { image_url: string } };
      };
    };
    const { job } = await ask();
    assert.equal(job.status, 'done');
    assert.equal((await ask()).job.job_id, job.job_id);
    const image = await fetch(job.result.image_url, { headers: { ...axios, accept: every } });
    assert.equal(image.headers.get('content-type'), 'image/png');
    await image.arrayBuffer();
  });
});
