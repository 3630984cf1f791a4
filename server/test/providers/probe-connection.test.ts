import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type ConnectionDetails,
  type ConnectionProblem,
  type ProbeResult,
  probeConnection,
} from '../../src/upstream/providers/probe-connection.ts';
import type { Connectable } from '../../src/upstream/providers/providers.ts';
import { automatic1111Login, startAutomatic1111 } from '../emulators/automatic1111.ts';
import { azureKey, azureReplies, startAzure } from '../emulators/azure.ts';
import { bedrockKey, bedrockReplies, startBedrock } from '../emulators/bedrock.ts';
import { bflKey, startBfl } from '../emulators/bfl.ts';
import { startComfyUi } from '../emulators/comfyui.ts';
import { type Emulator, html, type Reply } from '../emulators/emulator.ts';
import { falKey, falReplies, startFal } from '../emulators/fal.ts';
import { geminiKey, geminiReplies, startGemini } from '../emulators/gemini.ts';
import { openAiKey, openAiReplies, startOpenAi } from '../emulators/openai.ts';
import { replicateReplies, replicateToken, startReplicate } from '../emulators/replicate.ts';
import { guard } from './requests.ts';

const login = `${automatic1111Login.user}:${automatic1111Login.password}`;

interface Case {
  provider: Connectable;
  start(): Promise<Emulator>;
  key: string;
  wrongKey?: string;
  path?: string;
  /** The first call that needs the key. */
  stage: string;
  noQuota: Reply;
  models: string[];
}

const cases: Case[] = [
  {
    provider: 'gemini',
    start: startGemini,
    key: geminiKey,
    stage: 'list',
    noQuota: geminiReplies.limited('GenerateRequestsPerDayPerProjectPerModel'),
    models: ['gemini-2.5-flash-image', 'gemini-3-pro-image'],
  },
  {
    provider: 'openai',
    start: startOpenAi,
    key: openAiKey,
    path: '/v1',
    stage: 'models',
    noQuota: openAiReplies.error(429, 'insufficient_quota', 'You exceeded your current quota.'),
    models: ['gpt-image-2', 'flux', 'some-local-model'],
  },
  {
    provider: 'fal',
    start: startFal,
    key: falKey,
    stage: 'status',
    noQuota: falReplies.platform(403, 'User is locked. Reason: Exhausted balance.'),
    models: [
      'fal-ai/nano-banana-pro',
      'fal-ai/nano-banana-2',
      'fal-ai/flux-2',
      'fal-ai/flux/dev',
      'fal-ai/flux/schnell',
      'fal-ai/qwen-image',
      'fal-ai/z-image/turbo',
    ],
  },
  {
    provider: 'replicate',
    start: startReplicate,
    key: replicateToken,
    path: '/v1',
    stage: 'account',
    noQuota: replicateReplies.problem(402, 'Insufficient credit', 'Top up.'),
    models: ['google/nano-banana-pro', 'prunaai/z-image-turbo', 'somebody/retouch'],
  },
  {
    provider: 'azure',
    start: startAzure,
    key: azureKey,
    stage: 'models',
    noQuota: azureReplies.error(429, 'insufficient_quota', 'The quota of the subscription is used up.'),
    models: [],
  },
  {
    provider: 'bedrock',
    start: startBedrock,
    key: bedrockKey,
    stage: 'list',
    noQuota: bedrockReplies.error(400, 'ServiceQuotaExceededException', 'The quota is used up.'),
    models: [
      'stability.stable-image-core-v1:1',
      'stability.stable-image-ultra-v1:1',
      'stability.sd3-5-large-v1:0',
    ],
  },
  {
    provider: 'bfl',
    start: startBfl,
    key: bflKey,
    path: '/v1',
    stage: 'credits',
    noQuota: { body: { credits: 0 } },
    models: [
      'flux-3-image',
      'flux-2-pro',
      'flux-2-max',
      'flux-2-klein-9b',
      'flux-kontext-pro',
      'flux-kontext-max',
      'flux-pro-1.1',
      'flux-pro-1.1-ultra',
      'flux-dev',
    ],
  },
  {
    provider: 'comfyui',
    start: startComfyUi,
    key: login,
    stage: 'stats',
    noQuota: { status: 402, body: 'rent is due' },
    models: ['sd_xl_base.safetensors', 'v1-5.safetensors', 'flux1-dev.safetensors'],
  },
  {
    provider: 'automatic1111',
    start: startAutomatic1111,
    key: login,
    stage: 'models',
    noQuota: { status: 402, body: 'rent is due' },
    models: ['sdxl'],
  },
];

/** The calendar of model ends decides which models are listed. */
const readAt = Date.parse('2026-11-24T00:00:00Z');

function refusedAs(result: ProbeResult, wanted: ConnectionProblem, key: string): string {
  assert.ok(!result.ok);
  assert.equal(result.problem, wanted, result.detail);
  assert.match(result.detail, /^(fal|[A-Z]).+\.( |$)/s, 'sentences');
  for (const part of [key, ...key.split(':').slice(1)]) assert.ok(!result.detail.includes(part), 'the key');
  return result.detail;
}

for (const { provider, start, key, path = '', stage, noQuota, models } of cases) {
  describe(`connecting ${provider}`, () => {
    const probe = (emulator: { url: string }, wanted: Partial<ConnectionDetails> = {}) =>
      probeConnection({ provider, baseUrl: emulator.url + path, key, ...wanted }, guard, undefined, readAt);

    it('lists its models, and makes no image', async () => {
      await using emulator = await start();
      const result = await probe(emulator, { key: ` ${key}\n` });
      assert.ok(result.ok, JSON.stringify(result));
      assert.deepEqual(
        result.models.map(({ id }) => id),
        models,
      );
      assert.ok(!JSON.stringify(result).includes(key));
      assert.deepEqual(
        emulator.requests.filter((request) => request.method !== 'GET'),
        [],
      );
    });

    it('says whether the key is refused, the quota used up, or the server busy', async () => {
      await using emulator = await start();
      if (provider !== 'comfyui')
        refusedAs(await probe(emulator, { key: 'wrong:secret-1' }), 'key_refused', 'wrong:secret-1');
      emulator.answer(stage, { status: 401, body: `no: ${key}` }, noQuota, html(503));
      refusedAs(await probe(emulator), 'key_refused', key);
      refusedAs(await probe(emulator), 'no_quota', key);
      assert.match(refusedAs(await probe(emulator), 'busy', key), /Try again in a minute/);
    });

    it('says whether no server answers, or another program does', async () => {
      await using emulator = await start();
      emulator.answer(
        stage,
        html(200),
        html(404),
        { body: { hello: 'world' } },
        { status: 302, headers: { location: '/login' } },
      );
      for (let count = 0; count < 4; count += 1) refusedAs(await probe(emulator), 'not_this_api', key);
      emulator.answer(stage, 'reset');
      refusedAs(await probe(emulator), 'unreachable', key);
      // Nothing listens on this port, while any other could be taken meanwhile.
      const detail = refusedAs(await probe({ url: 'http://127.0.0.1:1' }), 'unreachable', key);
      assert.match(detail, /^Nothing answers at http.+ECONNREFUSED/);
      emulator.always(stage, 'hang');
      const stop = new AbortController();
      const arrived = emulator.arrived(stage);
      const stopped = probeConnection({ provider, baseUrl: emulator.url + path, key }, guard, stop.signal);
      await arrived;
      stop.abort();
      refusedAs(await stopped, 'unreachable', key);
    });

    it('says what is wrong with the pasted text before it connects', async () => {
      const wrong = `ftp://x:${key.split(':').at(-1)}@host`;
      refusedAs(await probeConnection({ provider, baseUrl: wrong, key }, guard), 'address_unreadable', key);
      const bare = await probeConnection({ provider }, guard);
      const isAtHome = ['comfyui', 'automatic1111', 'azure'].includes(provider);
      refusedAs(bare, isAtHome ? 'address_missing' : 'key_missing', '\0');
      if (isAtHome) return;
      const garbled = 'sk-ключ from the mail';
      refusedAs(await probeConnection({ provider, key: garbled }, guard), 'key_unreadable', garbled);
    });
  });
}

it('connects Vertex AI by the JSON of a service account', async () => {
  await using emulator = await startGemini();
  const connect = (account: Record<string, string> | string) =>
    probeConnection(
      {
        provider: 'gemini',
        baseUrl: emulator.url,
        key: typeof account === 'string' ? account : JSON.stringify(account, undefined, 2),
      },
      guard,
    );
  const { serviceAccount } = emulator;
  const result = await connect(serviceAccount);
  assert.ok(result.ok, JSON.stringify(result));
  assert.deepEqual(result.models.at(-1), {
    id: 'gemini-3-pro-image',
    name: undefined,
    settings: { model: 'gemini-3-pro-image' },
    capabilities: {
      ratios: ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'],
      resolutions: ['1K', '2K', '4K'],
      maxInputs: 14,
    },
  });
  const secret = serviceAccount.private_key?.slice(40, 80) ?? '';
  const { private_key_id: _id, ...rest } = serviceAccount;
  refusedAs(await connect(JSON.stringify(rest).slice(0, -20)), 'key_unreadable', secret);
  refusedAs(await connect({ type: 'authorized_user' }), 'key_unreadable', secret);
  refusedAs(await connect({ ...serviceAccount, private_key: 'garbage' }), 'key_unreadable', 'garbage');
  emulator.answer('list', { body: { publisherModels: [] } });
  emulator.answer('model', {}, geminiReplies.error(404, 'NOT_FOUND', 'Publisher Model was not found'));
  const known = await connect(serviceAccount);
  assert.deepEqual(known.ok && known.models.map(({ id }) => id), [
    'gemini-3-pro-image',
    'gemini-3.1-flash-lite-image',
  ]);
  emulator.answer('token', { status: 400, body: { error: 'invalid_grant' } });
  refusedAs(await connect(serviceAccount), 'key_refused', secret);
});

it('says that a key works but has no model for images', async () => {
  await using emulator = await startGemini();
  emulator.answer('list', { body: { models: [{ name: 'models/gemini-3-pro' }] } });
  emulator.always('model', geminiReplies.error(404, 'NOT_FOUND', 'models/x is not found'));
  const result = await probeConnection({ provider: 'gemini', baseUrl: emulator.url, key: geminiKey }, guard);
  refusedAs(result, 'model_missing', geminiKey);
});

it('finds a compatible server’s path, and says that it requires a key if none was given', async () => {
  await using emulator = await startOpenAi();
  const found = await probeConnection({ provider: 'openai', baseUrl: emulator.url, key: openAiKey }, guard);
  assert.deepEqual([found.ok, found.ok && found.baseUrl], [true, `${emulator.url}/v1`]);
  const result = await probeConnection({ provider: 'openai', baseUrl: `${emulator.url}/v1` }, guard);
  assert.match(refusedAs(result, 'key_missing', '\0'), /wants a key/);
});

it('reads a route’s settings from a Replicate model’s schema', async () => {
  await using emulator = await startReplicate();
  const result = await probeConnection(
    {
      provider: 'replicate',
      baseUrl: `${emulator.url}/v1`,
      key: replicateToken,
    },
    guard,
  );
  assert.ok(result.ok);
  assert.deepEqual(
    result.models.map(({ settings }) => settings),
    [
      {
        model: 'google/nano-banana-pro',
        ratios: ['1:1', '16:9'],
        inputField: 'image_input',
        inputStyle: 'list',
        maxInputs: 4,
      },
      { model: 'prunaai/z-image-turbo', sizeBy: 'width_height' },
      { model: 'somebody/retouch', inputField: 'image', inputStyle: 'numbered', maxInputs: 1 },
    ],
  );
});
