import assert from 'node:assert/strict';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateImage } from 'ai';
import OpenAI, { toFile } from 'openai';
import sharp from 'sharp';
import { openDiskStore } from '../../src/images/disk/disk-store.ts';
import { StoreError } from '../../src/images/image-store.ts';
import { plainPng } from '../world/provider.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld } from '../world/world.ts';

const world = await openWorld();
after(() => world[Symbol.asyncDispose]());
const client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: world.key });

test("the official client lists the models, and finds one by its id or by OpenAI's name", async () => {
  const models = await client.models.list();
  assert.deepEqual(
    models.data.map(({ id }) => id),
    ['nb', 'nb2', 'pro'],
  );
  assert.equal((await client.models.retrieve('nb2')).id, 'nb2');
  for (const later of ['gpt-image-3', 'gpt-image-4.5-flare-2027-01-01'])
    assert.equal((await client.models.retrieve(later)).id, later);
  const alias = await client.models.retrieve('gpt-image-1');
  assert.deepEqual([alias.id, alias.object, alias.owned_by], ['gpt-image-1', 'model', 'darkroom']);
  await assert.rejects(client.models.retrieve('gpt-4o'), {
    status: 404,
    code: 'model_not_found',
    param: 'model',
    type: 'invalid_request_error',
  });
});

test('an image is returned as base64, in the nearest size that the model has', async () => {
  const { data, response } = await client.images
    .generate({ model: 'gpt-image-1', prompt: 'a fox', n: 2, size: '1536x1024' })
    .withResponse();
  assert.equal(data.size, '1264x848');
  const ids = idsOf(response);
  assert.equal(ids.length, 2);
  for (const [index, jobId] of ids.entries()) {
    const { result } = await world.finished(jobId);
    const image = await fetch((result as { image_url: string }).image_url);
    const sent = Buffer.from(data.data?.[index]?.b64_json ?? '', 'base64');
    assert.deepEqual(sent, Buffer.from(await image.arrayBuffer()));
  }
  assert.equal((await world.balance()).balance, '99.84');
});

for (const [name, fail] of [
  ['refuses', () => Promise.reject(new StoreError('no permission for /srv/secret-place'))],
  [
    'breaks off before the first byte',
    async () => ({ bytes: 1_000, body: Readable.from(breakOff(), { objectMode: false }) }),
  ],
] as const) {
  test(`an image whose store ${name} is 502, and the answer names its job, so that no other is made`, async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'darkroom-images-'));
    const images = { ...(await openDiskStore(folder.path)), get: fail };
    await using own = await openWorld({ replacements: { images } });
    const answer = await fetch(`${own.url}/v1/images/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${own.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'nb2', prompt: 'a fox' }),
    });
    const { error } = (await answer.json()) as { error: { code: string; message: string } };
    assert.deepEqual([answer.status, error.code], [502, 'storage_unavailable']);
    assert.match(error.message, /was made, but could not be read from its storage\. Read its job later\./);
  });
}

async function* breakOff(): AsyncIterable<Buffer> {
  yield* [];
  throw new Error('EIO in /srv/secret-place');
}

test('a page with a client token makes what the token allows, and nothing else', async () => {
  const body = { models: ['nb2'], spend_cap: '0.08', origin: 'https://app.example.com' };
  const { token } = (await world.send('POST', '/client-tokens', { body })).body;
  const page = (origin: string) =>
    new OpenAI({
      baseURL: `${world.url}/v1`,
      apiKey: String(token),
      maxRetries: 0,
      defaultHeaders: { origin },
    });
  const { images, models } = page(body.origin);
  const asked = { model: 'nb2', prompt: 'a fox' };
  assert.equal((await images.generate(asked)).data?.length, 1);
  const image = await toFile(plainPng(64, 48), 'fox.png', { type: 'image/png' });
  assert.equal((await images.edit({ ...asked, image })).data?.length, 1);
  await assert.rejects(images.generate(asked), { status: 402 });
  await assert.rejects(images.generate({ ...asked, model: 'pro' }), { status: 403, code: 'model_forbidden' });
  await assert.rejects(models.list(), { status: 403, code: 'token_forbidden' });
  await assert.rejects(page('https://evil.example').images.generate(asked), { status: 403 });
});

test("errors have OpenAI's form, even for unknown addresses and without a key", async () => {
  const stranger = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: 'wrong' });
  const type = 'invalid_request_error';
  await assert.rejects(stranger.models.list(), { status: 401, code: 'invalid_api_key', type });
  await assert.rejects(client.chat.completions.create({ model: 'pro', messages: [] }), { status: 404, type });
  for (const prompt of ['', '\0', 'x'.repeat(32_769)])
    await assert.rejects(client.images.generate({ prompt }), { status: 400, param: 'prompt', type });
});

test('an edit accepts files and JSON, and leaves no upload behind', async () => {
  const files = await Promise.all([1, 2].map((n) => toFile(plainPng(64 * n, 64), `${n}.png`)));
  const edited = await client.images.edit({ image: files, prompt: 'both', model: 'nb2' });
  assert.equal(edited.data?.length, 1);
  const data = `data:image/png;base64,${plainPng(64, 64).toString('base64')}`;
  const body = {
    images: [{ image_url: data }],
    prompt: 'one',
    model: 'nb',
    output_format: 'webp',
    size: 'auto',
  };
  const again = await client.post<OpenAI.ImagesResponse>('/images/edits', { body });
  const image = Buffer.from(again.data?.[0]?.b64_json ?? '', 'base64');
  assert.equal((await sharp(image).metadata()).format, 'webp');
  assert.deepEqual(
    world.provider.requests.slice(-2).map(({ request }) => request.inputs.length),
    [2, 1],
  );
});

test('a stream sends the finished image', async () => {
  const stream = await client.images.generate({ prompt: 'a fox', stream: true, partial_images: 0, n: 2 });
  const events = await Array.fromAsync(stream);
  assert.deepEqual(
    events.map(({ type }) => type),
    ['image_generation.completed', 'image_generation.completed'],
  );
});

test('the AI SDK makes and edits an image', async () => {
  const provider = createOpenAICompatible({
    name: 'darkroom',
    baseURL: `${world.url}/v1`,
    apiKey: world.key,
  });
  const image = provider.imageModel('nb2');
  const { images } = await generateImage({ model: image, prompt: 'a fox', n: 2, size: '1024x1024' });
  assert.deepEqual(
    images.map(({ mediaType }) => mediaType),
    ['image/png', 'image/png'],
  );
  const prompt = { text: 'at night', images: [plainPng(64, 64)] };
  assert.equal((await generateImage({ model: image, prompt })).images.length, 1);
  await assert.rejects(generateImage({ model: provider.imageModel('flux'), prompt: 'a fox' }), {
    name: 'AI_APICallError',
    statusCode: 404,
    message: 'There is no model "flux". There are: nb, nb2, pro.',
  });
});

function idsOf({ headers }: Response): string[] {
  return (headers.get('darkroom-job-id') ?? '').split(', ');
}

test('an alias for a model that does not exist is reported at the start', async () => {
  const said: Record<string, unknown>[] = [];
  const warn = (event: string, fields: Record<string, unknown>) => void said.push({ event, ...fields });
  const env = { DARKROOM_DOOR_ALIASES: 'gpt-image-1=nb2,default=flux' };
  await using _world = await openWorld({ env, replacements: { log: { ...silentLog, warn } } });
  const warning = 'The door alias default means flux, which is not a model (nb, nb2, pro).';
  assert.deepEqual(
    said.filter(({ event }) => event === 'door_alias.unknown'),
    [{ event: 'door_alias.unknown', warning }],
  );
});
