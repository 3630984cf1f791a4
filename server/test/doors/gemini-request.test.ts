import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toModel } from '../../src/upstream/catalog/model-definition.ts';
import type { Model } from '../../src/upstream/catalog/models.ts';
import { specifiedModels } from '../../src/upstream/catalog/specified-models.ts';
import { InvalidRequest } from '../../src/web/doors/gemini/fields.ts';
import { readRequest } from '../../src/web/doors/gemini/read-request.ts';

const models = new Map(specifiedModels.map((definition) => [definition.id, toModel(definition, 1)]));
const model = (id: string, over: Partial<Model> = {}): Model => {
  const found = models.get(id);
  assert.ok(found);
  return { ...found, ...over };
};
const nb = model('nb');
const pro = model('pro');
const user = (...parts: object[]) => ({ role: 'user', parts });
const image = { inlineData: { mimeType: 'image/png', data: 'aGk=' } };
const fox = { contents: [user({ text: 'a fox' })] };

const wishOf = (body: unknown, of: Model = pro) => readRequest(body, of);

function fieldsOf(body: unknown, of: Model = pro): string[] {
  try {
    readRequest(body, of);
    return [];
  } catch (error) {
    assert.ok(error instanceof InvalidRequest);
    return error.violations.map(({ field }) => field);
  }
}

test('texts and images become a prompt and inputs, in camelCase as in snake_case', () => {
  const camel = wishOf({
    systemInstruction: { parts: [{ text: 'Paint in oil.' }] },
    contents: [
      user({ text: 'a fox' }, image, { text: 'at night' }, { fileData: { fileUri: 'https://a.example/b' } }),
    ],
    generationConfig: {
      responseModalities: ['Text', 'IMAGE'],
      imageConfig: { aspectRatio: '16:9', imageSize: '2K' },
    },
  });
  assert.deepEqual(camel, {
    prompt: 'Paint in oil.\n\na fox\nat night',
    inputs: [
      { field: 'contents[0].parts[1].inlineData.data', data: 'aGk=' },
      { field: 'contents[0].parts[3].fileData.fileUri', url: 'https://a.example/b' },
    ],
    aspectRatio: '16:9',
    resolution: '2K',
    parameters: {},
    metadata: null,
    output: null,
    ignored: [],
  });
  const snake = wishOf({
    system_instruction: { parts: { text: 'Paint in oil.' } },
    contents: {
      parts: [
        { text: 'a fox' },
        { inline_data: { mime_type: 'image/png', data: 'aGk=' } },
        { text: 'at night' },
        { file_data: { file_uri: 'https://a.example/b', mime_type: 'image/jpeg' } },
      ],
    },
    generation_config: {
      response_modalities: ['IMAGE'],
      image_config: { aspect_ratio: '16:9', image_size: '2K' },
    },
  });
  assert.deepEqual({ ...snake, inputs: snake.inputs.length }, { ...camel, inputs: 2 });
});

test('from a conversation, the model’s latest image and the texts after it are used', () => {
  const answer = {
    role: 'model',
    parts: [
      { text: 'thinking', thought: true },
      { ...image, thoughtSignature: 'c2ln' },
    ],
  };
  const chat = {
    contents: [user({ text: 'a fox' }, image, image), answer, user({ text: 'at night' }, image)],
  };
  const { prompt, inputs } = wishOf(chat);
  assert.equal(prompt, 'at night');
  assert.deepEqual(
    inputs.map(({ field }) => field),
    ['contents[1].parts[1].inlineData.data', 'contents[2].parts[1].inlineData.data'],
  );
  const talk = {
    contents: [
      user({ text: 'a car' }),
      { role: 'model', parts: [{ text: 'Which?' }] },
      user({ text: 'red' }),
    ],
  };
  assert.equal(wishOf(talk).prompt, 'a car\n\nWhich?\n\nred');
});

test('settings that do not affect images are accepted, and those of parameters reach the model', () => {
  const generationConfig = {
    temperature: 1,
    topP: 0.95,
    top_k: 64,
    maxOutputTokens: 8_192,
    stopSequences: ['x'],
    candidateCount: 1,
    responseMimeType: 'text/plain',
    thinkingConfig: { includeThoughts: true, thinkingBudget: 100 },
    seed: null,
  };
  const safetySettings = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }];
  wishOf({ ...fox, generationConfig, safetySettings, tools: [], model: 'models/pro' });
  const sampling = { seed: 1, temperature: 0.2, top_p: 0.1, topK: 1 };
  assert.deepEqual(wishOf({ ...fox, generationConfig: sampling }).ignored, [
    'seed',
    'temperature',
    'topP',
    'topK',
  ]);
  const seeded = model('nb2', { parameters: { seed: { type: 'integer', maximum: 10 } } });
  assert.deepEqual(wishOf({ ...fox, generationConfig: { seed: 7 } }, seeded).parameters, { seed: 7 });
  assert.deepEqual(fieldsOf({ ...fox, generationConfig: { seed: 11 } }, seeded), ['generationConfig.seed']);
});

test('options that cannot be honoured are refused by name, all at once', () => {
  const config = (fields: object) => ({ ...fox, generationConfig: fields });
  const refused: [unknown, string[], Model?][] = [
    [config({ candidateCount: 2 }), ['generationConfig.candidateCount']],
    [config({ responseModalities: ['TEXT'] }), ['generationConfig.responseModalities[0]']],
    [config({ responseModalities: ['IMAGE', 'AUDIO'] }), ['generationConfig.responseModalities[1]']],
    [config({ imageConfig: { aspectRatio: '7:3' } }), ['generationConfig.imageConfig.aspectRatio']],
    [config({ image_config: { aspect_ratio: '1:8' } }), ['generationConfig.image_config.aspect_ratio'], nb],
    [config({ imageConfig: { imageSize: '2K' } }), ['generationConfig.imageConfig.imageSize'], nb],
    [config({ imageConfig: { imageSize: '8K' } }), ['generationConfig.imageConfig.imageSize']],
    [
      config({ imageConfig: { personGeneration: 'ALLOW_ALL' } }),
      ['generationConfig.imageConfig.personGeneration'],
    ],
    [
      config({ imageConfig: { outputMimeType: 'image/jpeg' } }),
      ['generationConfig.imageConfig.outputMimeType'],
    ],
    [
      config({ responseMimeType: 'application/json', responseSchema: { type: 'OBJECT' } }),
      ['generationConfig.responseMimeType', 'generationConfig.responseSchema'],
    ],
    [
      config({ thinkingConfig: { thinkingLevel: 'HIGH' } }),
      ['generationConfig.thinkingConfig.thinkingLevel'],
    ],
    [
      { ...fox, tools: [{ googleSearch: {} }], cachedContent: 'x', labels: { a: 1 } },
      ['tools', 'cachedContent', 'labels'],
    ],
    [{ ...fox, safetySettings: [{ threshold: 'BLOCK_LOW_AND_ABOVE' }] }, ['safetySettings[0].threshold']],
    [{}, ['contents']],
    [[], ['body']],
    [{ contents: [user(image)] }, ['contents']],
    [{ contents: 'a fox' }, ['contents']],
    [
      { contents: [{ role: 'tool', parts: [{ text: 1 }] }] },
      ['contents[0].parts[0].text', 'contents[0].role'],
    ],
    [
      { contents: [user({ text: 'x' }, { functionCall: { name: 'y' } })] },
      ['contents[0].parts[1].functionCall'],
    ],
    [
      { contents: [user({ text: 'x' }, { inlineData: { mimeType: 'application/pdf', data: 'aGk=' } })] },
      ['contents[0].parts[1].inlineData.mimeType'],
    ],
    [
      { contents: [user({ text: 'x' }, { inlineData: { mimeType: 'image/png' } })] },
      ['contents[0].parts[1].inlineData'],
    ],
    [
      { contents: [user({ text: 'x' }, { fileData: { fileUri: 'gs://bucket/a.png' } })] },
      ['contents[0].parts[1].fileData.fileUri'],
    ],
    [
      { contents: [user({ text: 'x' }, ...Array(15).fill(image))] },
      ['contents[0].parts[15].inlineData.data'],
    ],
    [
      { contents: [user({ text: 'x' }, image)] },
      ['contents[0].parts[1].inlineData.data'],
      model('pro', { modes: ['text'] }),
    ],
    [fox, ['contents'], model('pro', { modes: ['url'] })],
    [{ ...fox, systemInstruction: { parts: [image] } }, ['systemInstruction.parts[0].inlineData.data']],
    [{ ...fox, generationConfig: {}, generation_config: {} }, ['generation_config']],
  ];
  for (const [body, fields, of] of refused)
    assert.deepEqual(fieldsOf(body, of).toSorted(), fields.toSorted(), JSON.stringify(body).slice(0, 200));
});
