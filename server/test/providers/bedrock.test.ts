import assert from 'node:assert/strict';
import { it } from 'node:test';
import sharp from 'sharp';
import { createBedrock } from '../../src/upstream/providers/bedrock/bedrock.ts';
import type { BedrockSettings } from '../../src/upstream/providers/bedrock/settings.ts';
import { startAwsRoles } from '../emulators/aws-roles.ts';
import { bedrockCredentials, bedrockReplies, startBedrock } from '../emulators/bedrock.ts';
import { sampleImage } from '../emulators/sample-image.ts';
import { conforms, type FailureRow } from './conformance.ts';
import { closing, failureOf, guard, input, inputs, request, run } from './requests.ts';

const { error } = bedrockReplies;
const ended = (reason: string) => ({ body: { seeds: [1], finish_reasons: [reason], images: [] } });

/** Errors as in Amazon's documentation, and in answers that people have reported. */
const rows: FailureRow[] = [
  { name: 'a prompt that is filtered', reply: ended('Filter reason: prompt'), kind: 'safety_blocked' },
  { name: 'an input that is filtered', reply: ended('Filter reason: input image'), kind: 'safety_blocked' },
  { name: 'a result that is filtered', reply: ended('Filter reason: output image'), kind: 'safety_blocked' },
  { name: 'an inference that failed', reply: ended('Inference error'), kind: 'bad_response' },
  {
    name: 'a prompt that Amazon blocks',
    reply: error(
      400,
      'ValidationException',
      'This request has been blocked by our content filters. Please adjust your text prompt to submit a new request.',
    ),
    kind: 'safety_blocked',
  },
  {
    name: 'a result that Amazon blocks',
    reply: {
      body: { images: [], error: 'Generated images may conflict with our AUP or AWS Responsible AI Policy.' },
    },
    kind: 'safety_blocked',
  },
  { name: 'a success without images', reply: { body: { images: [] } }, kind: 'no_image' },
  {
    name: '400 for the request',
    reply: error(400, 'ValidationException', 'Malformed input request: #/prompt: expected maxLength: 1024'),
    kind: 'invalid_input',
  },
  {
    name: '400 for a model that is not there',
    reply: error(400, 'ValidationException', 'The provided model identifier is invalid.'),
    kind: 'model_not_found',
  },
  {
    name: '400 for a model without on-demand throughput',
    reply: error(
      400,
      'ValidationException',
      'Invocation of model ID x with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.',
    ),
    kind: 'model_not_found',
  },
  {
    name: '404 for a model that is retired',
    reply: error(404, 'ResourceNotFoundException', 'This model version has reached the end of its life.'),
    kind: 'model_not_found',
    closes: 'model_not_found',
  },
  {
    name: '400 for an account that may not',
    reply: error(400, 'ValidationException', 'Operation not allowed'),
    kind: 'auth',
  },
  {
    name: '403 without access to the model',
    reply: error(
      403,
      'AccessDeniedException',
      "You don't have access to the model with the specified model ID.",
    ),
    kind: 'auth',
    closes: 'auth',
  },
  {
    name: '403 for an unknown key',
    reply: error(
      403,
      'UnrecognizedClientException',
      'The security token included in the request is invalid.',
    ),
    kind: 'auth',
    closes: 'auth',
  },
  {
    name: '403 for a token that has expired',
    reply: error(403, 'ExpiredTokenException', 'The security token included in the request is expired'),
    kind: 'auth',
    closes: 'auth',
  },
  {
    name: '429',
    reply: {
      ...error(429, 'ThrottlingException', 'Too many requests, please wait before trying again.'),
      headers: { 'x-amzn-errortype': 'ThrottlingException', 'retry-after': '3' },
    },
    kind: 'rate_limited',
    closes: 'rate_limited',
    retryAfterMs: 3000,
  },
  {
    name: '429 for a day',
    reply: error(429, 'ThrottlingException', 'Too many requests per day, please wait before trying again.'),
    kind: 'quota',
    closes: 'rate_limited',
  },
  {
    name: '400 for a quota of the account',
    reply: error(400, 'ServiceQuotaExceededException', 'Your request exceeds the service quota.'),
    kind: 'quota',
    closes: 'quota',
  },
  {
    name: '429 of a model that is not ready',
    reply: error(429, 'ModelNotReadyException', 'The model is not ready for inference.'),
    kind: 'unavailable',
    closes: 'unavailable',
  },
  {
    name: '424 of a model that failed',
    reply: error(424, 'ModelErrorException', 'The system encountered an unexpected error during processing.'),
    kind: 'bad_response',
  },
  {
    name: '408 of a slow model',
    reply: error(408, 'ModelTimeoutException', 'Model has timed out in processing the request.'),
    kind: 'timeout',
  },
  {
    name: '503',
    reply: error(503, 'ServiceUnavailableException', 'Bedrock is unable to process your request.'),
    kind: 'unavailable',
    closes: 'unavailable',
  },
];

const aws = { kind: 'keys', credentials: bedrockCredentials } as const;
async function open(settings: BedrockSettings, credentials: Parameters<typeof createBedrock>[1] = { aws }) {
  const emulator = await startBedrock();
  const provider = createBedrock({ ...settings, baseUrl: emulator.url }, credentials, guard);
  return closing({ provider, emulator });
}

for (const model of [
  'stability.stable-image-core-v1:1',
  'stability.stable-image-ultra-v1:1',
  'us.stability.sd3-5-large-v1:0',
]) {
  conforms({
    name: `bedrock with ${model}`,
    open: () => open({ model }),
    rows,
    secret: bedrockCredentials.secretAccessKey,
    stages: { make: 'invoke', check: 'list' },
  });
}

const nova = 'amazon.nova-canvas-v1:0';
it('bedrock requests pixels and references within Nova Canvas’ limits', async () => {
  await using bench = await open({ model: nova });
  for (const row of rows.filter(({ name }) => /Amazon blocks/.test(name))) {
    if (row.reply) bench.emulator.answer('invoke', row.reply);
    const refused = await failureOf(bench.provider.generate(request(), run()));
    assert.equal(refused.kind, 'safety_blocked');
  }
  const size = { width: 3000, height: 2000 };
  const webp = input(await sampleImage({ ...size, format: 'webp' }), { ...size, mediaType: 'image/webp' });
  const wide = { aspectRatio: '16:9', resolution: '2K', width: 2752, height: 1536 };
  await bench.provider.generate(request(wide), run());
  await bench.provider.generate(request({ ...wide, inputs: [...(await inputs(4)), webp] }), run());
  const [text, edit] = bench.emulator
    .of('invoke')
    .slice(2)
    .map((sent) => Object(sent.json()));
  assert.equal(text.taskType, 'TEXT_IMAGE');
  assert.equal(edit.taskType, 'IMAGE_VARIATION');
  const { width, height } = edit.imageGenerationConfig;
  assert.ok(width * height <= 2048 * 2048 && width * height > 4_000_000, `${width}x${height}`);
  assert.notEqual(text.imageGenerationConfig.seed, edit.imageGenerationConfig.seed);
  const sent = await Promise.all(
    edit.imageVariationParams.images.map((base64: string) => sharp(Buffer.from(base64, 'base64')).metadata()),
  );
  assert.deepEqual(
    sent.map(({ format }) => format),
    ['png', 'jpeg', 'png', 'jpeg', 'jpeg'],
  );
  assert.ok(sent[4].width * sent[4].height <= 2048 * 2048);
});

it('bedrock crops the input to the requested shape, because the result has the size of its input', async () => {
  for (const model of ['stability.sd3-5-large-v1:0', 'stability.stable-image-ultra-v1:1']) {
    await using bench = await open({ model, strength: 0.5 });
    const wide = { aspectRatio: '21:9', width: 1584, height: 672 };
    await bench.provider.generate(request({ ...wide, inputs: await inputs(1) }), run());
    const { image, mode, aspect_ratio, strength } = Object(bench.emulator.of('invoke')[0]?.json());
    const { width, height } = await sharp(Buffer.from(image, 'base64')).metadata();
    assert.deepEqual([width, height, aspect_ratio, strength], [1536, 640, undefined, 0.5]);
    assert.equal(mode, model.includes('sd3') ? 'image-to-image' : undefined);
  }
});

it('bedrock signs with a role’s credentials, and says when there are none', async () => {
  await using roles = await startAwsRoles();
  const lent = {
    kind: 'container',
    url: `${roles.url}/container`,
    token: { text: roles.authorization },
  } as const;
  await using bench = await open({ model: nova }, { aws: lent });
  const refused = await failureOf(bench.provider.generate(request(), run()));
  // The role lends keys that the emulator does not know.
  assert.equal(refused.kind, 'auth');
  assert.equal(bench.emulator.of('invoke')[0]?.headers['x-amz-security-token'], 'session-1');
  roles.isDown = true;
  await using away = await open({ model: nova }, { aws: lent });
  assert.equal((await failureOf(away.provider.generate(request(), run()))).kind, 'unavailable');
  const nowhere = { kind: 'instance', endpoint: 'http://127.0.0.1:1' } as const;
  await using none = await open({ model: nova }, { aws: nowhere });
  const health = await none.provider.check(AbortSignal.timeout(20_000));
  assert.match(health.detail ?? '', /^auth: there are no credentials for Amazon: set AWS_ACCESS_KEY_ID/);
  assert.equal(away.emulator.requests.length + none.emulator.requests.length, 0);
});

it('bedrock reports what it knows about a model without making an image', async () => {
  const healthOf = async (model: string, ...replies: Parameters<typeof error>[]) => {
    await using bench = await open({ model });
    bench.emulator.answer('list', ...replies.map((reply) => error(...reply)));
    return await bench.provider.check(AbortSignal.timeout(20_000));
  };
  assert.deepEqual(await healthOf('us.stability.sd3-5-large-v1:0'), { ok: true });
  assert.deepEqual(await healthOf('arn:aws:bedrock:us-west-2:1:application-inference-profile/x'), {
    ok: true,
  });
  assert.match((await healthOf(nova)).detail ?? '', /about to retire/);
  const gone = await healthOf('stability.stable-diffusion-xl-v1');
  assert.equal(gone.ok, false);
  assert.match(gone.detail ?? '', /does not list stability.stable-diffusion-xl-v1 in this region/);
  const denied = 'User: arn:aws:iam::1:user/x is not authorized to perform: bedrock:ListFoundationModels';
  const narrow = await healthOf(nova, [403, 'AccessDeniedException', denied]);
  assert.equal(narrow.ok, true);
  assert.match(narrow.detail ?? '', /may not list models/);
});
