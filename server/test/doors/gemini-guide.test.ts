import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { ApiError, GoogleGenAI } from '@google/genai';
import { openWorld, type World } from '../world/world.ts';

// Tries every row of the guide's tables: refused options are refused as the row says, and the others work.
let world: World;
let google: GoogleGenAI;
before(async () => {
  world = await openWorld();
  google = new GoogleGenAI({ apiKey: world.key, httpOptions: { baseUrl: world.url } });
});
after(() => world[Symbol.asyncDispose]());

const text = { text: 'a fox' };
const inlineData = {
  mimeType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
};
const parts = (...list: object[]) => ({ contents: [{ role: 'user', parts: list }] });
const config = (generationConfig: object) => ({ ...parts(text), generationConfig });
const image = (imageConfig: object) => config({ imageConfig });

const fields: Record<string, () => object | Promise<object>> = {
  '`contents[].parts[].text`': () => parts(text, text),
  '`contents[].parts[].inlineData`': () => parts(text, { inlineData }),
  '`contents[].parts[].fileData`': async () => parts(text, { fileData: { fileUri: await ownImage() } }),
  '`contents[].parts[].fileData` of `gs://`': () =>
    parts(text, { fileData: { fileUri: 'gs://bucket/a.png' } }),
  '`contents[].parts[].functionCall`': () => parts(text, { functionCall: { name: 'x' } }),
  '`contents` of several turns': () => ({
    contents: [
      { role: 'user', parts: [text] },
      { role: 'model', parts: [{ inlineData }] },
      { role: 'user', parts: [{ text: 'at night' }] },
    ],
  }),
  '`systemInstruction`': () => ({
    ...parts(text),
    systemInstruction: { parts: [{ text: 'Paint in oil.' }] },
  }),
  '`imageConfig.aspectRatio`': () => image({ aspectRatio: '16:9' }),
  '`imageConfig.aspectRatio` of no model': () => image({ aspectRatio: '7:3' }),
  '`imageConfig.imageOutputOptions`': () =>
    image({ imageOutputOptions: { mimeType: 'image/jpeg', compressionQuality: 80 } }),
  '`imageConfig.imageSize`': () => image({ imageSize: '4K' }),
  '`imageConfig.imageSize` of no model': () => image({ imageSize: '8K' }),
  '`responseModalities` with `IMAGE`': () => config({ responseModalities: ['TEXT', 'IMAGE'] }),
  '`responseModalities` without `IMAGE`': () => config({ responseModalities: ['TEXT'] }),
  '`candidateCount: 1`': () => config({ candidateCount: 1 }),
  '`candidateCount: 2`': () => config({ candidateCount: 2 }),
  '`seed`': () => config({ seed: 1 }),
  '`temperature: 1`, `topP: 0.95`, `topK: 64`': () => config({ temperature: 1, topP: 0.95, topK: 64 }),
  '`temperature: 0.2`': () => config({ temperature: 0.2 }),
  '`maxOutputTokens`, `stopSequences`': () => config({ maxOutputTokens: 10, stopSequences: ['x'] }),
  '`responseMimeType: application/json`': () => config({ responseMimeType: 'application/json' }),
  '`responseSchema`': () => config({ responseSchema: { type: 'OBJECT' } }),
  '`thinkingConfig.thinkingBudget`, `includeThoughts`': () =>
    config({ thinkingConfig: { thinkingBudget: 1, includeThoughts: true } }),
  '`thinkingConfig.thinkingLevel`': () => config({ thinkingConfig: { thinkingLevel: 'HIGH' } }),
  '`safetySettings` that allow more': () => safety('BLOCK_NONE'),
  '`safetySettings` that are stricter': () => safety('BLOCK_LOW_AND_ABOVE'),
  '`labels`': () => ({ ...parts(text), labels: { team: 'design' } }),
  '`tools`': () => ({ ...parts(text), tools: [{ googleSearch: {} }] }),
  '`cachedContent`': () => ({ ...parts(text), cachedContent: 'cachedContents/x' }),
};

const model = 'gemini-3-pro-image';
const contents = 'a fox';
const methods: Record<string, () => Promise<unknown>[]> = {
  '`models.generateContent`': () => [google.models.generateContent({ model, contents })],
  '`models.generateContentStream`': () => [all(google.models.generateContentStream({ model, contents }))],
  '`chats.create`, `sendMessage`, `sendMessageStream`': () => {
    const chat = google.chats.create({ model });
    return [
      chat
        .sendMessage({ message: contents })
        .then(() => all(chat.sendMessageStream({ message: 'at night' }))),
    ];
  },
  '`models.list`, `models.get`': () => [all(google.models.list()), google.models.get({ model })],
  '`models.countTokens`': () => [google.models.countTokens({ model, contents })],
  '`models.embedContent`': () => [google.models.embedContent({ model, contents })],
  '`batches.create`': () => [google.batches.create({ model, src: [{ contents: [{ parts: [text] }] }] })],
  '`interactions.create`, `get`, `delete`': () => [
    google.interactions
      .create({ model, input: contents })
      .then(({ id }) => google.interactions.get(id))
      .then(({ id }) => google.interactions.delete(id)),
  ],
  '`files.upload`': () => [google.files.upload({ file: new Blob(['x']), config: { mimeType: 'image/png' } })],
  '`models.generateImages`, `editImage`, `upscaleImage`': () => [
    google.models.generateImages({ model, prompt: contents }),
    google.models.editImage({ model, prompt: contents, referenceImages: [] }),
    google.models.upscaleImage({ model, image: {}, upscaleFactor: 'x2' }),
  ],
};

const rows = new Map(
  [
    ...readFileSync(new URL('../../../docs/guides/gemini.md', import.meta.url), 'utf8').matchAll(
      /^\| (.+) \| ((?:works|refused).*) \|$/gm,
    ),
  ].map(([, name = '', verdict = '']) => [name, verdict]),
);

test('the guide has a row for each field and method here, and no other', () => {
  assert.deepEqual([...rows.keys()], [...Object.keys(fields), ...Object.keys(methods)]);
});

for (const [name, body] of Object.entries(fields)) {
  test(`guide: ${name}: ${rows.get(name)}`, async () => {
    const answer = await fetch(`${world.url}/v1beta/models/${model}:generateContent`, {
      method: 'POST',
      headers: { 'x-goog-api-key': world.key, 'content-type': 'application/json' },
      body: JSON.stringify(await body()),
    });
    const json = JSON.parse(await answer.text());
    const [, field] = /^refused: 400 `([^`]+)`/.exec(rows.get(name) ?? '') ?? [];
    if (field === undefined)
      return assert.equal(json.candidates?.[0]?.finishReason, 'STOP', JSON.stringify(json));
    assert.deepEqual([answer.status, json.error.status], [400, 'INVALID_ARGUMENT']);
    const request = json.error.details.find((one: object) => 'fieldViolations' in one);
    assert.deepEqual(
      request.fieldViolations.map((one: { field: string }) => one.field),
      [field],
    );
  });
}

for (const [name, call] of Object.entries(methods)) {
  test(`guide: ${name}: ${rows.get(name)}`, async () => {
    const [, status] = /^refused: (404|by the client)/.exec(rows.get(name) ?? '') ?? [];
    for (const made of call()) {
      if (status === undefined) await made;
      else
        await assert.rejects(made, (error: Error) =>
          status === '404' ? statusOf(error) === 404 : !(error instanceof ApiError),
        );
    }
  });
}

/** The client's newer APIs have separate error classes; a refused upload has only a message. */
function statusOf(error: Error): number {
  if ('status' in error) return Number(error.status);
  return /upload url/.test(error.message) ? 404 : 0;
}

function safety(threshold: string) {
  return { ...parts(text), safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold }] };
}

async function ownImage(): Promise<string> {
  const { result } = await world.finished(await world.create());
  return (result as { image_url: string }).image_url; // a done job has a result
}

async function all(stream: Promise<AsyncIterable<unknown>>): Promise<void> {
  for await (const _one of await stream);
}
