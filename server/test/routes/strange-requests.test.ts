import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCircuitBreaker } from '../../src/jobs/routes/circuit-breaker.ts';
import { readCircuits } from '../../src/jobs/routes/circuit-store.ts';
import type { Route } from '../../src/jobs/routes/route.ts';
import { createAutomatic1111 } from '../../src/upstream/providers/automatic1111/automatic1111.ts';
import { createAzure } from '../../src/upstream/providers/azure/azure.ts';
import { createBedrock } from '../../src/upstream/providers/bedrock/bedrock.ts';
import { createBfl } from '../../src/upstream/providers/bfl/bfl.ts';
import { createComfyUi } from '../../src/upstream/providers/comfyui/comfyui.ts';
import { createFal } from '../../src/upstream/providers/fal/fal.ts';
import { createGemini } from '../../src/upstream/providers/gemini/gemini.ts';
import { createOpenAi } from '../../src/upstream/providers/openai/openai.ts';
import type { Health, Provider } from '../../src/upstream/providers/provider.ts';
import { createReplicate } from '../../src/upstream/providers/replicate/replicate.ts';
import { automatic1111Login, automatic1111Replies, startAutomatic1111 } from '../emulators/automatic1111.ts';
import { azureKey, azureReplies, startAzure } from '../emulators/azure.ts';
import { bedrockCredentials, bedrockReplies, startBedrock } from '../emulators/bedrock.ts';
import { bflKey, bflReplies, startBfl } from '../emulators/bfl.ts';
import { comfyReplies, startComfyUi } from '../emulators/comfyui.ts';
import { type Emulator, html, type Reply } from '../emulators/emulator.ts';
import { falKey, falReplies, startFal } from '../emulators/fal.ts';
import { geminiKey, geminiReplies, startGemini } from '../emulators/gemini.ts';
import { openAiKey, openAiReplies, startOpenAi } from '../emulators/openai.ts';
import { replicateReplies, replicateToken, startReplicate } from '../emulators/replicate.ts';
import { sampleImage } from '../emulators/sample-image.ts';
import { failureOf, request, run } from '../providers/requests.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld, type World } from '../world/world.ts';
import { eventually, guard, pretendedRoute } from './support.ts';

interface Upstream {
  start(): Promise<Emulator>;
  open(url: string): Provider;
  make: string;
  /** A real server's answers to a strange request, from its documentation, its source or a recording. */
  answers: readonly Reply[];
}

const openAi = openAiReplies;
const tooSmall = {
  status: 400,
  body: {
    error: {
      message: 'Requested resolution is below the current minimum pixel budget.',
      type: 'image_generation_user_error',
      param: 'size',
      code: 'invalid_value',
    },
  },
};

const upstreams: Record<string, Upstream> = {
  openai: {
    start: startOpenAi,
    open: (url) => createOpenAi({ model: 'flux', baseUrl: `${url}/v1` }, { apiKey: openAiKey }, guard),
    make: 'generate',
    answers: [
      tooSmall,
      openAi.error(400, 'unknown_parameter', "Unknown parameter: 'steps'."),
      openAi.error(400, 'unsupported_parameter', 'input_fidelity is not supported by this model.'),
      openAi.error(
        400,
        null,
        "litellm.UnsupportedParamsError: openai does not support parameters: ['steps']",
      ),
      openAi.detail(400, 'Received 5 input images. At most 4 images are supported by this model.'),
      openAi.detail(422, [{ type: 'value_error', loc: ['body', 'size'], msg: 'invalid size' }]),
      openAi.detail(404, 'Not Found'),
      openAi.detail(500, 'Image generation failed: CUDA out of memory'),
      openAi.error(500, null, 'The server had an error while processing your request.', 'server_error'),
      openAi.error(403, null, 'You are not allowed to generate from this image.'),
      html(403),
      html(504),
    ],
  },
  azure: {
    start: startAzure,
    open: (url) => createAzure({ model: 'gpt-image-1.5', baseUrl: url }, { apiKey: azureKey }, guard),
    make: 'generate',
    answers: [
      tooSmall,
      azureReplies.error(400, 'contentFilter', 'Your task failed as a result of our safety system.'),
      azureReplies.error(400, 'invalidPayload', 'Invalid value for size.'),
      azureReplies.error(404, '404', 'Resource not found'),
      azureReplies.error(500, 'InternalFailure', 'The operation has failed.'),
      html(403),
    ],
  },
  gemini: {
    start: startGemini,
    open: (url) => createGemini({ model: 'gemini-3-pro-image', baseUrl: url }, { apiKey: geminiKey }, guard),
    make: 'generate',
    answers: [
      geminiReplies.error(
        400,
        'INVALID_ARGUMENT',
        'Unsupported aspect ratio for this model; check the quota.',
      ),
      geminiReplies.error(500, 'INTERNAL', 'Your input context is too long.'),
      geminiReplies.error(504, 'DEADLINE_EXCEEDED', 'Your prompt is too large to be processed in time.'),
      html(403),
    ],
  },
  fal: {
    start: startFal,
    open: (url) =>
      createFal({ model: 'fal-ai/nano-banana-pro', baseUrl: url, pollMs: 1 }, { key: falKey }, guard),
    make: 'submit',
    answers: [
      falReplies.model(422, 'image_too_large', 'The image exceeds your credit of pixels.'),
      falReplies.platform(404, 'Path /edit not found'),
      falReplies.platform(500, 'Internal Server Error', 'internal_error'),
      falReplies.platform(503, 'Runner disconnected', 'runner_disconnected'),
    ],
  },
  replicate: {
    start: startReplicate,
    open: (url) =>
      createReplicate(
        { model: 'google/nano-banana-pro', baseUrl: `${url}/v1`, pollMs: 1 },
        { token: replicateToken },
        guard,
      ),
    make: 'submit',
    answers: [
      replicateReplies.problem(422, 'Input validation failed', '- input.seed: must be an integer'),
      replicateReplies.problem(404, 'Not found', 'The requested resource could not be found.'),
      replicateReplies.problem(500, 'Internal error', 'Failed to read the input.'),
    ],
  },
  bfl: {
    start: startBfl,
    open: (url) =>
      createBfl({ model: 'flux-3-image', baseUrl: `${url}/v1`, pollMs: 1 }, { apiKey: bflKey }, guard),
    make: 'submit',
    answers: [
      bflReplies.invalid('/grounding', 'Extra inputs are not permitted'),
      bflReplies.detail(500, 'Internal Server Error'),
      html(403),
    ],
  },
  bedrock: {
    start: startBedrock,
    open: (url) =>
      createBedrock(
        { model: 'stability.stable-image-ultra-v1:1', baseUrl: url },
        { aws: { kind: 'keys', credentials: bedrockCredentials } },
        guard,
      ),
    make: 'invoke',
    answers: [
      bedrockReplies.error(400, 'ValidationException', 'Operation not allowed'),
      bedrockReplies.error(400, 'ValidationException', 'The provided model identifier is invalid.'),
      bedrockReplies.error(424, 'ModelErrorException', 'The model could not process the input.'),
      bedrockReplies.error(408, 'ModelTimeoutException', 'The request took too long to process.'),
    ],
  },
  comfyui: {
    start: startComfyUi,
    open: (url) => createComfyUi({ baseUrl: url, workflows: [graph], pollMs: 1 }, {}, guard),
    make: 'submit',
    answers: [
      comfyReplies.refused('prompt_outputs_failed_validation', 'Prompt outputs failed validation', {
        '3': { errors: [{ type: 'value_bigger_than_max', message: 'Value 99999 bigger than max of 10000' }] },
      }),
      comfyReplies.refused('custom_validation_failed', 'Invalid image file: x.png'),
      { status: 500, body: '500 Internal Server Error' },
    ],
  },
  automatic1111: {
    start: startAutomatic1111,
    open(url) {
      const { user, password } = automatic1111Login;
      return createAutomatic1111({ baseUrl: url.replace('//', `//${user}:${password}@`) }, {}, guard);
    },
    make: 'generate',
    answers: [
      automatic1111Replies.error(404, 'HTTPException', 'Sampler not found'),
      openAi.detail(422, [
        { loc: ['body', 'steps'], msg: 'value is not a valid integer', type: 'type_error' },
      ]),
      automatic1111Replies.error(500, 'OutOfMemoryError', 'CUDA out of memory.'),
      automatic1111Replies.error(500, 'TypeError', "argument of type 'NoneType' is not iterable"),
    ],
  },
};

const graph = {
  '5': { class_type: 'EmptyLatentImage', inputs: { width: '{{width}}', height: '{{height}}' } },
  '6': { class_type: 'CLIPTextEncode', inputs: { text: '{{prompt}}' } },
};

describe('strange requests of one account', () => {
  for (const [name, { start, open, make, answers }] of Object.entries(upstreams)) {
    test(`leave the circuit of ${name} closed, even 1,000 of them, whatever it answers`, async () => {
      await using world = await openWorld({ worker: false });
      await using emulator = await start();
      const looks: Promise<Health>[] = [];
      const route = watched(name, open(emulator.url), looks);
      const failures = [];
      for (const answer of answers) {
        emulator.answer(make, answer);
        failures.push(await failureOf(route.provider.generate(request(), run())));
      }
      const { database } = world.app;
      const breaker = createCircuitBreaker(database, silentLog);
      for (let count = 0; count < 1_000; count += 1) {
        const failure = failures[count % failures.length];
        assert.ok(failure);
        const { kind: outcome, proven, detail } = failure;
        await breaker.report(route, { outcome, proven, detail, ...nobody('strange') });
      }
      // Only our own check may write a result.
      for (const look of await Promise.all(looks)) assert.ok(look.ok, look.detail);
      assert.deepEqual([...(await readCircuits(database.read)).circuits.values()], []);
      await route.provider[Symbol.asyncDispose]?.();
    });
  }

  test('do not affect another account: its job is made on the same route', async () => {
    await using emulator = await startOpenAi();
    await using world = await openWorld({ replacements: { routes: [openAiRoute(emulator.url)] } });
    emulator.always('generate', tooSmall);
    const strange = await Promise.all(Array.from({ length: 8 }, () => world.create()));
    for (const jobId of strange) {
      const job = await world.finished(jobId);
      assert.deepEqual([job.status, job.error_code], ['failed', 'provider_rejected']);
      assert.match(String(job.error), /another size/);
    }
    assert.equal((await stateOf(world))?.state, undefined);
    const image = await sampleImage({ width: 1024, height: 1024 });
    emulator.always('generate', { body: { data: [{ b64_json: image.toString('base64') }] } });
    const { key } = await world.account('other', { creditMicros: 1_000_000n });
    const jobId = await world.create('/nb2/text-generations', {}, { authorization: `Bearer ${key}` });
    assert.equal((await world.finished(jobId, key)).status, 'done');
    assert.equal(emulator.of('generate').length, 9);
  });

  test('and a route that is down are distinguished by our own check', async () => {
    await using emulator = await startOpenAi();
    await using world = await openWorld({ replacements: { routes: [openAiRoute(emulator.url)] } });
    emulator.always('generate', openAi.error(500, null, 'The server had an error', 'server_error'));
    emulator.always('models', openAi.error(500, null, 'The server had an error', 'server_error'));
    await Promise.all(Array.from({ length: 3 }, () => world.create()));
    const circuit = await eventually(
      () => stateOf(world),
      (found) => found !== undefined,
    );
    assert.deepEqual([circuit?.state, circuit?.reason], ['open', 'unavailable']);
    await world.elapse(910_000);
  });
});

function openAiRoute(url: string): Route {
  const settings = { model: 'flux', baseUrl: `${url}/v1` };
  return { ...pretendedRoute('nb2/only'), provider: createOpenAi(settings, { apiKey: openAiKey }, guard) };
}

const stateOf = async ({ app }: World) => (await readCircuits(app.database.read)).circuits.get('nb2/only');

const nobody = (accountId: string) => ({ accountId, retryAfterMs: 0, probeOf: undefined });

function watched(name: string, provider: Provider, looks: Promise<Health>[]): Route {
  const check = (signal: AbortSignal) => {
    const look = provider.check(signal);
    looks.push(look);
    return look;
  };
  return { ...pretendedRoute(`nb2/${name}`), provider: { ...provider, check } };
}
