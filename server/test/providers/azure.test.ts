import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAzure } from '../../src/upstream/providers/azure/azure.ts';
import { azureKey, azureReplies, startAzure } from '../emulators/azure.ts';
import { conforms, type FailureRow } from './conformance.ts';
import { closing, guard, inputs, request, run } from './requests.ts';

const { error, badKey, noDeployment } = azureReplies;
const filtered = { filtered: true, severity: 'high' };
const safe = { filtered: false, severity: 'safe' };

/** Errors as in Microsoft's documentation, and in answers that people have reported. */
const rows: FailureRow[] = [
  {
    name: '400 content_filter',
    reply: {
      status: 400,
      body: {
        error: {
          message:
            "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
          type: null,
          param: 'prompt',
          code: 'content_filter',
          status: 400,
          innererror: {
            code: 'ResponsibleAIPolicyViolation',
            content_filter_result: { hate: safe, self_harm: safe, sexual: filtered, violence: safe },
          },
        },
      },
    },
    kind: 'safety_blocked',
  },
  {
    name: '400 content_policy_violation',
    reply: {
      status: 400,
      body: {
        error: {
          code: 'content_policy_violation',
          inner_error: {
            code: 'ResponsibleAIPolicyViolation',
            content_filter_results: { jailbreak: { detected: false, filtered: false } },
          },
          message:
            'Your request was rejected as a result of our safety system. Your prompt may contain text that is not allowed by our safety system.',
          type: 'invalid_request_error',
        },
      },
    },
    kind: 'safety_blocked',
  },
  {
    name: '400 contentFilter',
    reply: error(400, 'contentFilter', 'Your task failed as a result of our safety system.'),
    kind: 'safety_blocked',
  },
  {
    name: 'a success that withholds the image',
    reply: {
      body: {
        created: 1698435368,
        error: {
          code: 'contentFilter',
          message: 'Generated image was filtered as a result of our safety system.',
        },
      },
    },
    kind: 'safety_blocked',
  },
  { name: '401', reply: badKey(), kind: 'auth', closes: 'auth' },
  {
    name: '403 of a resource that is blocked',
    reply: error(
      403,
      'Forbidden',
      'Your resource has been temporarily blocked because we detected behavior that may violate our content policy.',
    ),
    kind: 'auth',
  },
  {
    name: '404 DeploymentNotFound',
    reply: noDeployment(),
    kind: 'model_not_found',
    closes: 'model_not_found',
  },
  {
    name: '404 of a wrong version',
    reply: error(404, '404', 'Resource not found'),
    kind: 'model_not_found',
  },
  {
    name: '400 of a deployment that makes no images',
    reply: error(
      400,
      'OperationNotSupported',
      'The imageGeneration operation does not work with the specified model, gpt-4o. Please choose different model and try again.',
    ),
    kind: 'model_not_found',
  },
  {
    name: '429',
    reply: error(
      429,
      '429',
      'Requests to the Images_Generate Operation under Azure OpenAI API version 2025-04-01-preview have exceeded call rate limit of your current AIServices S0 pricing tier. Please retry after 7 seconds. Please go here: https://aka.ms/oai/quotaincrease if you would like to further increase the default rate limit.',
      { 'retry-after': '7' },
    ),
    kind: 'rate_limited',
    closes: 'rate_limited',
    retryAfterMs: 7000,
  },
  {
    name: '500',
    reply: error(500, 'InternalServerError', 'The server had an error.'),
    kind: 'unavailable',
  },
  { name: 'a success without images', reply: { body: { created: 1, data: [] } }, kind: 'no_image' },
];

async function open(settings: Omit<Parameters<typeof createAzure>[0], 'baseUrl'>) {
  const emulator = await startAzure();
  const provider = createAzure({ ...settings, baseUrl: emulator.url }, { apiKey: azureKey }, guard);
  return closing({ provider, emulator });
}

for (const model of ['gpt-image-2', 'images']) {
  conforms({
    name: `azure with ${model}`,
    open: () => open({ model }),
    rows,
    secret: azureKey,
    stages: { make: 'generate', check: 'models' },
  });
}

it('azure sends requests to the deployment, in the configured version', async () => {
  await using bench = await open({ model: 'images', apiVersion: '2026-06-01', sizes: 'gpt-image-2' });
  const wide = { aspectRatio: '16:9', resolution: '2K', width: 2752, height: 1536 };
  await bench.provider.generate(request(wide), run());
  await bench.provider.generate(request({ inputs: await inputs(1) }), run());
  const [made, edited] = bench.emulator.of('generate');
  assert.equal(made?.path, '/openai/deployments/images/images/generations');
  assert.equal(edited?.path, '/openai/deployments/images/images/edits');
  for (const sent of [made, edited]) {
    assert.equal(sent?.query.toString(), 'api-version=2026-06-01');
    assert.equal(sent?.headers.authorization, undefined);
  }
  assert.equal(Object(made?.json()).size, '2704x1520');
});

it('azure treats a deployment of any name as a GPT image model', async () => {
  await using bench = await open({ model: 'images' });
  assert.deepEqual(bench.provider.capabilities.ratios, ['1:1', '2:3', '3:2']);
  await bench.provider.generate(request({ aspectRatio: '3:2' }), run());
  const { size, output_format, response_format } = Object(bench.emulator.of('generate')[0]?.json());
  assert.deepEqual([size, output_format, response_format], ['1536x1024', 'png', undefined]);
});
