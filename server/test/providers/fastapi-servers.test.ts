import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createOpenAi } from '../../src/upstream/providers/openai/openai.ts';
import { probeConnection } from '../../src/upstream/providers/probe-connection.ts';
import { startSglang, startVllmOmni } from '../emulators/fastapi-images.ts';
import { conforms } from './conformance.ts';
import { closing, failureOf, guard, inputs, request, run } from './requests.ts';

const model = 'Qwen/Qwen-Image-Edit-2511';

async function open(start: typeof startSglang, wanted: string, maxInputs = 4) {
  const emulator = await start();
  const settings = { model: wanted, baseUrl: `${emulator.url}/v1`, maxInputs };
  return closing({ provider: createOpenAi(settings, {}, guard), emulator });
}

const stages = { make: 'generate', check: 'models' };
conforms({ name: 'openai with vLLM-Omni', open: () => open(startVllmOmni, model), rows: [], stages });
conforms({
  name: 'openai with SGLang-diffusion',
  open: () => open(startSglang, 'black-forest-labs/FLUX.2-dev'),
  rows: [],
  stages,
});

it('vLLM-Omni is connected by the name that it lists, and a route with another name is unhealthy', async () => {
  await using wrong = await open(startVllmOmni, 'qwen-image');
  const found = await probeConnection({ provider: 'openai', baseUrl: wrong.emulator.url }, guard);
  assert.ok(found.ok);
  assert.deepEqual(
    found.models.map(({ id, settings }) => [id, settings]),
    [[model, { model }]],
  );
  assert.equal(found.baseUrl, `${wrong.emulator.url}/v1`);
  const health = await wrong.provider.check(AbortSignal.timeout(20_000));
  assert.deepEqual(health, {
    ok: false,
    detail: `The server does not list the model qwen-image. It lists ${model}.`,
  });
  const refused = await failureOf(wrong.provider.generate(request(), run()));
  assert.deepEqual([refused.kind, refused.proven], ['model_not_found', undefined]);
});

it('vLLM-Omni refuses more images than its model takes: another route is tried, and none is closed', async () => {
  await using bench = await open(startVllmOmni, model, 14);
  const refused = await failureOf(bench.provider.generate(request({ inputs: await inputs(5) }), run()));
  assert.deepEqual([refused.kind, refused.proven], ['unsupported', undefined]);
  assert.match(refused.detail ?? '', /At most 4 images/);
});

it('SGLang-diffusion uses its only model, whatever the name', async () => {
  await using bench = await open(startSglang, 'flux');
  const health = await bench.provider.check(AbortSignal.timeout(20_000));
  assert.equal(health.ok, true);
});
