import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createGoogle } from '@ai-sdk/google';
import { ApiError, GoogleGenAI, Modality } from '@google/genai';
import { generateImage } from 'ai';
import { ProviderError } from '../../src/upstream/providers/provider.ts';
import { plainPng } from '../world/provider.ts';
import { openWorld, type World } from '../world/world.ts';

// Google's own client and the AI SDK, unchanged except for address and key, against a whole server.
let world: World;
let google: GoogleGenAI;
before(async () => {
  world = await openWorld();
  google = new GoogleGenAI({ apiKey: world.key, httpOptions: { baseUrl: world.url } });
});
after(() => world[Symbol.asyncDispose]());

const png = plainPng(64, 48).toString('base64');
const inlineData = { mimeType: 'image/png', data: png };

test('@google/genai makes an image from a text, with a ratio and a size', async () => {
  const earlier = await world.balance();
  const answer = await google.models.generateContent({
    model: 'gemini-3-pro-image',
    contents: 'a fox',
    config: { responseModalities: [Modality.IMAGE], imageConfig: { aspectRatio: '16:9', imageSize: '2K' } },
  });
  assert.deepEqual(sizeOf(answer.data), [2752, 1536]);
  assert.equal(answer.candidates?.[0]?.finishReason, 'STOP');
  assert.equal(answer.modelVersion, 'pro');
  const { body } = await world.send('GET', `/jobs/${answer.responseId}`);
  assert.deepEqual([body.status, body.model, body.prompt, body.price], ['done', 'pro', 'a fox', '0.10']);
  assert.equal(answer.sdkHttpResponse?.headers?.['darkroom-job-id'], answer.responseId);
  assert.deepEqual([earlier.balance, (await world.balance()).balance], ['100.00', '99.90']);
});

test('the request’s images, inline and by address, become the job’s inputs, and nothing else of them is kept', async () => {
  const first = await google.models.generateContent({ model: 'nb', contents: 'a fox' });
  const { result } = await world.finished(String(first.responseId));
  const { image_url: fileUri } = result as { image_url: string };
  const answer = await google.models.generateContent({
    model: 'gemini-2.5-flash-image',
    contents: ['make it night', { inlineData }, { fileData: { fileUri, mimeType: 'image/png' } }],
  });
  const { request } = lastRequest();
  assert.deepEqual(
    request.inputs.map(({ width }) => width),
    [64, 1024],
  );
  // Like Google's, it has the shape of the first image.
  assert.deepEqual(sizeOf(answer.data), [1184, 864]);
  const { uploads, files } = await kept();
  assert.deepEqual([uploads, files], [[], []]);
});

test('a stream is the whole answer in one chunk', async () => {
  const chunks = [];
  for await (const chunk of await google.models.generateContentStream({ model: 'nb', contents: 'a fox' }))
    chunks.push(chunk);
  assert.equal(chunks.length, 1);
  assert.deepEqual(sizeOf(chunks[0]?.data), [1024, 1024]);
  // Without `alt=sse`, a list of chunks.
  const list = await post('nb:streamGenerateContent', { contents: [{ parts: [{ text: 'a fox' }] }] });
  assert.equal(list.body.length, 1);
  assert.deepEqual(sizeOf(list.body[0].candidates[0].content.parts[0].inlineData.data), [1024, 1024]);
});

test('a chat continues from its latest image', async () => {
  const chat = google.chats.create({ model: 'gemini-3-pro-image-preview' });
  const first = await chat.sendMessage({ message: ['a fox', { inlineData }] });
  await chat.sendMessage({ message: 'at night' });
  const { request } = lastRequest();
  assert.equal(request.prompt, 'at night');
  assert.deepEqual(
    request.inputs.map(({ width, height }) => [width, height]),
    [sizeOf(first.data)],
  );
});

test('the models are listed under our names and under Google’s, as far as the key may use them', async () => {
  const names = [];
  for await (const { name } of await google.models.list()) names.push(name);
  assert.deepEqual(names.slice(0, 3), ['models/nb', 'models/nb2', 'models/pro']);
  assert.ok(names.includes('models/gemini-3-pro-image'));
  const model = await google.models.get({ model: 'gemini-2.5-flash-image' });
  assert.deepEqual([model.name, model.displayName], ['models/gemini-2.5-flash-image', 'Fast']);
  const { key } = await world.account('fast only', { models: ['nb'] });
  const limited = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: world.url, apiVersion: 'v1beta' } });
  const some = [];
  for await (const { name } of await limited.models.list()) some.push(name);
  assert.ok(some.includes('models/nb') && !some.includes('models/pro'), String(some));
  assert.equal(await statusOf(limited.models.generateContent({ model: 'pro', contents: 'x' })), 403);
  assert.equal(await statusOf(google.models.get({ model: 'gemini-9-pro' })), 404);
});

test('the AI SDK makes images from texts and from images', async () => {
  const sdk = createGoogle({ apiKey: world.key, baseURL: `${world.url}/v1beta` });
  const { image } = await generateImage({
    model: sdk.image('gemini-3-pro-image'),
    prompt: { text: 'make it night', images: [plainPng(64, 48)] },
    aspectRatio: '4:3',
    maxRetries: 0,
  });
  assert.deepEqual(sizeOf(image.base64), [1200, 896]);
  assert.equal(lastRequest().request.inputs.length, 1);
  const two = await generateImage({ model: sdk.image('gemini-3-pro-image'), prompt: 'a fox', n: 2 });
  assert.equal(two.images.length, 2);
  await assert.rejects(generateImage({ model: sdk.image('gemini-9-image'), prompt: 'a fox' }), {
    name: 'AI_APICallError',
    statusCode: 404,
    message: /^models\/gemini-9-image is not found\./,
  });
});

test('failed jobs are reported in Google’s form, and cost nothing', async () => {
  const earlier = await world.balance();
  const cases = [
    { kind: 'safety_blocked', finishReason: 'IMAGE_SAFETY' },
    { kind: 'no_image', finishReason: 'NO_IMAGE' },
    { kind: 'invalid_input', status: 400 },
    { kind: 'auth', status: 400 },
  ] as const;
  for (const { kind, ...expected } of cases) {
    world.provider.handler = async () => {
      throw new ProviderError(kind, `It was ${kind}.`);
    };
    const made = google.models.generateContent({ model: 'nb', contents: 'a fox' });
    if ('status' in expected) {
      assert.equal(await statusOf(made), expected.status, kind);
      continue;
    }
    const { candidates, responseId } = await made;
    const [candidate] = candidates ?? [];
    assert.equal(candidate?.finishReason, expected.finishReason);
    assert.equal(candidate?.content?.parts, undefined);
    assert.equal((await world.finished(String(responseId))).error_code, kind);
  }
  world.provider.handler = async (request) => world.provider.answer(request);
  assert.deepEqual(await world.balance(), earlier);
});

test('a request with an Idempotency-Key gives the same image again, charged once', async () => {
  const httpOptions = { headers: { 'idempotency-key': 'a-key' } };
  const ask = (text: string) =>
    google.models.generateContent({ model: 'nb', contents: [text, { inlineData }], config: { httpOptions } });
  const first = await ask('a fox');
  const earlier = await world.balance();
  const second = await ask('a fox');
  assert.equal(second.responseId, first.responseId);
  assert.equal(second.data, first.data);
  assert.deepEqual(await world.balance(), earlier);
  assert.equal(await statusOf(ask('another fox')), 400);
});

test('a key is accepted in either header, and never in the URL', async () => {
  const url = `${world.url}/v1beta/models`;
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(url + path, { headers });
    const { error } = JSON.parse(await answer.text());
    return [answer.status, error?.status, error?.details[0].reason, /in the URL/.test(error?.message)];
  };
  assert.deepEqual(await ask('', { authorization: `Bearer ${world.key}` }), [
    200,
    undefined,
    undefined,
    false,
  ]);
  const inUrl = [401, 'UNAUTHENTICATED', 'API_KEY_INVALID', true];
  assert.deepEqual(await ask(`?key=${world.key}`), inUrl);
  assert.deepEqual(await ask(`?key=${world.key}`, { 'x-goog-api-key': world.key }), inUrl);
  assert.deepEqual(await ask(''), [401, 'UNAUTHENTICATED', 'API_KEY_INVALID', false]);
  assert.deepEqual((await ask('/x/y', { 'x-goog-api-key': world.key })).slice(0, 2), [404, 'NOT_FOUND']);
});

function sizeOf(data: string | undefined): number[] {
  const bytes = Buffer.from(data ?? '', 'base64');
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

function lastRequest() {
  const last = world.provider.requests.at(-1);
  assert.ok(last);
  return last;
}

async function statusOf(call: Promise<unknown>): Promise<number> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ApiError, String(error));
  return error.status;
}

async function kept() {
  const uploads = await world.app.database.read.selectFrom('uploads').select('id').execute();
  const files = [];
  for await (const { key } of world.app.images.list('uploads/')) files.push(key);
  return { uploads, files };
}

async function post(call: string, body: object) {
  const response = await fetch(`${world.url}/v1beta/models/${call}`, {
    method: 'POST',
    headers: { 'x-goog-api-key': world.key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

test("at the address where Google's clients send files, the refusal has Google's form", async () => {
  const answer = await fetch(`${world.url}/upload/v1beta/files`, { method: 'POST', body: 'x' });
  const { error } = JSON.parse(await answer.text());
  assert.deepEqual([answer.status, error.code, error.status], [404, 404, 'NOT_FOUND']);
});

test('sampling settings that match no parameter are ignored, and the answer says so', async () => {
  const answer = await google.models.generateContent({
    model: 'nb2',
    contents: 'a fox',
    config: { seed: 7, temperature: 0.2 },
  });
  assert.equal(answer.sdkHttpResponse?.headers?.['x-darkroom-ignored'], 'seed, temperature');
});
