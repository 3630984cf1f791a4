import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { it } from 'node:test';
import { promisify } from 'node:util';
import Value from 'typebox/value';
import { createProvider } from '../../src/upstream/providers/create-provider.ts';
import { type ProviderChoice, providerSettings } from '../../src/upstream/providers/providers.ts';
import { guard } from './requests.ts';

it('makes every kind from settings and credentials, without connecting to anything', () => {
  const baseUrl = 'http://127.0.0.1:1';
  const workflows = [{ '1': { inputs: { text: '{{prompt}}' } } }];
  const aws = { kind: 'keys', credentials: { accessKeyId: 'k', secretAccessKey: 'k' } } as const;
  const credentials = { apiKey: 'k', key: 'k', token: 'k', login: 'user:password', aws };
  const choices: ProviderChoice[] = [
    { provider: 'sketch', settings: {} },
    { provider: 'gemini', settings: { model: 'gemini-3-pro-image' } },
    { provider: 'openai', settings: { model: 'gpt-image-2' } },
    { provider: 'azure', settings: { model: 'images', baseUrl } },
    { provider: 'fal', settings: { model: 'fal-ai/nano-banana-2' } },
    { provider: 'replicate', settings: { model: 'google/nano-banana-2' } },
    { provider: 'bfl', settings: { model: 'flux-2-pro' } },
    { provider: 'bedrock', settings: { model: 'amazon.nova-canvas-v1:0' } },
    { provider: 'comfyui', settings: { baseUrl, workflows } },
    { provider: 'automatic1111', settings: { baseUrl } },
  ];
  const made = choices.map((choice) =>
    createProvider(choice, [{ credentials, addresses: [undefined, baseUrl] }], guard),
  );
  assert.deepEqual(
    made.map(({ id }) => id),
    Object.keys(providerSettings),
  );
});

it('says what is missing', () => {
  const make = (choice: ProviderChoice) => () => createProvider(choice, [], guard);
  assert.throws(make({ provider: 'fal', settings: { model: 'a/b' } }), /fal needs a key/);
  assert.throws(make({ provider: 'replicate', settings: { model: 'a/b' } }), /replicate needs a token/);
  assert.throws(make({ provider: 'bfl', settings: { model: 'm' } }), /bfl needs an API key/);
  assert.throws(make({ provider: 'azure', settings: { model: 'm', baseUrl: 'http://x' } }), /azure needs an/);
  assert.throws(
    make({ provider: 'bedrock', settings: { model: 'm' } }),
    /needs credentials for Amazon: set AWS/,
  );
  assert.throws(make({ provider: 'gemini', settings: { model: 'm' } }), /gemini needs an API key/);
  assert.throws(
    make({ provider: 'automatic1111', settings: { baseUrl: 'ftp://somebody:secret@example.com' } }),
    (error: Error) => !error.message.includes('secret'),
  );
});

it('has a schema for every kind’s settings that accepts no credentials', () => {
  for (const [kind, schema] of Object.entries(providerSettings)) {
    for (const name of ['apiKey', 'key', 'token', 'password', 'headers']) {
      assert.equal(
        Value.Check(schema, { model: 'a/b', baseUrl: 'http://x', workflows: [{}], [name]: 'secret' }),
        false,
        kind,
      );
    }
  }
  assert.ok(Value.Check(providerSettings.gemini, { model: 'gemini-3-pro-image', ratios: ['1:1'] }));
});

it('loads neither an HTTP client nor sharp until there is work', async () => {
  const module = new URL('../../src/upstream/providers/create-provider.ts', import.meta.url).href;
  const code = `await import(${JSON.stringify(module)}); const { default: m } = await import('node:module');
    console.log(JSON.stringify(Object.keys(m.createRequire(import.meta.url).cache)))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code]);
  assert.doesNotMatch(stdout, /node_modules\/(undici|sharp|openai|@google)\//);
});
