import assert from 'node:assert/strict';
import { it } from 'node:test';
import { GoogleGenAI } from '@google/genai';
import { OAuth2Client } from 'google-auth-library';
import OpenAI from 'openai';
import Replicate from 'replicate';
import { probeConnection } from '../../src/upstream/providers/probe-connection.ts';
import type { Connectable } from '../../src/upstream/providers/providers.ts';
import { geminiKey, startGemini } from '../emulators/gemini.ts';
import { openAiKey, startOpenAi } from '../emulators/openai.ts';
import { replicateToken, startReplicate } from '../emulators/replicate.ts';
import { guard } from './requests.ts';

it('model lists are requested as the vendors’ clients request them, and read as they read them', async () => {
  await using gemini = await startGemini();
  await using openAi = await startOpenAi();
  await using replicate = await startReplicate();
  const connect = async (provider: Connectable, baseUrl: string, key: string) => {
    const result = await probeConnection({ provider, baseUrl, key }, guard);
    assert.ok(result.ok);
    return result.models.map(({ id }) => id);
  };

  const ofGemini = await connect('gemini', gemini.url, geminiKey);
  const httpOptions = { baseUrl: gemini.url, apiVersion: 'v1beta' };
  const google = new GoogleGenAI({ apiKey: geminiKey, httpOptions });
  const listed = [];
  for await (const { name } of await google.models.list({ config: { pageSize: 1000 } })) listed.push(name);
  for (const id of ofGemini) assert.ok(listed.includes(`models/${id}`), id);

  const ofOpenAi = await connect('openai', `${openAi.url}/v1`, openAiKey);
  const theirs = new OpenAI({ apiKey: openAiKey, baseURL: `${openAi.url}/v1` });
  assert.deepEqual(
    (await theirs.models.list()).data.map(({ id }) => id),
    ofOpenAi,
  );

  await connect('replicate', `${replicate.url}/v1`, replicateToken);
  const client = new Replicate({ auth: replicateToken, baseUrl: `${replicate.url}/v1` });
  await client.accounts.current();
  await client.collections.get('text-to-image');

  for (const { requests } of [gemini, openAi, replicate]) {
    const asked = requests.map(({ path, query, headers }) =>
      [path, query.toString(), headers.authorization, headers['x-goog-api-key']].join(' '),
    );
    assert.deepEqual(asked.slice(0, asked.length / 2), asked.slice(asked.length / 2));
  }
});

it('model lists on Vertex AI are requested as @google/genai does', async () => {
  await using emulator = await startGemini();
  const { serviceAccount } = emulator;
  const key = JSON.stringify(serviceAccount);
  assert.ok((await probeConnection({ provider: 'gemini', baseUrl: emulator.url, key }, guard)).ok);
  const authClient = new OAuth2Client();
  const token = emulator.of('list')[0]?.headers.authorization?.replace('Bearer ', '') ?? '';
  authClient.setCredentials({ access_token: token, expiry_date: Date.now() + 3_600_000 });
  const theirs = new GoogleGenAI({
    vertexai: true,
    project: serviceAccount.project_id ?? '',
    location: 'global',
    googleAuthOptions: { authClient },
    httpOptions: { baseUrl: emulator.url, apiVersion: 'v1beta1' },
  });
  const listed = [];
  for await (const { name } of await theirs.models.list({ config: { pageSize: 1000 } })) listed.push(name);
  assert.ok(listed.includes('publishers/google/models/gemini-3-pro-image'));
  const asked = emulator.of('list').map(({ path, query }) => `${path}?${query}`);
  assert.deepEqual(asked.slice(0, 2), asked.slice(2));
});
