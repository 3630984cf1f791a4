import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import sharp from 'sharp';
import { type ModelId, pixels } from '../../src/upstream/catalog/models.ts';
import { pickList, pickText } from '../../src/upstream/providers/pick.ts';
import type { Emulator } from '../emulators/emulator.ts';
import { geminiKey, startGemini } from '../emulators/gemini.ts';
import { openAiKey, startOpenAi } from '../emulators/openai.ts';
import { sampleImage } from '../emulators/sample-image.ts';
import { openWorld, type World } from '../world/world.ts';
import { defaultsOf, modelOf } from './support.ts';

const paths: Record<ModelId, string> = {
  nb: '/nb/text-generations',
  nb2: '/nb2/text-generations',
  pro: '/text-generations',
};

function startWith(env: Record<string, string>): Promise<World> {
  return openWorld({ env, replacements: { routes: defaultsOf(env) } });
}

async function make(world: World, model: ModelId, body: { aspect_ratio?: string; resolution?: string } = {}) {
  const job = await world.finished(await world.create(paths[model], { aspect_ratio: '16:9', ...body }));
  assert.equal(job.status, 'done', String(job.error));
  const result = job.result as { image_url: string; width: number; height: number; notes?: string[] };
  const image = Buffer.from(await (await fetch(result.image_url)).arrayBuffer());
  const { width, height, format } = await sharp(image).metadata();
  return { width, height, format, notes: result.notes ?? [] };
}

const askedOf = (emulator: Emulator) =>
  emulator.of('generate').map(({ path }) => /models\/(.*):/.exec(path)?.[1]);

describe('environment', { concurrency: true }, () => {
  test('with only GEMINI_API_KEY, Gemini serves all three models, including the long ratios of pro', async () => {
    await using emulator = await startGemini();
    Object.assign(emulator.size, { width: 2048, height: 2048 });
    await using world = await startWith({ GEMINI_API_KEY: geminiKey, GEMINI_BASE_URL: emulator.url });
    assert.deepEqual(world.app.uncovered, []);
    for (const model of ['nb', 'nb2', 'pro'] as const) {
      // The emulator's image is square: the result has exactly the promised size, and says how.
      const { notes, ...made } = await make(world, model);
      assert.deepEqual(made, { ...pixels(modelOf(model), '16:9', '1K'), format: 'png' });
      assert.match(notes.join(), /^Scaled and cropped from 2048 × 2048 pixels/);
    }
    await make(world, 'pro', { aspect_ratio: '4:1' });
    assert.deepEqual(askedOf(emulator), [
      'gemini-3.1-flash-lite-image',
      'gemini-nano-banana-2.1',
      'gemini-3-pro-image',
      'gemini-nano-banana-2.1',
    ]);
  });

  test('with only OPENAI_BASE_URL, that server makes the images of all three models', async () => {
    await using emulator = await startOpenAi();
    const env = { OPENAI_BASE_URL: `${emulator.url}/v1`, OPENAI_COMPATIBLE_API_KEY: openAiKey };
    await using world = await startWith(env);
    assert.deepEqual(world.app.uncovered, []);
    for (const model of ['nb', 'nb2', 'pro'] as const) {
      const { notes, ...made } = await make(world, model, { aspect_ratio: '3:2' });
      assert.deepEqual(made, { ...pixels(modelOf(model), '3:2', '1K'), format: 'png' });
      assert.match(notes.join(), /^Scaled/);
    }
    const sizes = emulator.of('generate').map((request) => pickText(request.json(), 'size'));
    assert.deepEqual(sizes, ['1248x832', '1264x848', '1264x848']);
  });

  test('with neither, sketch draws', async () => {
    await using world = await startWith({});
    assert.deepEqual((await make(world, 'nb', { aspect_ratio: '1:1' })).notes, []);
    const { body } = await world.send('GET', '/jobs');
    assert.equal(pickText(body, 'data', 0, 'status'), 'done');
  });

  test('14 inputs reach Gemini unchanged, in the client’s order', async () => {
    await using emulator = await startGemini();
    Object.assign(emulator.size, { width: 1024, height: 1024 });
    await using images = await serveImages(14);
    const env = { GEMINI_API_KEY: geminiKey, GEMINI_BASE_URL: emulator.url };
    await using world = await openWorld({
      env: { ...env, DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8' },
      replacements: { routes: defaultsOf(env) },
    });
    const jobId = await world.create('/nb2/url-generations', { input_images_urls: images.urls });
    assert.equal((await world.finished(jobId)).status, 'done');
    const parts = pickList(emulator.of('generate')[0]?.json(), 'contents', 0, 'parts').slice(1);
    const sent = await Promise.all(
      parts.map(async (part) => {
        const { data } = await sharp(Buffer.from(pickText(part, 'inlineData', 'data') ?? '', 'base64'))
          .removeAlpha()
          .raw()
          .toBuffer({ resolveWithObject: true });
        return createHash('sha256').update(data).digest('hex');
      }),
    );
    assert.deepEqual(sent, images.hashes);
  });
});

async function serveImages(count: number) {
  const images = await Promise.all(
    Array.from({ length: count }, (_, n) =>
      sampleImage({ width: 40 + n, height: 30, colour: `hsl(${n * 25}, 80%, 50%)` }),
    ),
  );
  const hashes = await Promise.all(
    images.map(async (png) =>
      createHash('sha256')
        .update(await sharp(png).raw().toBuffer())
        .digest('hex'),
    ),
  );
  const server = createServer((request, response) => {
    const png = images[Number(request.url?.slice(1))];
    response.writeHead(200, { 'content-type': 'image/png' }).end(png);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listening on TCP
  return {
    urls: images.map((_, n) => `http://127.0.0.1:${port}/${n}`),
    hashes,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
