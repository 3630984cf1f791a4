import assert from 'node:assert/strict';
import { it } from 'node:test';
import { BedrockRuntimeClient, InvokeModelCommand } from '@aws-sdk/client-bedrock-runtime';
import { createFalClient } from '@fal-ai/client';
import { GoogleGenAI } from '@google/genai';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { OAuth2Client } from 'google-auth-library';
import OpenAI, { AzureOpenAI, toFile } from 'openai';
import Replicate from 'replicate';
import { createAzure } from '../../src/upstream/providers/azure/azure.ts';
import { createBedrock } from '../../src/upstream/providers/bedrock/bedrock.ts';
import { createFal } from '../../src/upstream/providers/fal/fal.ts';
import { createGemini } from '../../src/upstream/providers/gemini/gemini.ts';
import { createOpenAi } from '../../src/upstream/providers/openai/openai.ts';
import type { InputImage } from '../../src/upstream/providers/provider.ts';
import { createReplicate } from '../../src/upstream/providers/replicate/replicate.ts';
import { azureKey, startAzure } from '../emulators/azure.ts';
import { bedrockCredentials, startBedrock } from '../emulators/bedrock.ts';
import type { Recorded } from '../emulators/emulator.ts';
import { falKey, startFal } from '../emulators/fal.ts';
import { geminiKey, startGemini } from '../emulators/gemini.ts';
import { openAiKey, startOpenAi } from '../emulators/openai.ts';
import { replicateToken, startReplicate } from '../emulators/replicate.ts';
import { closing, guard, inputs, request, run } from './requests.ts';

const httpOf = (baseUrl: string) => ({ baseUrl, apiVersion: 'v1beta' });
const wide = { aspectRatio: '16:9', resolution: '2K', width: 2752, height: 1536 };

for (const count of [0, 2]) {
  const given = `with ${count} inputs`;

  it(`gemini ${given} sends what @google/genai sends`, async () => {
    await using emulator = await startGemini();
    const model = 'gemini-3-pro-image';
    const wanted = request({ ...wide, inputs: await inputs(count) });
    await using ours = closing({
      provider: createGemini({ model, baseUrl: emulator.url }, { apiKey: geminiKey }, guard),
    });
    const made = await ours.provider.generate(wanted, run());

    const theirs = new GoogleGenAI({ apiKey: geminiKey, httpOptions: httpOf(emulator.url) });
    const answer = await theirs.models.generateContent(await genAiCall(model, wanted.inputs));
    assert.equal(answer.data, Buffer.from(made.bytes).toString('base64'));
    sameRequests(emulator.of('generate'), ['x-goog-api-key', 'content-type']);
  });

  it(`gemini ${given} sends the interaction that @google/genai sends`, async () => {
    await using emulator = await startGemini();
    const model = 'gemini-3-pro-image';
    const wanted = request({ ...wide, inputs: await inputs(count) });
    const settings = { model, baseUrl: emulator.url, api: 'interactions' } as const;
    await using ours = closing({ provider: createGemini(settings, { apiKey: geminiKey }, guard) });
    const made = await ours.provider.generate(wanted, run());

    const theirs = new GoogleGenAI({ apiKey: geminiKey, httpOptions: httpOf(emulator.url) });
    const images = await Promise.all(
      wanted.inputs.map(async (each) => ({
        type: 'image' as const,
        mime_type: each.mediaType,
        data: (await wholeOf(each)).toString('base64'),
      })),
    );
    const input = [{ type: 'text' as const, text: wanted.prompt }, ...images];
    const answer = await theirs.interactions.create({
      ...{ model, input, store: false },
      response_format: { type: 'image', aspect_ratio: '16:9', image_size: '2K' },
    });
    assert.equal(answer.output_image?.data, Buffer.from(made.bytes).toString('base64'));
    sameRequests(emulator.of('interact'), ['x-goog-api-key', 'content-type']);
  });

  it(`gemini on Vertex AI ${given} sends what @google/genai sends`, async () => {
    await using emulator = await startGemini();
    const model = 'gemini-3-pro-image';
    const wanted = request({ ...wide, inputs: await inputs(count) });
    const { serviceAccount } = emulator;
    await using ours = closing({
      provider: createGemini({ model, baseUrl: emulator.url }, { serviceAccount }, guard),
    });
    await ours.provider.generate(wanted, run());

    // The client's own token flow works only with Google, so it gets the token that ours received.
    const authClient = new OAuth2Client();
    const token = emulator.of('generate')[0]?.headers.authorization?.replace('Bearer ', '') ?? '';
    authClient.setCredentials({ access_token: token, expiry_date: Date.now() + 3_600_000 });
    const theirs = new GoogleGenAI({
      vertexai: true,
      project: serviceAccount.project_id ?? '',
      location: 'global',
      googleAuthOptions: { authClient },
      httpOptions: { baseUrl: emulator.url, apiVersion: 'v1' },
    });
    await theirs.models.generateContent(await genAiCall(model, wanted.inputs));
    sameRequests(emulator.of('generate'), ['authorization', 'content-type']);
  });

  it(`fal ${given} sends what @fal-ai/client sends`, async () => {
    await using emulator = await startFal();
    const wanted = request({ ...wide, inputs: await inputs(count) });
    const settings = { model: 'fal-ai/nano-banana-pro', baseUrl: emulator.url, pollMs: 10 };
    await using ours = closing({ provider: createFal(settings, { key: falKey }, guard) });
    let remoteId = '';
    const onSubmitted = async (id: string) => {
      remoteId = id;
    };
    await ours.provider.generate(wanted, run({ onSubmitted }));
    await ours.provider.cancel?.(remoteId);

    const theirs = createFalClient({
      credentials: falKey,
      // The client knows only fal's host.
      requestMiddleware: async (call) => ({
        ...call,
        url: call.url.replace('https://queue.fal.run', emulator.url),
      }),
    });
    const uris = await Promise.all(wanted.inputs.map(dataUri));
    const references = count > 0 ? { image_urls: uris } : {};
    const shape = { aspect_ratio: '16:9', resolution: '2K', output_format: 'png' } as const;
    const endpoint = count > 0 ? 'fal-ai/nano-banana-pro/edit' : 'fal-ai/nano-banana-pro';
    const input = { prompt: wanted.prompt, num_images: 1, ...shape, ...references };
    const { request_id: requestId } = await theirs.queue.submit<string>(endpoint, { input });
    await theirs.queue.status(endpoint, { requestId });
    await theirs.queue.result(endpoint, { requestId });
    await theirs.queue.cancel(endpoint, { requestId });

    sameRequests(emulator.of('submit'), ['authorization', 'content-type']);
    for (const stage of ['status', 'result', 'cancel']) sameAddresses(emulator.of(stage), emulator.accepted);
  });

  it(`replicate ${given} sends what replicate sends`, async () => {
    await using emulator = await startReplicate();
    const wanted = request({ ...wide, inputs: await inputs(count) });
    const baseUrl = `${emulator.url}/v1`;
    const settings = { model: 'google/nano-banana-pro', baseUrl, pollMs: 10 };
    await using ours = closing({ provider: createReplicate(settings, { token: replicateToken }, guard) });
    let remoteId = '';
    const onSubmitted = async (id: string) => {
      remoteId = id;
    };
    await ours.provider.generate(wanted, run({ onSubmitted }));
    await ours.provider.cancel?.(remoteId);

    const theirs = new Replicate({ auth: replicateToken, baseUrl });
    const files = await Promise.all(
      wanted.inputs.map(async (each) => new Blob([await wholeOf(each)], { type: each.mediaType })),
    );
    const references = count > 0 ? { image_input: files } : {};
    const shape = { aspect_ratio: '16:9', resolution: '2K', output_format: 'png' };
    const prediction = await theirs.predictions.create({
      model: 'google/nano-banana-pro',
      input: { prompt: wanted.prompt, ...shape, ...references },
    });
    const done = await theirs.wait(prediction, { interval: 10 });
    assert.equal(done.status, 'succeeded');
    await theirs.predictions.cancel(prediction.id);

    // Each upload has a different id.
    const fileId = /files\/[0-9a-f-]{36}/g;
    sameRequests(emulator.of('submit'), ['authorization', 'content-type'], (json) =>
      json.replaceAll(fileId, 'files/id'),
    );
    for (const stage of ['status', 'cancel']) sameAddresses(emulator.of(stage), emulator.accepted);
    await sameUploads(emulator.of('upload'), count);
  });
}

it('openai from text sends what openai sends', async () => {
  await using emulator = await startOpenAi();
  const baseURL = `${emulator.url}/v1`;
  const settings = { model: 'gpt-image-2', baseUrl: baseURL, quality: 'high', moderation: 'low' };
  await using ours = closing({ provider: createOpenAi(settings, { apiKey: openAiKey }, guard) });
  const made = await ours.provider.generate(request(wide), run());

  const theirs = new OpenAI({ apiKey: openAiKey, baseURL, maxRetries: 0 });
  const answer = await theirs.images.generate({
    model: 'gpt-image-2',
    prompt: 'a red fox',
    n: 1,
    size: '2704x1520',
    quality: 'high',
    moderation: 'low',
    output_format: 'png',
  });
  assert.equal(answer.data?.[0]?.b64_json, Buffer.from(made.bytes).toString('base64'));
  sameRequests(emulator.of('generate'), ['authorization', 'content-type']);
});

for (const count of [1, 2]) {
  it(`openai with ${count} inputs sends what openai sends`, async () => {
    await using emulator = await startOpenAi();
    const baseURL = `${emulator.url}/v1`;
    const wanted = request({ ...wide, aspectRatio: '3:2', resolution: '1K', inputs: await inputs(count) });
    const settings = { model: 'gpt-image-1.5', baseUrl: baseURL, quality: 'high', inputFidelity: 'high' };
    await using ours = closing({ provider: createOpenAi(settings, { apiKey: openAiKey }, guard) });
    await ours.provider.generate(wanted, run());

    const theirs = new OpenAI({ apiKey: openAiKey, baseURL, maxRetries: 0 });
    const names = ['input-1.png', 'input-2.jpg'];
    const files = await Promise.all(
      wanted.inputs.map(async (each, n) => toFile(await wholeOf(each), names[n], { type: each.mediaType })),
    );
    const [first] = files;
    assert.ok(first);
    await theirs.images.edit({
      model: 'gpt-image-1.5',
      prompt: wanted.prompt,
      image: count === 1 ? first : files,
      n: 1,
      size: '1536x1024',
      quality: 'high',
      output_format: 'png',
      input_fidelity: 'high',
    });
    const [our, their, ...rest] = emulator.of('generate');
    assert.ok(our && their && rest.length === 0);
    assert.equal(our.path, their.path);
    assert.deepEqual(await fieldsOf(our), await fieldsOf(their));
  });
}

it('azure sends what AzureOpenAI sends', async () => {
  await using emulator = await startAzure();
  const settings = { model: 'gpt-image-1.5', baseUrl: emulator.url, quality: 'high', inputFidelity: 'high' };
  await using ours = closing({ provider: createAzure(settings, { apiKey: azureKey }, guard) });
  const text = request({ ...wide, aspectRatio: '3:2', resolution: '1K' });
  const edit = { ...text, inputs: await inputs(2) };
  const made = await ours.provider.generate(text, run());
  await ours.provider.generate(edit, run());
  await ours.provider.check(AbortSignal.timeout(20_000));

  const apiVersion = '2025-04-01-preview';
  const theirs = new AzureOpenAI({ endpoint: emulator.url, apiKey: azureKey, apiVersion, maxRetries: 0 });
  const shape = { n: 1, size: '1536x1024', quality: 'high', output_format: 'png' } as const;
  const common = { model: 'gpt-image-1.5', prompt: text.prompt, ...shape };
  const answer = await theirs.images.generate(common);
  assert.equal(answer.data?.[0]?.b64_json, Buffer.from(made.bytes).toString('base64'));
  const names = ['input-1.png', 'input-2.jpg'];
  const image = await Promise.all(
    edit.inputs.map(async (each, n) => toFile(await wholeOf(each), names[n], { type: each.mediaType })),
  );
  await theirs.images.edit({ ...common, image, input_fidelity: 'high' });
  for await (const model of theirs.models.list()) assert.equal(model.id, 'gpt-image-1');

  const [ourText, ourEdit, theirText, theirEdit] = emulator.of('generate');
  assert.ok(ourText && ourEdit && theirText && theirEdit);
  sameRequests([ourText, theirText], ['api-key', 'authorization', 'content-type']);
  const addressOf = ({ path, query, headers }: Recorded) => `${path}?${query} ${headers['api-key']}`;
  assert.equal(addressOf(ourEdit), addressOf(theirEdit));
  assert.deepEqual(await fieldsOf(ourEdit), await fieldsOf(theirEdit));
  const [ourList, theirList] = emulator.of('models');
  assert.ok(ourList && theirList);
  assert.equal(addressOf(ourList), addressOf(theirList));
});

it('bedrock sends what @aws-sdk/client-bedrock-runtime sends, and both signatures are valid', async () => {
  await using emulator = await startBedrock();
  const aws = { kind: 'keys', credentials: bedrockCredentials } as const;
  const theirs = bedrockClient(emulator.url);
  for (const [model, count] of [
    ['amazon.nova-canvas-v1:0', 0],
    ['amazon.nova-canvas-v1:0', 2],
    ['stability.stable-image-ultra-v1:1', 0],
    ['us.stability.sd3-5-large-v1:0', 1],
  ] as const) {
    const settings = { model, baseUrl: emulator.url };
    await using ours = closing({ provider: createBedrock(settings, { aws }, guard) });
    const shape = { aspectRatio: '16:9', width: 1376, height: 768 };
    const made = await ours.provider.generate(request({ ...shape, inputs: await inputs(count) }), run());
    const sent = emulator.of('invoke').at(-1);
    const body = sent?.body.toString() ?? '';
    const answer = await theirs.send(
      new InvokeModelCommand({
        modelId: model,
        body,
        accept: 'application/json',
        contentType: 'application/json',
      }),
    );
    const { images } = JSON.parse(answer.body.transformToString());
    assert.deepEqual(images, [Buffer.from(made.bytes).toString('base64')]);
    sameRequests(emulator.of('invoke').slice(-2), ['accept', 'content-type', 'x-amz-content-sha256']);
  }
  theirs.destroy();
});

it('the SDKs recognize the emulators’ failures', async () => {
  await using openAi = await startOpenAi();
  const ofOpenAi = new OpenAI({ apiKey: 'wrong', baseURL: `${openAi.url}/v1`, maxRetries: 0 });
  await assert.rejects(ofOpenAi.images.generate({ model: 'm', prompt: 'p' }), OpenAI.AuthenticationError);
  await using azure = await startAzure();
  const connection = { endpoint: azure.url, apiVersion: '2025-04-01-preview', maxRetries: 0 };
  const stranger = new AzureOpenAI({ ...connection, apiKey: 'wrong' });
  await assert.rejects(stranger.images.generate({ model: 'm', prompt: 'p' }), OpenAI.AuthenticationError);
  const ofAzure = new AzureOpenAI({ ...connection, apiKey: azureKey });
  await assert.rejects(ofAzure.images.generate({ model: 'nobodys', prompt: 'p' }), OpenAI.NotFoundError);
  await using bedrock = await startBedrock();
  const wrong = { ...bedrockCredentials, secretAccessKey: 'wrong' };
  for (const [credentials, modelId, name] of [
    [wrong, 'amazon.nova-canvas-v1:0', 'InvalidSignatureException'],
    [bedrockCredentials, 'nobodys', 'ValidationException'],
  ] as const) {
    const ofAmazon = bedrockClient(bedrock.url, credentials);
    await assert.rejects(ofAmazon.send(new InvokeModelCommand({ modelId, body: '{}' })), { name });
    ofAmazon.destroy();
  }
  await using gemini = await startGemini();
  const ofGemini = new GoogleGenAI({ apiKey: 'wrong', httpOptions: { baseUrl: gemini.url } });
  await assert.rejects(ofGemini.models.generateContent({ model: 'm', contents: 'p' }), {
    name: 'ApiError',
    status: 400,
  });
  await using replicate = await startReplicate();
  const ofReplicate = new Replicate({ auth: 'wrong', baseUrl: `${replicate.url}/v1` });
  await assert.rejects(ofReplicate.predictions.create({ model: 'a/b', input: {} }), { name: 'ApiError' });
  await using fal = await startFal();
  const requestMiddleware = async (call: { url: string; method: string }) => ({
    ...call,
    url: call.url.replace('https://queue.fal.run', fal.url),
  });
  const ofFal = createFalClient({ credentials: 'wrong', requestMiddleware, retry: { maxRetries: 0 } });
  await assert.rejects(ofFal.queue.submit<string>('fal-ai/x', { input: { prompt: 'p' } }), { status: 401 });
});

function bedrockClient(endpoint: string, credentials = bedrockCredentials): BedrockRuntimeClient {
  // The client's own handler speaks only HTTP/2.
  const requestHandler = new NodeHttpHandler();
  return new BedrockRuntimeClient({
    endpoint,
    region: 'us-west-2',
    credentials,
    maxAttempts: 1,
    requestHandler,
  });
}

async function genAiCall(model: string, images: readonly InputImage[]) {
  const parts = await Promise.all(
    images.map(async (each) => ({
      inlineData: { mimeType: each.mediaType, data: (await wholeOf(each)).toString('base64') },
    })),
  );
  const config = { responseModalities: ['IMAGE'], imageConfig: { aspectRatio: '16:9', imageSize: '2K' } };
  return { model, contents: [{ role: 'user', parts: [{ text: 'a red fox' }, ...parts] }], config };
}

async function wholeOf(each: InputImage): Promise<Buffer<ArrayBuffer>> {
  return Buffer.concat(await (await each.read()).toArray());
}

async function dataUri(each: InputImage): Promise<string> {
  return `data:${each.mediaType};base64,${(await wholeOf(each)).toString('base64')}`;
}

/** Asserts exactly two requests, equal in method, path, query, the named headers and JSON; other headers identify the client. */
function sameRequests(both: Recorded[], headers: string[], even = (json: string) => json): void {
  const [ours, theirs, ...rest] = both.map((each) => ({
    method: each.method,
    path: each.path,
    query: each.query.toString(),
    headers: headers.map((name) => each.headers[name]),
    body: JSON.parse(even(each.body.toString('utf8'))),
  }));
  assert.ok(ours && theirs && rest.length === 0);
  assert.deepEqual(ours, theirs);
}

/** Asserts that all requests of this kind go to the same address, except for the request's id. */
function sameAddresses(all: Recorded[], ids: string[]): void {
  assert.ok(all.length >= 2);
  const address = ({ method, path, headers }: Recorded) =>
    `${method} ${ids.reduce((text, id) => text.replace(id, 'ID'), path).replace(/\/$/, '')} ${headers.authorization}`;
  assert.equal(new Set(all.map(address)).size, 1);
}

async function fieldsOf(recorded: Recorded): Promise<unknown[]> {
  const fields: unknown[] = [];
  for (const [name, value] of (await recorded.form()).entries()) {
    fields.push(
      typeof value === 'string'
        ? [name, value]
        : [name, value.name, value.type, Buffer.from(await value.arrayBuffer())],
    );
  }
  return fields.toSorted((a, b) => (String(a) < String(b) ? -1 : 1));
}

/** The client names its files by the clock and adds empty metadata, which the API does not need; bytes and types are equal. */
async function sameUploads(all: Recorded[], count: number): Promise<void> {
  const contents = await Promise.all(
    all.map(async (each) => {
      const content = (await each.form()).get('content');
      assert.ok(content !== null && typeof content !== 'string');
      return `${content.type} ${Buffer.from(await content.arrayBuffer()).toString('base64')}`;
    }),
  );
  assert.equal(contents.length, 2 * count);
  // The client uploads all files at once, so the order varies.
  assert.deepEqual(contents.slice(0, count).toSorted(), contents.slice(count).toSorted());
}
