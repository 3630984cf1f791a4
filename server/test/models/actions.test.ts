import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelDefinition } from '../../src/upstream/catalog/model-definition.ts';
import { assertRefused } from '../http/support/refusal.ts';
import { changeModel } from '../world/change-model.ts';
import { TestProvider } from '../world/provider.ts';
import { openWorld, testRoutes } from '../world/world.ts';

const upscaler: ModelDefinition = {
  id: 'upscaler',
  name: 'Upscaler',
  action: 'upscale',
  modes: ['url'],
  ratios: ['1:1', '16:9'],
  auto: true,
  selectable: false,
  resolutions: { '4K': { megapixels: 4, price: '0.01' } },
};

test('a model for an action has its price, takes one image, and says what it does', async () => {
  const provider = new TestProvider();
  const own = { id: 'upscaler/test', model: 'upscaler', provider, slots: 1, timeoutMs: 30_000 };
  await using world = await openWorld({ replacements: { routes: [...testRoutes(provider), own] } });
  await changeModel(world, 'upscaler', () => upscaler);
  const { body: models } = await world.send('GET', '/models');
  const does = (models.data as { id: string; action: string }[]).map(({ id, action }) => [id, action]);
  assert.deepEqual(does, [
    ['nb', 'generate'],
    ['nb2', 'generate'],
    ['pro', 'generate'],
    ['upscaler', 'upscale'],
  ]);

  const small = await world.finished(await world.create('/nb/text-generations', { aspect_ratio: '16:9' }));
  const { image_url: url } = small.result as { image_url: string };
  const asked = { prompt: 'sharp', aspect_ratio: 'auto', input_images_urls: [url] };
  const large = await world.finished(await world.create('/upscaler/url-generations', asked));
  assert.deepEqual([large.status, large.price, large.aspect_ratio], ['done', '0.01', '16:9']);
  assert.ok((large.result as { width: number }).width > 2600);
  const answer = await fetch(`${world.url}/mcp`, {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: {
        name: 'generate_image',
        arguments: { prompt: 'a fox', images: [small.job_id] },
      },
    }),
  });
  assert.match(
    await answer.text(),
    /"model":"nb"/,
    'the cheapest that generates, though the upscaler costs less',
  );
  for (const input_images_urls of [[], [url, url]])
    await assertRefused(
      world,
      () => world.send('POST', '/upscaler/url-generations', { body: { ...asked, input_images_urls } }),
      422,
      'invalid_request',
    );
});

test('a model for an action that would take only text or several images is refused', async () => {
  await using world = await openWorld();
  const check = (change: Partial<ModelDefinition>) =>
    changeModel(world, 'upscaler', () => ({ ...upscaler, ...change }));
  await assert.rejects(check({ modes: ['text', 'url'] }), /modes/);
  await assert.rejects(check({ maxInputs: 2 }), /maxInputs/);
  await assert.rejects(check({ action: 'paint' as 'upscale' }), /action/);
});
