import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAzure } from '../../src/upstream/providers/azure/azure.ts';
import { createBfl } from '../../src/upstream/providers/bfl/bfl.ts';
import { createFal } from '../../src/upstream/providers/fal/fal.ts';
import { createOpenAi } from '../../src/upstream/providers/openai/openai.ts';
import { pick } from '../../src/upstream/providers/pick.ts';
import type { ImageOptions } from '../../src/upstream/providers/provider.ts';
import { azureKey, startAzure } from '../emulators/azure.ts';
import { bflKey, startBfl } from '../emulators/bfl.ts';
import { falKey, startFal } from '../emulators/fal.ts';
import { openAiKey, startOpenAi } from '../emulators/openai.ts';
import { sampleImage } from '../emulators/sample-image.ts';
import { closing, guard, input, inputs, request, run } from './requests.ts';

const size = { width: 20, height: 16 };
const mask = input(await sampleImage(size), { ...size, mediaType: 'image/png' });
const options: ImageOptions = {
  background: 'transparent',
  mask,
};
// The result is encoded only once, by us, in the format that the client wants.
const names = ['background', 'output_format'];

async function openAi(model: string) {
  const emulator = await startOpenAi();
  const settings = { model, baseUrl: `${emulator.url}/v1` };
  return closing({ provider: createOpenAi(settings, { apiKey: openAiKey }, guard), emulator });
}

async function azure(model: string) {
  const emulator = await startAzure();
  const settings = { model, baseUrl: emulator.url };
  return closing({ provider: createAzure(settings, { apiKey: azureKey }, guard), emulator });
}

for (const [server, open] of Object.entries({ openai: openAi, azure })) {
  it(`${server} gets an image’s options, and an edit’s mask, as far as its family has them`, async () => {
    await using bench = await open('gpt-image-1.5');
    await bench.provider.generate(request({ options }), run());
    await bench.provider.generate(request({ options, inputs: await inputs(2) }), run());
    const [generation, edit] = bench.emulator.of('generate');
    const sent = generation?.json();
    assert.deepEqual(
      names.map((name) => pick(sent, name)),
      ['transparent', 'png'],
    );
    const form = await edit?.form();
    assert.deepEqual(
      names.map((name) => form?.get(name)),
      ['transparent', 'png'],
    );
    const file = form?.get('mask');
    assert.ok(file instanceof Blob);
    assert.deepEqual([file.type, file.size], ['image/png', mask.bytes]);

    await using later = await open('gpt-image-2.5-flare');
    await later.provider.generate(request({ options, inputs: await inputs(1) }), run());
    assert.equal((await later.emulator.of('generate')[0]?.form())?.get('background'), 'transparent');
    await using opaque = await open('gpt-image-2');
    assert.ok(!opaque.provider.capabilities.options?.includes('background'));
  });
}

it('a local server gets no options, because it may not have them', async () => {
  await using bench = await openAi('sd');
  assert.deepEqual(bench.provider.capabilities.options, []);
  await bench.provider.generate(request({ options }), run());
  const sent = bench.emulator.of('generate')[0]?.json();
  for (const name of names) assert.equal(pick(sent, name), undefined, name);
});

it('fal and Black Forest Labs get a request for PNG, FLUX 3 has no format', async () => {
  await using fal = await startFal();
  const falSettings = { model: 'fal-ai/nano-banana-pro', baseUrl: fal.url, pollMs: 10 };
  await using onFal = closing({ provider: createFal(falSettings, { key: falKey }, guard) });
  await onFal.provider.generate(request({ options }), run());
  assert.equal(pick(fal.of('submit')[0]?.json(), 'output_format'), 'png');
  for (const [model, format] of [
    ['flux-2-pro', 'png'],
    ['flux-3-image', undefined],
  ] as const) {
    await using bfl = await startBfl();
    const settings = { model, baseUrl: `${bfl.url}/v1`, pollMs: 10 };
    await using onBfl = closing({ provider: createBfl(settings, { apiKey: bflKey }, guard) });
    await onBfl.provider.generate(request({ options }), run());
    assert.equal(pick(bfl.of('submit')[0]?.json(), 'output_format'), format);
  }
});
