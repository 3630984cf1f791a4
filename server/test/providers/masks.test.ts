import assert from 'node:assert/strict';
import { it } from 'node:test';
import sharp from 'sharp';
import { createAutomatic1111 } from '../../src/upstream/providers/automatic1111/automatic1111.ts';
import { createBfl } from '../../src/upstream/providers/bfl/bfl.ts';
import { createComfyUi } from '../../src/upstream/providers/comfyui/comfyui.ts';
import { createFal } from '../../src/upstream/providers/fal/fal.ts';
import { pick } from '../../src/upstream/providers/pick.ts';
import type { Provider } from '../../src/upstream/providers/provider.ts';
import { automatic1111Login, startAutomatic1111 } from '../emulators/automatic1111.ts';
import { bflKey, startBfl } from '../emulators/bfl.ts';
import { startComfyUi } from '../emulators/comfyui.ts';
import { falKey, startFal } from '../emulators/fal.ts';
import { stableDiffusion } from './comfyui-workflows.ts';
import { closing, guard, input, inputs, request, run } from './requests.ts';

// OpenAI's and Azure's masks, which are sent unchanged, are tested with their other options.

const size = { width: 20, height: 16 };
/** A mask as attempts receive it: the left half is transparent, so that half changes. */
const half = await sharp({ create: { width: 10, height: 16, channels: 4, background: '#0000' } })
  .extend({ right: 10, background: '#000' })
  .png()
  .toBuffer();
const mask = input(half, { ...size, mediaType: 'image/png' });

function generate(provider: Provider, masked: boolean) {
  return inputs(1).then((one) =>
    provider.generate(request({ ...size, inputs: one, ...(masked && { options: { mask } }) }), run()),
  );
}

async function assertWhiteOnTheLeft(mask: Buffer): Promise<void> {
  const { width, height, channels } = await sharp(mask).metadata();
  assert.deepEqual([width, height, channels], [20, 16, 1]);
  const data = await sharp(mask).extractChannel(0).raw().toBuffer();
  assert.deepEqual([data[0], data[9], data[10], data[19]], [255, 255, 0, 0]);
}

const decode = (text: unknown) => Buffer.from(String(text).replace(/^data:image\/png;base64,/, ''), 'base64');

it('fal’s fill models get image_url and mask_url, and need a mask', async () => {
  await using fal = await startFal();
  const settings = { model: 'fal-ai/flux-pro/v1/fill', baseUrl: fal.url, pollMs: 10 };
  await using bench = closing({ provider: createFal(settings, { key: falKey }, guard) });
  const { needsMask, minInputs, maxInputs, options } = bench.provider.capabilities;
  assert.deepEqual([needsMask, minInputs, maxInputs, options?.includes('mask')], [true, 1, 1, true]);
  await generate(bench.provider, true);
  const sent = fal.of('submit')[0]?.json();
  await assertWhiteOnTheLeft(decode(pick(sent, 'mask_url')));
  assert.match(String(pick(sent, 'image_url')), /^data:image\/png;base64,/);
  assert.deepEqual([pick(sent, 'image_urls'), pick(sent, 'aspect_ratio')], [undefined, undefined]);
});

it('Black Forest Labs’ FLUX Fill gets image and mask, without a size', async () => {
  await using bfl = await startBfl();
  const settings = { model: 'flux-pro-1.0-fill', baseUrl: `${bfl.url}/v1`, pollMs: 10 };
  await using bench = closing({ provider: createBfl(settings, { apiKey: bflKey }, guard) });
  assert.equal(bench.provider.capabilities.needsMask, true);
  await generate(bench.provider, true);
  const sent = Object(bfl.of('submit')[0]?.json()) as Record<string, unknown>;
  assert.deepEqual(Object.keys(sent).sort(), ['image', 'mask', 'output_format', 'prompt']);
  await assertWhiteOnTheLeft(decode(sent.mask));
});

it('AUTOMATIC1111 changes the white part of the whole image', async () => {
  await using server = await startAutomatic1111();
  const { user, password } = automatic1111Login;
  const baseUrl = server.url.replace('//', `//${user}:${password}@`);
  await using bench = closing({
    provider: createAutomatic1111({ baseUrl }, {}, guard),
  });
  await generate(bench.provider, true);
  await generate(bench.provider, false);
  const [masked, plain] = server.of('generate').map((one) => one.json());
  await assertWhiteOnTheLeft(decode(pick(masked, 'mask')));
  const how = ['inpainting_mask_invert', 'inpainting_fill', 'inpaint_full_res'];
  assert.deepEqual(
    how.map((name) => pick(masked, name)),
    [0, 1, false],
  );
  assert.deepEqual([pick(plain, 'mask'), pick(plain, 'inpainting_fill')], [undefined, undefined]);
});

it('ComfyUI runs the workflow with a mask slot only for masked jobs', async () => {
  const graph = (more: object) => ({
    ...stableDiffusion,
    '6': { class_type: 'CLIPTextEncode', inputs: { text: '{{prompt}}', clip: ['4', 1] } },
    '20': { class_type: 'LoadImage', inputs: { image: '{{image1}}' } },
    ...more,
  });
  const fill = graph({
    '21': { class_type: 'LoadImageMask', inputs: { image: '{{mask}}', channel: 'red' } },
  });
  await using server = await startComfyUi();
  const settings = { baseUrl: server.url, pollMs: 10, minInputs: 1, workflows: [graph({}), fill] };
  await using bench = closing({ provider: createComfyUi(settings, {}, guard) });
  const { needsMask, options } = bench.provider.capabilities;
  assert.deepEqual([needsMask, options], [false, ['mask']]);
  await generate(bench.provider, true);
  await generate(bench.provider, false);
  const [masked, plain] = server.of('submit').map((one) => pick(one.json(), 'prompt'));
  const name = String(pick(masked, '21', 'inputs', 'image'));
  assert.match(name, /^darkroom-[0-9a-f-]+-mask\.png$/);
  assert.equal(pick(plain, '21'), undefined);
  const forms = await Promise.all(server.of('upload').map((one) => one.form()));
  const sent = forms
    .map((form) => form.get('image'))
    .find((file) => file instanceof File && file.name === name);
  assert.ok(sent instanceof File);
  await assertWhiteOnTheLeft(Buffer.from(await sent.arrayBuffer()));
  const onlyFill = createComfyUi({ ...settings, workflows: [fill] }, {}, guard);
  assert.equal(onlyFill.capabilities.needsMask, true);
  await onlyFill[Symbol.asyncDispose]?.();
});

it('a model for an action takes its one image in its own field on fal, and needs no prompt in ComfyUI', async () => {
  await using fal = await startFal();
  const settings = {
    model: 'fal-ai/clarity-upscaler',
    inputsBy: 'image_url' as const,
    baseUrl: fal.url,
    pollMs: 10,
  };
  await using bench = closing({ provider: createFal(settings, { key: falKey }, guard) });
  const { minInputs, maxInputs, needsMask } = bench.provider.capabilities;
  assert.deepEqual([minInputs, maxInputs, needsMask], [1, 1, undefined]);
  await generate(bench.provider, false);
  const sent = fal.of('submit')[0]?.json();
  assert.match(String(pick(sent, 'image_url')), /^data:image\//);
  assert.equal(pick(sent, 'image_urls'), undefined);

  const upscale = {
    '1': { class_type: 'LoadImage', inputs: { image: '{{image1}}' } },
    '2': { class_type: 'UpscaleModelLoader', inputs: { model_name: '4x-UltraSharp.pth' } },
    '3': { class_type: 'ImageUpscaleWithModel', inputs: { upscale_model: ['2', 0], image: ['1', 0] } },
    '4': { class_type: 'SaveImage', inputs: { filename_prefix: 'darkroom', images: ['3', 0] } },
  };
  await using server = await startComfyUi();
  const comfy = { baseUrl: server.url, pollMs: 10, workflows: [upscale] };
  assert.throws(() => createComfyUi(comfy, {}, guard), /without image slots/);
  await using home = closing({ provider: createComfyUi({ ...comfy, minInputs: 1 }, {}, guard) });
  await generate(home.provider, false);
  assert.match(String(pick(server.of('submit')[0]?.json(), 'prompt', '1', 'inputs', 'image')), /^darkroom-/);
});
