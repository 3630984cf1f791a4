import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAzure } from '../../src/upstream/providers/azure/azure.ts';
import { createBfl } from '../../src/upstream/providers/bfl/bfl.ts';
import { createFal } from '../../src/upstream/providers/fal/fal.ts';
import { createGemini } from '../../src/upstream/providers/gemini/gemini.ts';
import { createOpenAi } from '../../src/upstream/providers/openai/openai.ts';
import type { Provider, ToldCharge } from '../../src/upstream/providers/provider.ts';
import { providerKinds, reportedUnits } from '../../src/upstream/providers/providers.ts';
import { createReplicate } from '../../src/upstream/providers/replicate/replicate.ts';
import { azureKey, startAzure } from '../emulators/azure.ts';
import { bflKey, startBfl } from '../emulators/bfl.ts';
import type { Emulator } from '../emulators/emulator.ts';
import { falKey, startFal } from '../emulators/fal.ts';
import { geminiKey, startGemini } from '../emulators/gemini.ts';
import { openAiKey, startOpenAi } from '../emulators/openai.ts';
import { replicateReplies, replicateToken, startReplicate } from '../emulators/replicate.ts';
import { sampleImage } from '../emulators/sample-image.ts';
import { costOf, guard, request, run } from './requests.ts';

/** As in OpenAI's reference, with separate counts for the input's text and images. */
const usage = {
  input_tokens: 50,
  input_tokens_details: { text_tokens: 10, image_tokens: 40 },
  output_tokens: 50,
  total_tokens: 100,
};
const pixels = (await sampleImage({ width: 64, height: 64 })).toString('base64');

function costAt(emulator: Emulator, provider: Provider, body: object): Promise<bigint | undefined> {
  emulator.always('generate', { body });
  return costOf(provider);
}

const openAiBody = (told: unknown) => ({ data: [{ b64_json: pixels }], usage: told });

function geminiBody(more: object): object {
  const parts = [{ inlineData: { mimeType: 'image/png', data: pixels } }];
  const usageMetadata = {
    promptTokenCount: 267,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: 9 },
      { modality: 'IMAGE', tokenCount: 258 },
    ],
    candidatesTokenCount: 1130,
    candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1120 }],
    thoughtsTokenCount: 100,
    ...more,
  };
  return { candidates: [{ content: { parts } }], usageMetadata };
}

it('OpenAI’s answer costs what its tokens cost, counted separately for text, input images and output', async () => {
  await using emulator = await startOpenAi();
  const cost = async (model: string, told: unknown) => {
    const settings = { model, baseUrl: `${emulator.url}/v1` };
    const provider = createOpenAi(settings, { apiKey: openAiKey }, guard);
    await using _ = provider as Provider & AsyncDisposable;
    return await costAt(emulator, provider, openAiBody(told));
  };
  assert.equal(await cost('gpt-image-2', usage), 1_870n, '10 × 5 + 40 × 8 + 50 × 30');
  assert.equal(await cost('gpt-image-2.6-flare', usage), 1_870n);
  assert.equal(await cost('gpt-image-1', usage), 2_450n, '10 × 5 + 40 × 10 + 50 × 40');
  assert.equal(await cost('gpt-image-1-mini', usage), 520n, '10 × 2 + 40 × 2.5 + 50 × 8');
  assert.equal(await cost('some-local-model', usage), undefined, 'no price is known');
  assert.equal(await cost('toString', usage), undefined);
  const whole = { ...usage, input_tokens_details: undefined };
  const wrong = { ...usage, output_tokens: -1 };
  const spoken = { ...usage, output_tokens_details: { text_tokens: 5, image_tokens: 45 } };
  for (const told of [undefined, whole, wrong, { ...usage, output_tokens: 1e12 }, spoken])
    assert.equal(await cost('gpt-image-2', told), undefined, 'a part of a cost is not taken for all of it');
});

it('an Azure deployment with the name of its model costs what the model costs', async () => {
  await using emulator = await startAzure();
  const cost = async (model: string) => {
    const provider = createAzure({ model, baseUrl: emulator.url }, { apiKey: azureKey }, guard);
    await using _ = provider as Provider & AsyncDisposable;
    return await costAt(emulator, provider, openAiBody(usage));
  };
  assert.equal(await cost('gpt-image-2'), 1_870n);
  assert.equal(await cost('images'), undefined);
});

it('Gemini’s answer costs what its tokens cost, with thoughts as text', async () => {
  await using emulator = await startGemini();
  const cost = async (model: string, more: object) => {
    const settings = { model, baseUrl: emulator.url };
    const provider = createGemini(settings, { apiKey: geminiKey }, guard);
    await using _ = provider as Provider & AsyncDisposable;
    return await costAt(emulator, provider, geminiBody(more));
  };
  assert.equal(await cost('gemini-3-pro-image', {}), 136_254n, '267 × 2 + 1120 × 120 + 110 × 12');
  assert.equal(await cost('gemini-3.1-flash-image', {}), 67_664n, '267 × 0.5 + 1120 × 60 + 110 × 3, rounded');
  assert.equal(
    await cost('gemini-3.1-flash-lite-image', {}),
    33_832n,
    '267 × 0.25 + 1120 × 30 + 110 × 1.5, rounded',
  );
  assert.equal(await cost('gemini-nano-banana-2.1', {}), undefined, 'images of requests have no rate');
  const ofText = { promptTokenCount: 9, promptTokensDetails: [{ modality: 'TEXT', tokenCount: 9 }] };
  assert.equal(
    await cost('gemini-nano-banana-2.1', ofText),
    34_439n,
    '9 × 1.5 + 1120 × 30 + 110 × 7.5, rounded',
  );
  assert.equal(await cost('gemini-of-tomorrow', {}), undefined);
  const without = [{ candidatesTokensDetails: undefined }, { cachedContentTokenCount: 200 }];
  for (const more of [...without, { promptTokenCount: '9' }, { candidatesTokenCount: 3 }])
    assert.equal(await cost('gemini-3-pro-image', more), undefined);
});

it('an official Replicate model costs its price per output image, and others cost what their routes say', async () => {
  await using emulator = await startReplicate();
  const cost = async (model: string) => {
    const settings = { model, baseUrl: `${emulator.url}/v1`, pollMs: 10 };
    const provider = createReplicate(settings, { token: replicateToken }, guard);
    await using _ = provider as Provider & AsyncDisposable;
    return await costOf(provider);
  };
  assert.equal(await cost('black-forest-labs/flux-schnell'), 3_000n);
  const link = `${emulator.url}/files/out.png`;
  emulator.answer('status', replicateReplies.ended('succeeded', null, [link, link]));
  assert.equal(await cost('black-forest-labs/flux-schnell'), 6_000n, 'for both');
  assert.equal(await cost('someone/model'), undefined);
});

it('fal’s result costs the units that it bills, at its model’s price', async () => {
  await using emulator = await startFal();
  const cost = async (model: string, units: string) => {
    emulator.units = units;
    const provider = createFal({ model, baseUrl: emulator.url, pollMs: 10 }, { key: falKey }, guard);
    await using _ = provider as Provider & AsyncDisposable;
    return await costOf(provider);
  };
  assert.equal(await cost('fal-ai/nano-banana-2', '1'), 80_000n);
  assert.equal(await cost('fal-ai/nano-banana-2', '1.5'), 120_000n, 'in 2K');
  assert.equal(await cost('fal-ai/nano-banana-pro', '2'), 300_000n, 'in 4K');
  for (const units of ['', 'many', '-1', '1e9'])
    assert.equal(await cost('fal-ai/nano-banana-2', units), undefined);
  assert.equal(await cost('someone/model', '1'), undefined);
});

it('answers report use in exactly the units that are listed for their provider', async () => {
  await using openAi = await startOpenAi();
  openAi.always('generate', { body: openAiBody(usage) });
  await using azure = await startAzure();
  azure.always('generate', { body: openAiBody(usage) });
  await using gemini = await startGemini();
  gemini.always('generate', { body: geminiBody({}) });
  await using replicate = await startReplicate();
  await using bfl = await startBfl();
  await using fal = await startFal();
  const at = ({ url }: Emulator, model: string) => ({ model, baseUrl: `${url}/v1`, pollMs: 10 });
  const told = new Map<string, string[]>();
  for (const provider of [
    createOpenAi(at(openAi, 'gpt-image-2'), { apiKey: openAiKey }, guard),
    createAzure({ model: 'gpt-image-2', baseUrl: azure.url }, { apiKey: azureKey }, guard),
    createGemini({ model: 'gemini-3-pro-image', baseUrl: gemini.url }, { apiKey: geminiKey }, guard),
    createReplicate(at(replicate, 'someone/model'), { token: replicateToken }, guard),
    createFal({ ...at(fal, 'fal-ai/nano-banana-2'), baseUrl: fal.url }, { key: falKey }, guard),
    createBfl(at(bfl, 'flux-2-pro'), { apiKey: bflKey }, guard),
  ]) {
    await using _ = provider as Provider & AsyncDisposable;
    const onCharge = ({ used = {} }: ToldCharge) => void told.set(provider.id, Object.keys(used));
    await provider.generate(request(), run({ onCharge }));
  }
  const units = providerKinds.map((kind) => [kind, reportedUnits(kind)] as const);
  assert.deepEqual(told, new Map(units.filter(([, listed]) => listed.length > 0)));
});
