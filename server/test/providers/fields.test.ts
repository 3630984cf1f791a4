import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAutomatic1111 } from '../../src/upstream/providers/automatic1111/automatic1111.ts';
import { createBedrock } from '../../src/upstream/providers/bedrock/bedrock.ts';
import { createBfl } from '../../src/upstream/providers/bfl/bfl.ts';
import { createComfyUi } from '../../src/upstream/providers/comfyui/comfyui.ts';
import { createFal } from '../../src/upstream/providers/fal/fal.ts';
import { createGemini } from '../../src/upstream/providers/gemini/gemini.ts';
import { createOpenAi } from '../../src/upstream/providers/openai/openai.ts';
import { pick } from '../../src/upstream/providers/pick.ts';
import type { Provider } from '../../src/upstream/providers/provider.ts';
import { createReplicate } from '../../src/upstream/providers/replicate/replicate.ts';
import { createSketch } from '../../src/upstream/providers/sketch/sketch.ts';
import { automatic1111Login, startAutomatic1111 } from '../emulators/automatic1111.ts';
import { bedrockCredentials, startBedrock } from '../emulators/bedrock.ts';
import { bflKey, startBfl } from '../emulators/bfl.ts';
import { startComfyUi } from '../emulators/comfyui.ts';
import { falKey, startFal } from '../emulators/fal.ts';
import { geminiKey, startGemini } from '../emulators/gemini.ts';
import { openAiKey, startOpenAi } from '../emulators/openai.ts';
import { replicateToken, startReplicate } from '../emulators/replicate.ts';
import { closing, guard, inputs, request, run } from './requests.ts';

const fields = {
  seed: 7,
  guidance: 3.5,
  negative_prompt: 'rain',
  enhance: false,
  'options.steps': 28,
  'loras.0.path': 'somebody/lora',
  'loras.0.scale': 0.8,
};
/** Each field at its place, with its type. */
const sent = {
  seed: 7,
  guidance: 3.5,
  negative_prompt: 'rain',
  enhance: false,
  options: { steps: 28 },
  loras: [{ path: 'somebody/lora', scale: 0.8 }],
};

function takes(provider: Provider, wanted: Record<string, unknown>, refused: readonly string[]): void {
  for (const path of Object.keys(wanted)) assert.equal(provider.takesField(path), true, path);
  for (const path of [...refused, '', '.', 'a..b', 'a.', 'loras.1000.path'])
    assert.equal(provider.takesField(path), false, path);
}

it('fal gets a request’s fields next to its own', async () => {
  await using emulator = await startFal();
  const settings = { model: 'fal-ai/flux/dev', baseUrl: emulator.url, pollMs: 10, extra: { seed: 1 } };
  await using open = closing({ provider: createFal(settings, { key: falKey }, guard) });
  takes(open.provider, fields, ['prompt', 'image_urls', 'image_urls.0', 'aspect_ratio', 'sync_mode']);
  await open.provider.generate(request({ fields }), run());
  assert.partialDeepStrictEqual(emulator.of('submit')[0]?.json(), { prompt: 'a red fox', ...sent });
});

it('replicate gets the fields within its input', async () => {
  await using emulator = await startReplicate();
  const settings = { model: 'black-forest-labs/flux-2-pro', baseUrl: `${emulator.url}/v1`, pollMs: 10 };
  await using open = closing({ provider: createReplicate(settings, { token: replicateToken }, guard) });
  takes(open.provider, { ...fields, width: 1 }, ['prompt', 'input_image', 'input_image_2', 'aspect_ratio']);
  await open.provider.generate(request({ fields }), run());
  assert.partialDeepStrictEqual(pick(emulator.of('submit')[0]?.json(), 'input'), sent);
});

it('bfl gets the fields next to its own', async () => {
  await using emulator = await startBfl();
  const settings = { model: 'flux-2-pro', baseUrl: `${emulator.url}/v1`, pollMs: 10 };
  await using open = closing({ provider: createBfl(settings, { apiKey: bflKey }, guard) });
  const wanted = { seed: 7, safety_tolerance: 5 };
  takes(open.provider, wanted, ['prompt', 'width', 'input_image', 'input_image_8', 'webhook_url']);
  await open.provider.generate(request({ fields: wanted }), run());
  assert.partialDeepStrictEqual(emulator.of('submit')[0]?.json(), { prompt: 'a red fox', ...wanted });
});

it('bedrock gets the fields at dotted places of the body, and they take precedence over its own seed', async () => {
  await using emulator = await startBedrock();
  const aws = { kind: 'keys', credentials: bedrockCredentials } as const;
  const make = (model: string) => createBedrock({ model, baseUrl: emulator.url }, { aws }, guard);
  await using open = closing({
    nova: make('amazon.nova-canvas-v1:0'),
    ultra: make('stability.stable-image-ultra-v1:1'),
  });
  const wanted = { 'imageGenerationConfig.seed': 7, 'textToImageParams.negativeText': 'rain' };
  takes(open.nova, wanted, ['taskType', 'textToImageParams', 'imageGenerationConfig.width']);
  await open.nova.generate(request({ fields: wanted }), run());
  assert.partialDeepStrictEqual(emulator.of('invoke')[0]?.json(), {
    textToImageParams: { text: 'a red fox', negativeText: 'rain' },
    imageGenerationConfig: { seed: 7, width: 1024 },
  });
  const plain = { seed: 7, negative_prompt: 'rain', strength: 0.4 };
  takes(open.ultra, plain, ['prompt', 'image', 'mode', 'aspect_ratio']);
  await open.ultra.generate(request({ fields: plain, inputs: await inputs(1) }), run());
  assert.partialDeepStrictEqual(emulator.of('invoke')[1]?.json(), plain);
});

it('openai gets the fields in the JSON of a generation and in the form of an edit', async () => {
  await using emulator = await startOpenAi();
  const settings = { model: 'flux', baseUrl: `${emulator.url}/v1` };
  await using open = closing({ provider: createOpenAi(settings, { apiKey: openAiKey }, guard) });
  takes(open.provider, fields, ['prompt', 'model', 'size', 'n', 'image', 'stream', 'response_format']);
  await open.provider.generate(request({ fields }), run());
  assert.partialDeepStrictEqual(emulator.of('generate')[0]?.json(), sent);
  await open.provider.generate(request({ fields, inputs: await inputs(1) }), run());
  const form = await emulator.of('generate')[1]?.form();
  for (const [name, value] of Object.entries(sent))
    assert.equal(form?.get(name), typeof value === 'string' ? value : JSON.stringify(value), name);
});

it('gemini gets the fields at dotted places of the body, next to what is there', async () => {
  await using emulator = await startGemini();
  const settings = { model: 'gemini-3-pro-image', baseUrl: emulator.url };
  await using open = closing({ provider: createGemini(settings, { apiKey: geminiKey }, guard) });
  const wanted = {
    'generationConfig.seed': 7,
    'generationConfig.imageConfig.personGeneration': 'DONT_ALLOW',
  };
  const own = ['contents', 'generationConfig', 'generationConfig.imageConfig.aspectRatio'];
  takes(open.provider, wanted, own);
  await open.provider.generate(request({ fields: wanted }), run());
  assert.deepEqual(pick(emulator.of('generate')[0]?.json(), 'generationConfig'), {
    responseModalities: ['IMAGE'],
    seed: 7,
    imageConfig: { aspectRatio: '1:1', imageSize: '1K', personGeneration: 'DONT_ALLOW' },
  });
});

it('automatic1111 gets the fields in preference to its route’s settings, for text and for images', async () => {
  await using emulator = await startAutomatic1111();
  const { user, password } = automatic1111Login;
  const settings = {
    baseUrl: emulator.url.replace('//', `//${user}:${password}@`),
    model: 'sdxl',
    steps: 20,
  };
  await using open = closing({ provider: createAutomatic1111(settings, {}, guard) });
  const wanted = {
    seed: 7,
    steps: 30,
    denoising_strength: 0.4,
    'override_settings.CLIP_stop_at_last_layers': 2,
    negative_prompt: 'rain <lora:secret:1> __wild__',
  };
  takes(open.provider, wanted, ['prompt', 'override_settings', 'override_settings.sd_model_checkpoint']);
  for (const count of [0, 1]) {
    await open.provider.generate(request({ fields: wanted, inputs: await inputs(count) }), run());
    assert.partialDeepStrictEqual(emulator.of('generate')[count]?.json(), {
      seed: 7,
      steps: 30,
      denoising_strength: 0.4,
      override_settings: { sd_model_checkpoint: 'sdxl', CLIP_stop_at_last_layers: 2 },
      // Cleaned like the prompt.
      negative_prompt: 'rain <lora secret:1> _wild_',
    });
  }
});

it('comfyui gets the fields as inputs of nodes, which take precedence over a seed slot', async () => {
  await using emulator = await startComfyUi();
  const text = {
    '3': { inputs: { seed: '{{seed}}', steps: 20, model: ['4', 0], 'size.width': 8 } },
    '6': { inputs: { text: '{{prompt}}' } },
  };
  const edit = {
    '6': text['6'],
    '10': { inputs: { image: '{{image1}}' } },
    '57:3': { inputs: { seed: '{{seed}}', steps: 20 } },
  };
  await using open = closing({
    provider: createComfyUi({ baseUrl: emulator.url, workflows: [text], pollMs: 10 }, {}, guard),
    both: createComfyUi({ baseUrl: emulator.url, workflows: [text, edit], pollMs: 10 }, {}, guard),
  });
  const wanted = { '3.seed': 7, '3.steps': 28, '3.size.width': 16 };
  takes(open.provider, wanted, ['3', '3.cfg', '6.text', '9.steps', 'seed', '3.toString', '__proto__.x']);
  await open.provider.generate(request({ fields: wanted }), run());
  const graph = pick(emulator.of('submit')[0]?.json(), 'prompt');
  assert.deepEqual(pick(graph, '3', 'inputs'), { seed: 7, steps: 28, model: ['4', 0], 'size.width': 16 });

  assert.equal(open.both.takesField('3.steps'), false, 'the workflow for images does not have it');
  const everywhere = { '3.steps,57:3.steps': 30, '3.seed,57:3.seed': 7 };
  takes(open.both, everywhere, ['3.steps,9.steps']);
  for (const [count, node] of [
    [0, '3'],
    [1, '57:3'],
  ] as const) {
    await open.both.generate(request({ fields: everywhere, inputs: await inputs(count) }), run());
    const inputsOf = pick(emulator.of('submit').at(-1)?.json(), 'prompt', node, 'inputs');
    assert.partialDeepStrictEqual(inputsOf, { steps: 30, seed: 7 });
  }
});

it('sketch takes only a seed, which selects one of a prompt’s images', async () => {
  const sketch = createSketch();
  assert.equal(sketch.takesField('seed'), true);
  assert.equal(sketch.takesField('steps'), false);
  const draw = async (seed?: unknown) =>
    Buffer.from(
      (
        await sketch.generate(
          request({ width: 256, height: 256, fields: seed === undefined ? {} : { seed } }),
          run(),
        )
      ).bytes,
    );
  const [plain, again, one, alike, two] = await Promise.all([draw(), draw(), draw(1), draw(1), draw(2)]);
  assert.ok(plain?.equals(again ?? Buffer.alloc(0)));
  assert.ok(one?.equals(alike ?? Buffer.alloc(0)));
  for (const other of [plain, two]) assert.equal(one?.equals(other ?? Buffer.alloc(0)), false);
});
