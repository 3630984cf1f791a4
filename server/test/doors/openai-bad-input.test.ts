import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { plainPng } from '../world/provider.ts';
import { openWorld } from '../world/world.ts';

const world = await openWorld({ worker: false });
after(() => world[Symbol.asyncDispose]());
const png = new Blob([new Uint8Array(plainPng(64, 64))], { type: 'image/png' });
const megabyte = 1024 * 1024;
/** A file that begins like a PNG, so that it is refused for its size, not its content. */
const large = (bytes: number) => new Blob([new Uint8Array(plainPng(64, 64)), new Uint8Array(bytes)]);

interface Bad {
  name: string;
  path?: string;
  body: FormData | string;
  type?: string;
  status: number;
  param?: string | null;
  code?: string;
}

const cases: Bad[] = [
  { name: 'a form without images', body: form([]), status: 400, param: 'image' },
  { name: 'a form without a prompt', body: form([png], {}), status: 400, param: 'prompt' },
  { name: '15 images', body: form(Array(15).fill(png)), status: 400, param: 'image' },
  {
    name: '15 images for a model that takes 14',
    body: json({ images: Array(15).fill({ image_url: data(64) }) }),
    status: 400,
    param: 'image',
  },
  {
    name: 'an image of 41 MB',
    body: form([large(41 * megabyte)]),
    status: 400,
    param: 'image[0]',
    code: 'inputs_unusable',
  },
  {
    name: 'two images of 41 MB together',
    body: form([png, large(21 * megabyte), large(21 * megabyte)]),
    status: 400,
    code: 'inputs_unusable',
  },
  {
    name: 'a file that is no image',
    body: form([png, new Blob(['no image at all, only words'])]),
    status: 400,
    param: 'image[1]',
  },
  {
    name: 'an image as text',
    body: form([], { prompt: 'a', image: 'https://example.com/a.png' }),
    status: 400,
    param: 'image',
  },
  { name: 'a field sent twice', body: twice(), status: 400, param: 'prompt' },
  {
    name: 'a form that breaks off',
    body: '--x\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\nPNG',
    type: 'multipart/form-data; boundary=x',
    status: 400,
  },
  { name: 'a form without a boundary', body: 'x', type: 'multipart/form-data', status: 400 },
  {
    name: 'base64 that is none',
    body: json({ images: [{ image_url: 'data:image/png;base64,%%%%' }] }),
    status: 400,
  },
  {
    name: 'base64 of nothing',
    body: json({ images: [{ image_url: 'data:image/png;base64,' }] }),
    status: 400,
  },
  {
    name: 'a good image before a bad one',
    body: json({ images: [{ image_url: data(64) }, { image_url: 'data:image/png;base64,AAAA' }] }),
    status: 400,
    param: 'images[1]',
  },
  {
    name: 'a link to nowhere',
    body: json({ images: [{ image_url: 'http://127.0.0.1:1/a.png' }] }),
    status: 400,
    param: 'images[0]',
  },
  {
    name: 'a link of another kind',
    body: json({ images: [{ image_url: 'file:///etc/passwd' }] }),
    status: 400,
    param: 'images[0]',
  },
  {
    name: 'an id of a file',
    body: json({ images: [{ file_id: 'file-1' }] }),
    status: 400,
    param: 'images[0]',
  },
  {
    name: 'an unknown model',
    body: json({ model: 'sora', images: [{ image_url: data(64) }] }),
    status: 404,
    param: 'model',
    code: 'model_not_found',
  },
  { name: 'a deep JSON bomb', body: `{"prompt":${'['.repeat(100_000)}`, status: 400 },
  {
    name: 'a deep JSON bomb that is valid',
    body: `{"prompt":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
    status: 400,
  },
  { name: 'a wide JSON bomb', body: `{"prompt":"a","images":[${'{},'.repeat(100_000)}{}]}`, status: 400 },
  { name: 'words', body: 'prompt=a', status: 400 },
  { name: 'a form to generations', path: '/images/generations', body: form([png]), status: 400 },
  { name: 'another type', body: 'prompt=a', type: 'application/x-www-form-urlencoded', status: 415 },
  {
    name: 'a prompt that is no text',
    path: '/images/generations',
    body: json({ prompt: 7 }),
    status: 400,
    param: 'prompt',
  },
  {
    name: 'a body that is too large',
    path: '/images/generations',
    body: json({ prompt: 'x'.repeat(megabyte) }),
    status: 413,
    code: 'body_too_large',
  },
  { name: 'a key that is none', body: json({}), status: 401, code: 'invalid_api_key' },
];

test("bad requests get OpenAI's error form, and leave nothing behind", async (t) => {
  for (const { name, path = '/images/edits', body, type, status, ...expected } of cases)
    await t.test(name, async () => {
      const response = await fetch(`${world.url}/v1${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${name === 'a key that is none' ? 'dk_none' : world.key}`,
          ...(typeof body === 'string' && { 'content-type': type ?? 'application/json' }),
        },
        body,
      });
      const { error, ...more } = (await response.json()) as { error: Record<string, unknown> };
      assert.deepEqual(more, {});
      assert.deepEqual(Object.keys(error).sort(), ['code', 'message', 'param', 'type']);
      assert.deepEqual(
        [response.status, error.type],
        [status, 'invalid_request_error'],
        String(error.message),
      );
      for (const [field, value] of Object.entries(expected))
        assert.equal(error[field], value, String(error.message));
      assert.equal(response.headers.get('x-should-retry'), 'false');
      assert.match(response.headers.get('x-request-id') ?? '', /^req_/);
    });
  const { database } = world.app;
  for (const table of ['uploads', 'jobs'] as const)
    assert.deepEqual(await database.read.selectFrom(table).select('id').execute(), [], table);
  const { dataDir } = world.config;
  assert.deepEqual(await readdir(join(dataDir, 'incoming')), []);
  assert.deepEqual(await Array.fromAsync(world.app.images.list('')), []);
  assert.deepEqual(await world.balance(), { balance: '100.00', reserved: '0.00', available: '100.00' });
});

function form(images: readonly Blob[], fields: Record<string, string> = { prompt: 'a fox' }): FormData {
  const made = new FormData();
  for (const image of images) made.append('image[]', image, 'a.png');
  for (const [name, value] of Object.entries(fields)) made.append(name, value);
  return made;
}

function twice(): FormData {
  const made = form([png]);
  made.append('prompt', 'an owl');
  return made;
}

function json(fields: object): string {
  return JSON.stringify({ prompt: 'a fox', ...fields });
}

function data(side: number): string {
  return `data:image/png;base64,${plainPng(side, side).toString('base64')}`;
}
