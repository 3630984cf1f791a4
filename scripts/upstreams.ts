import { parseArgs } from 'node:util';
import { createGuard } from '../server/src/base/guard/guard.ts';
import { createComfyUi } from '../server/src/upstream/providers/comfyui/comfyui.ts';
import { createOpenAi } from '../server/src/upstream/providers/openai/openai.ts';
import { probeConnection } from '../server/src/upstream/providers/probe-connection.ts';
import { type Provider, ProviderError } from '../server/src/upstream/providers/provider.ts';
import type { Emulator } from '../server/test/emulators/emulator.ts';
import { startSglang, startVllmOmni } from '../server/test/emulators/fastapi-images.ts';
import { openAiKey, openAiReplies, startOpenAi } from '../server/test/emulators/openai.ts';
import { inputs } from '../server/test/providers/requests.ts';
import { startLiteLlm } from './litellm.ts';

// npm run upstreams [-- --comfyui http://127.0.0.1:8188] [--without-litellm]
// Runs our adapters against real servers, and prints how they read each answer. Installs LiteLLM into a virtual
// environment, in front of the OpenAI emulator (needs python3 with venv; the first run takes minutes). Start ComfyUI
// yourself (`python main.py --cpu`; the graphs need no weights). SGLang-diffusion and vLLM-Omni need a graphics card.
// Emulators modelled on their source code replace them, unless you name real servers:
// --sglang http://127.0.0.1:30000/v1 --vllm-omni http://127.0.0.1:8091/v1
const masterKey = 'sk-master-of-this-run';

const { values } = parseArgs({
  options: {
    comfyui: { type: 'string' },
    sglang: { type: 'string' },
    'vllm-omni': { type: 'string' },
    'without-litellm': { type: 'boolean' },
  },
});
const guard = createGuard({ allowNetworks: ['127.0.0.0/8'] });
let wrong = 0;

if (!values['without-litellm']) await tryLiteLlm();
await tryAt(values.sglang, startSglang, trySglang);
await tryAt(values['vllm-omni'], startVllmOmni, tryVllmOmni);
if (values.comfyui) await tryComfyUi(values.comfyui);
process.exitCode = wrong === 0 ? 0 : 1;

async function tryLiteLlm(): Promise<void> {
  await using emulator = await startOpenAi();
  await using proxy = await startLiteLlm(litellmConfig(emulator.url));
  const route = (model: string, apiKey = masterKey) =>
    createOpenAi({ model, baseUrl: `${proxy.url}/v1` }, { apiKey }, guard);
  await expect('an alias of a GPT image model, asked for base64', route('images'), 'an image');
  await expect('a model that it does not route', route('nowhere'), 'model_not_found');
  await expect('a wrong key, without a database', route('images', 'sk-wrong'), 'auth');
  await expect('a wrong key behind it', route('wrong-key'), 'auth');
  emulator.always(
    'generate',
    openAiReplies.error(429, 'insufficient_quota', 'You exceeded your current quota.', 'insufficient_quota'),
  );
  await expect('a quota that is used up behind it', route('images'), 'quota');
  emulator.always(
    'generate',
    openAiReplies.error(400, 'moderation_blocked', 'Rejected by the safety system.'),
  );
  await expect('an image that is blocked behind it', route('images'), 'safety_blocked');
}

function litellmConfig(upstream: string): string {
  const model = (name: string, key: string) => ({
    model_name: name,
    litellm_params: { model: 'openai/gpt-image-2', api_base: `${upstream}/v1`, api_key: key, max_retries: 0 },
  });
  const config = {
    model_list: [model('images', openAiKey), model('wrong-key', 'sk-wrong')],
    general_settings: { master_key: masterKey },
    router_settings: { num_retries: 0, disable_cooldowns: true },
  };
  return JSON.stringify(config); // JSON is valid YAML
}

async function tryAt(
  named: string | undefined,
  play: () => Promise<Emulator>,
  trial: (baseUrl: string) => Promise<void>,
): Promise<void> {
  if (named) return trial(named);
  await using played = await play();
  await trial(`${played.url}/v1`);
}

async function trySglang(baseUrl: string): Promise<void> {
  const route = (more: object = {}) => createOpenAi({ model: 'any', baseUrl, ...more }, {}, guard);
  await expect('SGLang-diffusion, by any name', route(), 'an image');
  await expect('SGLang-diffusion, an edit', route(), 'an image', 1);
}

async function tryVllmOmni(baseUrl: string): Promise<void> {
  const found = await probeConnection({ provider: 'openai', baseUrl }, guard);
  const model = (found.ok && found.models[0]?.id) || '';
  const route = (name: string) => createOpenAi({ model: name, baseUrl }, {}, guard);
  await expect(`vLLM-Omni, by the name that it lists (${model})`, route(model), 'an image');
  await expect('vLLM-Omni, by another name', route('images'), 'model_not_found');
  await expect('vLLM-Omni, more images than it takes', route(model), 'unsupported', 14);
}

async function tryComfyUi(baseUrl: string): Promise<void> {
  const blank = {
    class_type: 'EmptyImage',
    inputs: { width: '{{width}}', height: '{{height}}', batch_size: 1, color: 255 },
  };
  const save = { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: '{{prompt}}' } };
  const route = (workflow: Record<string, unknown>) =>
    createComfyUi({ baseUrl, workflows: [workflow] }, {}, guard);
  await expect('a graph without weights', route({ '1': blank, '2': save }), 'an image');
  await expect('the same graph again, from its cache', route({ '1': blank, '2': save }), 'an image');
  const missing = { class_type: 'NoSuchNode', inputs: {} };
  await expect('a node that is missing', route({ '1': blank, '2': save, '3': missing }), 'model_not_found');
  const broken = { class_type: 'SaveImage', inputs: { filename_prefix: '{{prompt}}' } };
  await expect(
    'a graph that is valid in part',
    route({ '1': blank, '2': save, '3': broken }),
    'model_not_found',
  );
}

async function expect(what: string, provider: Provider, wanted: string, images = 0): Promise<void> {
  const asked = { ...request(), inputs: await inputs(images) };
  const { taken, detail } = await provider.generate(asked, context()).then(
    ({ bytes }) => ({ taken: 'an image', detail: `${bytes.byteLength} bytes` }),
    (error: unknown) => {
      if (!(error instanceof ProviderError)) throw error;
      return { taken: error.kind as string, detail: error.detail ?? '' };
    },
  );
  await provider[Symbol.asyncDispose]?.();
  if (taken !== wanted) wrong += 1;
  process.stdout.write(
    `${taken === wanted ? 'as wanted' : `WANTED ${wanted}`}  ${what}: ${taken}\n    ${detail}\n`,
  );
}

function request() {
  const size = { aspectRatio: '1:1', resolution: '1K', width: 256, height: 256 };
  return { jobId: crypto.randomUUID(), prompt: 'darkroom', inputs: [], fields: {}, ...size };
}

function context() {
  return { signal: AbortSignal.timeout(60_000), attempt: 1, async onSubmitted() {}, onCharge() {} };
}
