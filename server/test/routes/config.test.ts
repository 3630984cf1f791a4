import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import Value from 'typebox/value';
import { type Environment, readConfig } from '../../src/config/config.ts';
import { configFileSchema } from '../../src/config/config-file.ts';
import { SettingError } from '../../src/errors.ts';
import { checkRoute } from '../../src/jobs/routes/check-route.ts';
import { describeGap, findGaps } from '../../src/jobs/routes/coverage.ts';
import { openRoutes, upstreamOf } from '../../src/jobs/routes/open-routes.ts';
import { openAiKey, startOpenAi } from '../emulators/openai.ts';
import { credentials, defaultsOf, guard, models } from './support.ts';

function read(content: unknown, env: Environment = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'darkroom-config-'));
  try {
    const file = join(folder, 'config.json');
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return readConfig({ ...env, DARKROOM_CONFIG: file });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const refusal = (content: unknown, env: Environment = {}) => {
  try {
    read(content, env);
  } catch (error) {
    assert.ok(error instanceof SettingError);
    return error.message;
  }
  return assert.fail('it was accepted');
};
const nb = (...routes: object[]) => ({ routes: { nb: routes } });

test('a route has its limits, its policies and its provider’s settings', () => {
  const { routes } = read(
    nb({
      provider: 'gemini',
      model: 'g-1',
      slots: 3,
      timeoutSeconds: 9,
      perMinute: 60,
      fit: 'extend',
      upscale: true,
    }),
    { GEMINI_BASE_URL: 'http://127.0.0.1:9' },
  );
  assert.deepEqual(routes[0], {
    id: 'nb/gemini',
    model: 'nb',
    slots: 3,
    timeoutMs: 9_000,
    perMinute: 60,
    fit: 'extend',
    upscale: true,
    provider: 'gemini',
    settings: { model: 'g-1', baseUrl: 'http://127.0.0.1:9' },
  });
});

test('routes have their own stable names', () => {
  const two = [
    { provider: 'sketch' },
    { provider: 'sketch' },
    { provider: 'sketch', name: 'calm', directives: false },
  ];
  const ids = read(nb(...two)).routes.map(({ id }) => id);
  assert.deepEqual(ids, ['nb/sketch', 'nb/sketch-2', 'nb/calm', 'nb2/sketch', 'pro/sketch']);
  const same = { provider: 'sketch', name: 'a' };
  assert.match(refusal(nb(same, same)), /\/routes\/nb\/1\/name is "a", as that of another route of nb/);
});

test('next to a real provider, sketch obeys no directives in prompts, and cannot be configured to', () => {
  const settingsOf = (content: unknown, env: Environment = {}) =>
    read(content, env)
      .routes.filter(({ provider }) => provider === 'sketch')
      .map(({ settings }) => settings);
  const [alone] = settingsOf(nb({ provider: 'sketch', crash: true }));
  assert.deepEqual(alone, { crash: true });
  assert.deepEqual(settingsOf(nb({ provider: 'sketch' }), { FAL_KEY: 'k' }), [{ directives: false }]);
  for (const order of [{ directives: true }, { crash: true }])
    assert.match(
      refusal(nb({ provider: 'sketch', ...order }), { FAL_KEY: 'k' }),
      /\/routes\/nb\/0: orders in prompts are for tests/,
    );
});

test('a mistake is named with its place', () => {
  assert.match(
    refusal(nb({ provider: 'gemini' })),
    /at \/routes\/nb\/0: must have required properties model/,
  );
  assert.match(
    refusal(nb({ provider: 'sketch' }, { provider: 'dall' })),
    /at \/routes\/nb\/1\/provider: must be one of sketch, gemini/,
  );
  assert.match(
    refusal(nb({ provider: 'fal', model: 'a/b', key: 'k' })),
    /at \/routes\/nb\/0\/key: is not a setting that exists/,
  );
  assert.match(
    refusal(nb({ provider: 'gemini', modle: 'g' })),
    /at \/routes\/nb\/0\/modle: is not a setting/,
  );
  assert.match(refusal(nb({ provider: 'sketch', slots: 0 })), /at \/routes\/nb\/0\/slots: must be >= 1/);
  assert.match(refusal(nb({ provider: 'sketch', fit: 'squash' })), /at \/routes\/nb\/0\/fit/);
  assert.match(refusal({ routes: { nb3: [] } }), /nb3/);
  assert.match(refusal({ colour: 'red' }), /at \/colour: is not a setting that exists/);
  assert.match(refusal('{'), /cannot be read as JSON/);
});

test('models and connections in the file are checked like its routes', () => {
  const own = (routes: object[]) => ({
    connections: { cloud: { provider: 'fal' } },
    models: [
      {
        id: 'flux',
        name: 'FLUX',
        modes: ['text'],
        ratios: ['1:1'],
        resolutions: { '1K': { megapixels: 1, price: '0.03' } },
        routes,
      },
    ],
  });
  assert.equal(read(own([{ connection: 'cloud', model: 'fal-ai/flux' }])).routes.at(-1)?.id, 'flux/cloud');
  assert.match(
    refusal(own([{ connection: 'home', model: 'x' }])),
    /\/models\/0\/routes\/0\/connection: must be/,
  );
  assert.match(
    refusal(own([{ connection: 'cloud', model: 'fal-ai/flux', modle: 'x' }])),
    /\/models\/0\/routes\/0\/modle: is not a setting/,
  );
  assert.match(refusal(own([{ provider: 'dall' }])), /\/models\/0\/routes\/0\/provider: must be one of/);
});

test('an address comes from the file or the environment; a password only from the environment', () => {
  const route = { provider: 'automatic1111' };
  assert.match(refusal(nb(route)), /\/routes\/nb\/0 needs a baseUrl, or AUTOMATIC1111_URL/);
  assert.ok(read(nb(route), { AUTOMATIC1111_URL: 'http://me:secret@127.0.0.1:7860' }));
  const azure = { provider: 'azure', model: 'images' };
  assert.match(refusal(nb(azure)), /\/routes\/nb\/0 needs a baseUrl, or AZURE_OPENAI_ENDPOINT/);
  assert.ok(read(nb(azure), { AZURE_OPENAI_ENDPOINT: 'https://resource.openai.azure.com' }));
  const withPassword = { ...route, baseUrl: 'http://me:secret@127.0.0.1:7860' };
  assert.match(refusal(nb(withPassword)), /carries a password/);
  assert.doesNotMatch(refusal(nb(withPassword)), /secret/);
});

test('without routes, the first key or address that is set serves every model, in everything that it promises', () => {
  const cases: [Environment, string, string[]][] = [
    [{}, 'sketch', ['sketch-1']],
    [{ GEMINI_API_KEY: 'k', OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' }, 'gemini', geminiModels],
    [{ OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', OPENAI_API_KEY: 'k' }, 'openai', ['stablediffusion']],
    [{ OPENAI_BASE_URL: 'https://api.openai.com/v1', OPENAI_API_KEY: 'k' }, 'openai', ['gpt-image-2']],
    [{ OPENAI_API_KEY: 'k', FAL_KEY: 'k' }, 'openai', ['gpt-image-2']],
    [{ FAL_KEY: 'k', REPLICATE_API_TOKEN: 't' }, 'fal', ['fal-ai/nano-banana-2', 'fal-ai/nano-banana-pro']],
    [{ REPLICATE_API_TOKEN: 't' }, 'replicate', ['google/nano-banana-2', 'google/nano-banana-pro']],
  ];
  for (const [env, provider, upstreams] of cases) {
    const { routes, providerKeys } = readConfig(env);
    assert.deepEqual(new Set(routes.map((route) => route.provider)), new Set([provider]));
    assert.deepEqual(new Set(routes.map(upstreamOf)), new Set(upstreams));
    assert.deepEqual(findGaps(models, openRoutes(routes, credentials(providerKeys), guard)), [], provider);
  }
});
const geminiModels = ['gemini-3.1-flash-lite-image', 'gemini-nano-banana-2.1', 'gemini-3-pro-image'];

test('AUTOMATIC1111 and Black Forest Labs serve what they can, and the rest is named', () => {
  for (const env of [{ AUTOMATIC1111_URL: 'http://127.0.0.1:7860' }, { BFL_API_KEY: 'k' }]) {
    const gaps = findGaps(models, defaultsOf(env)).map(describeGap);
    assert.deepEqual(gaps, [
      'nb: nobody makes any ratio at 1K, with 14 inputs',
      'nb2: nobody makes any ratio at 1K, 2K, 4K, with 14 inputs',
      'pro: nobody makes any ratio at 1K, 2K, 4K, with 14 inputs',
    ]);
  }
});

test('ComfyUI needs a workflow, and the start says so', () => {
  assert.throws(() => readConfig({ COMFYUI_URL: 'http://127.0.0.1:8188' }), /ComfyUI needs a workflow/);
});

test('a route without its key, or credentials that cannot be read, stop the start with a sentence', () => {
  const { routes, providerKeys } = read(nb({ provider: 'fal', model: 'fal-ai/flux/dev' }));
  assert.throws(
    () => openRoutes(routes, credentials(providerKeys), guard),
    /^SettingError: The route nb\/fal cannot work: .*FAL_KEY/,
  );
  assert.throws(
    () => readConfig({ GOOGLE_APPLICATION_CREDENTIALS: '/nowhere/key.json' }),
    /GOOGLE_APPLICATION_CREDENTIALS/,
  );
  assert.ok(readConfig({ GOOGLE_APPLICATION_CREDENTIALS: '/nowhere/key.json', GEMINI_API_KEY: 'k' }));
});

test('OpenAI’s key goes to no other address, whether the environment or the file names it', async () => {
  await using emulator = await startOpenAi();
  const address = `${emulator.url}/v1`;
  const file = nb({ provider: 'openai', model: 'flux', baseUrl: address });
  const { routes, providerKeys } = read(file, { OPENAI_API_KEY: openAiKey });
  const ofFile = openRoutes(routes, credentials(providerKeys), guard)[0];
  const ofEnvironment = defaultsOf({ OPENAI_API_KEY: openAiKey, OPENAI_BASE_URL: address })[0];
  for (const route of [ofFile, ofEnvironment]) {
    assert.ok(route);
    assert.match((await checkRoute(route)).detail ?? '', /^auth: /);
    assert.match(route.provider.warnings?.join() ?? '', /set OPENAI_COMPATIBLE_API_KEY/);
  }
  const authorizations = emulator.requests.map(({ headers }) => headers.authorization);
  assert.deepEqual(authorizations, [undefined, undefined]);

  const keys = { OPENAI_API_KEY: 'sk-other', OPENAI_COMPATIBLE_API_KEY: openAiKey };
  const [theirs] = defaultsOf({ ...keys, OPENAI_BASE_URL: address });
  assert.ok(theirs);
  assert.deepEqual([(await checkRoute(theirs)).ok, theirs.provider.warnings], [true, undefined]);
});

test('no key is part of the routes or shown to operators', () => {
  const { routes, settings } = readConfig({ GEMINI_API_KEY: 'very-secret', OPENAI_API_KEY: 'very-secret' });
  assert.doesNotMatch(JSON.stringify([routes, settings]), /very-secret/);
});

test('the published schema accepts what the program accepts', () => {
  const file = nb({ provider: 'openai', model: 'gpt-image-2', quality: 'high' }, { provider: 'sketch' });
  assert.ok(Value.Check(configFileSchema, file));
  assert.ok(!Value.Check(configFileSchema, nb({ provider: 'sketch', quality: 'high' })));
});
