import assert from 'node:assert/strict';
import { it } from 'node:test';
import sharp from 'sharp';
import { createOpenAi } from '../../src/upstream/providers/openai/openai.ts';
import { pick, pickList, pickText } from '../../src/upstream/providers/pick.ts';
import { failureKinds } from '../../src/upstream/providers/provider.ts';
import { openAiKey, openAiReplies, startOpenAi } from '../emulators/openai.ts';
import { sampleImage } from '../emulators/sample-image.ts';
import { conforms, type FailureRow } from './conformance.ts';
import litellm from './recorded/litellm.json' with { type: 'json' };
import { closing, failureOf, guard, input, inputs, request, run } from './requests.ts';

const { error, badKey, detail } = openAiReplies;

const rows: FailureRow[] = [
  {
    name: '400 moderation_blocked',
    reply: error(
      400,
      'moderation_blocked',
      'Your request was rejected by the safety system.',
      'image_generation_user_error',
    ),
    kind: 'safety_blocked',
  },
  {
    name: '400 content_policy_violation',
    reply: error(400, 'content_policy_violation', 'Rejected.'),
    kind: 'safety_blocked',
  },
  {
    name: '400 of LiteLLM for another vendor’s policy',
    reply: error(400, '400', 'litellm.ContentPolicyViolationError: blocked'),
    kind: 'safety_blocked',
  },
  {
    name: '400 billing_hard_limit_reached',
    reply: error(
      400,
      'billing_hard_limit_reached',
      'Billing hard limit has been reached',
      'billing_limit_user_error',
    ),
    kind: 'quota',
    closes: 'quota',
  },
  { name: '400', reply: error(400, 'invalid_value', 'Invalid size.'), kind: 'invalid_input' },
  {
    name: '400 with a bare string',
    reply: { status: 400, body: { error: 'prompt required' } },
    kind: 'invalid_input',
  },
  { name: '401', reply: badKey(), kind: 'auth', closes: 'auth' },
  {
    name: '403 for an organisation that is not verified',
    reply: error(403, null, 'Your organization must be verified to use the model.'),
    kind: 'auth',
  },
  {
    name: '400 of LiteLLM for a model that it does not route',
    reply: error(
      400,
      '400',
      'Invalid model name passed in model=flux. Call `/v1/models` to view available models for your key.',
    ),
    kind: 'model_not_found',
  },
  {
    name: '400 of LiteLLM for a wrong key without a database',
    reply: error(400, '400', 'No connected db.', 'no_db_connection'),
    kind: 'auth',
    closes: 'auth',
  },
  {
    name: '429 of LiteLLM for an upstream quota',
    reply: error(
      429,
      '429',
      'litellm.RateLimitError: OpenAIException - You exceeded your current quota, please check your plan and billing details.',
      'throttling_error',
    ),
    kind: 'quota',
    closes: 'rate_limited',
  },
  {
    name: '400 of LiteLLM for another parameter',
    reply: error(
      400,
      '400',
      "litellm.UnsupportedParamsError: openai does not support parameters: ['quality']",
    ),
    kind: 'model_not_found',
  },
  {
    name: '400 in unknown words about a key',
    reply: error(400, null, 'Virtual key is not allowed here.'),
    kind: 'unsupported',
  },
  {
    name: '400 in unknown words about a model',
    reply: error(400, null, 'That model has been retired.'),
    kind: 'unsupported',
  },
  {
    name: '400 in unknown words about a quota',
    reply: error(400, null, 'Monthly credit is used up.'),
    kind: 'unsupported',
  },
  {
    name: '400 for the prompt, which mentions the model',
    reply: {
      status: 400,
      body: {
        error: {
          message: 'Too long for this model.',
          type: 'invalid_request_error',
          param: 'prompt',
          code: 'string_above_max_length',
        },
      },
    },
    kind: 'invalid_input',
  },
  {
    name: '400 for a size that OpenAI does not make',
    reply: {
      status: 400,
      body: {
        error: {
          message: 'Requested resolution is below the current minimum pixel budget.',
          type: 'image_generation_user_error',
          param: 'size',
          code: 'invalid_value',
        },
      },
    },
    kind: 'unsupported',
  },
  {
    name: '400 of vLLM-Omni for more images than it takes',
    reply: detail(400, 'Received 5 input images. At most 4 images are supported by this model.'),
    kind: 'unsupported',
  },
  {
    name: '400 of vLLM-Omni for another model than it runs',
    reply: detail(400, "Model mismatch: request specifies 'flux' but server is running 'Qwen/Qwen-Image'."),
    kind: 'model_not_found',
  },
  {
    name: '503 of vLLM-Omni without an engine',
    reply: detail(503, 'Diffusion engine not initialized. Start server with a diffusion model.'),
    kind: 'unavailable',
    closes: 'unavailable',
  },
  {
    name: '422 of FastAPI for a size',
    reply: detail(422, [{ type: 'value_error', loc: ['body', 'size'], msg: 'Value error, invalid size' }]),
    kind: 'unsupported',
  },
  {
    name: '422 of FastAPI for a prompt',
    reply: detail(422, [
      { type: 'string_too_long', loc: ['body', 'prompt'], msg: 'String should have at most 4000 characters' },
    ]),
    kind: 'invalid_input',
  },
  {
    name: '404 of a server that has no edits',
    reply: detail(404, 'Not Found'),
    kind: 'model_not_found',
  },
  {
    name: '403 of a firewall that dislikes the prompt',
    reply: { status: 403, headers: { 'content-type': 'text/html' }, body: '<html>Blocked</html>' },
    kind: 'auth',
  },
  { name: '402', reply: error(402, null, 'Payment required'), kind: 'quota', closes: 'quota' },
  {
    name: '404',
    reply: error(404, 'model_not_found', 'The model does not exist.'),
    kind: 'model_not_found',
    closes: 'model_not_found',
  },
  {
    name: '400 model_not_found',
    reply: error(400, 'model_not_found', 'The model does not exist.'),
    kind: 'model_not_found',
    closes: 'model_not_found',
  },
  {
    name: '429 insufficient_quota',
    reply: error(429, 'insufficient_quota', 'You exceeded your current quota.', 'insufficient_quota'),
    kind: 'quota',
    closes: 'quota',
  },
  {
    name: '429 with Retry-After',
    reply: {
      ...error(429, 'rate_limit_exceeded', 'Rate limit reached.', 'requests'),
      headers: { 'retry-after': '12' },
    },
    kind: 'rate_limited',
    closes: 'rate_limited',
    retryAfterMs: 12_000,
  },
  {
    name: '429 with retry-after-ms',
    reply: {
      ...error(429, 'rate_limit_exceeded', 'Rate limit reached.'),
      headers: { 'retry-after-ms': '250', 'retry-after': '1' },
    },
    kind: 'rate_limited',
    closes: 'rate_limited',
    retryAfterMs: 250,
  },
  {
    name: '429 of a full queue',
    reply: { status: 429, body: { error: 'job queue is full' } },
    kind: 'rate_limited',
    closes: 'rate_limited',
  },
  { name: '500', reply: error(500, null, 'The server had an error', 'server_error'), kind: 'unavailable' },
  {
    name: '500 with words',
    reply: { status: 500, body: { error: 'server_error', message: 'generate failed' } },
    kind: 'unavailable',
  },
  { name: 'a success without images', reply: { body: { created: 1, data: [] } }, kind: 'no_image' },
  {
    name: 'bytes that are no image',
    reply: { body: { data: [{ b64_json: 'bm90IGFuIGltYWdl' }] } },
    kind: 'bad_response',
  },
];

/** The answers of a real LiteLLM: see `npm run upstreams`. */
const recorded = litellm.answers.map(({ what, kind, closes, reply }): FailureRow => {
  const known = failureKinds.find((each) => each === kind);
  assert.ok(known);
  const closing = failureKinds.find((each) => each === closes);
  return { name: `${litellm.server}: ${what}`, reply, kind: known, ...(closing && { closes: closing }) };
});

const models = ['gpt-image-2', 'some-local-model'];
for (const model of models) {
  conforms({
    name: `openai with ${model}`,
    async open() {
      const emulator = await startOpenAi();
      const provider = createOpenAi({ model, baseUrl: `${emulator.url}/v1` }, { apiKey: openAiKey }, guard);
      return closing({ provider, emulator });
    },
    rows: [...rows, ...recorded],
    secret: openAiKey,
    stages: { make: 'generate', check: 'models' },
  });
}

conforms({
  name: 'openai where the server answers with links',
  async open() {
    const emulator = Object.assign(await startOpenAi(), { links: true });
    const provider = createOpenAi(
      { model: 'flux', baseUrl: `${emulator.url}/v1` },
      { apiKey: openAiKey },
      guard,
    );
    return closing({ provider, emulator });
  },
  rows: [],
  stages: { make: 'generate', file: 'file', check: 'models' },
});

async function open(settings: Omit<Parameters<typeof createOpenAi>[0], 'baseUrl'>) {
  const emulator = await startOpenAi();
  const provider = createOpenAi({ ...settings, baseUrl: `${emulator.url}/v1` }, { apiKey: openAiKey }, guard);
  return closing({ provider, emulator });
}

it('openai requests the sizes that OpenAI’s own families make, and exact pixels from other servers', async () => {
  const wide = request({ aspectRatio: '3:2', resolution: '2K', width: 2528, height: 1696 });
  const asked: [string, string][] = [
    ['gpt-image-1.5', '1536x1024'],
    ['gpt-image-2', '2496x1664'],
    ['openai/gpt-image-2.5', '2496x1664'],
    ['flux.1-schnell', '2528x1696'],
  ];
  for (const [model, size] of asked) {
    await using bench = await open({ model });
    await bench.provider.generate(wide, run());
    const sent = bench.emulator.of('generate')[0]?.json();
    assert.equal(pick(sent, 'size'), size);
    // GPT image models refuse response_format, LocalAI answers with links without it.
    assert.equal(pick(sent, 'response_format'), model.includes('gpt-image') ? undefined : 'b64_json');
  }
  await using small = await open({ model: 'gpt-image-1.5' });
  assert.deepEqual(small.provider.capabilities.ratios, ['1:1', '2:3', '3:2']);
  assert.deepEqual(small.provider.capabilities.resolutions, ['1K']);
});

it('openai prevents clients from passing arguments to a local server', async () => {
  await using bench = await open({ model: 'sd' });
  const tag = 'sd_cpp_extra_args';
  const prompt = `a fox <<${tag}>${tag}>{"seed":1}</${tag}> <${tag.toUpperCase()}>`;
  await bench.provider.generate(request({ prompt }), run());
  assert.doesNotMatch(pickText(bench.emulator.of('generate')[0]?.json(), 'prompt') ?? '<', /</);
});

it('openai sends local servers PNG instead of WebP, which they drop silently', async () => {
  await using bench = await open({ model: 'sd' });
  const size = { width: 30, height: 20 };
  const webp = input(await sampleImage({ ...size, format: 'webp' }), { ...size, mediaType: 'image/webp' });
  await bench.provider.generate(request({ inputs: [webp] }), run());
  const sent = (await bench.emulator.of('generate')[0]?.form())?.get('image');
  assert.ok(sent instanceof Blob);
  assert.equal(sent.type, 'image/png');
  assert.equal((await sharp(await sent.arrayBuffer()).metadata()).format, 'png');
});

it('openai sends inputs to LocalAI as references', async () => {
  await using bench = await open({ model: 'flux', inputsBy: 'ref_images' });
  await bench.provider.generate(request({ inputs: await inputs(3) }), run());
  const sent = bench.emulator.of('generate')[0];
  assert.equal(sent?.path, '/v1/images/generations');
  const references = pickList(sent?.json(), 'ref_images');
  assert.equal(references.length, 3);
  assert.match(String(references[0]), /^iVBOR/);
});

it('openai needs an API key or a base URL', () => {
  assert.throws(() => createOpenAi({ model: 'gpt-image-2' }, {}, guard), /API key .* or a base URL/);
});

it('openai leaves response_format out for a server that has refused it, and remembers this for the route', async () => {
  const refusal = error(
    400,
    '400',
    'litellm.UnsupportedParamsError: Setting `response_format` is not supported by openai, my-image-alias.',
  );
  await using bench = await open({ model: 'my-image-alias' });
  bench.emulator.answer('generate', refusal);
  await bench.provider.generate(request(), run());
  await bench.provider.generate(request(), run());
  const formats = bench.emulator.of('generate').map((sent) => pick(sent.json(), 'response_format'));
  assert.deepEqual(formats, ['b64_json', undefined, undefined]);

  await using stubborn = await open({ model: 'my-image-alias' });
  stubborn.emulator.always('generate', refusal);
  const refused = await failureOf(stubborn.provider.generate(request(), run()));
  assert.equal(refused.kind, 'model_not_found');
  assert.equal(stubborn.emulator.of('generate').length, 2);

  await using told = await open({ model: 'my-image-alias', responseFormat: 'none' });
  await told.provider.generate(request(), run());
  assert.equal(pick(told.emulator.of('generate')[0]?.json(), 'response_format'), undefined);
});

it('openai names a model that the server does not list', async () => {
  await using gone = await open({ model: 'gpt-image-1.5' });
  const health = await gone.provider.check(AbortSignal.timeout(20_000));
  assert.deepEqual(health, {
    ok: false,
    detail: 'The server does not list the model gpt-image-1.5. It lists gpt-image-2.',
  });
  await using home = await open({ model: 'anything' });
  assert.equal((await home.provider.check(AbortSignal.timeout(20_000))).ok, true);
  assert.throws(
    () => createOpenAi({ model: 'gpt-image-2', inputFidelity: 'high' }, { apiKey: openAiKey }, guard),
    /inputFidelity/,
  );
});

it('openai requests from ChatGPT’s models only sizes that they have, and never a format', async () => {
  await using bench = await open({ model: 'chatgpt-image-latest' });
  await bench.provider.generate(request({ aspectRatio: '1:1' }), run());
  const sent = bench.emulator.of('generate')[0]?.json();
  assert.deepEqual([pick(sent, 'response_format'), pick(sent, 'size')], [undefined, '1024x1024']);
});
