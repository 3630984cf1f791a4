import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { readConfig } from '../../src/config/config.ts';
import { SettingError } from '../../src/errors.ts';
import { openRoute, type ProviderKeys } from '../../src/jobs/routes/open-routes.ts';
import { resolveRoutes } from '../../src/jobs/routes/resolve-routes.ts';
import { changeModels } from '../../src/upstream/catalog/change-models.ts';
import type { ModelDefinition, RouteDefinition } from '../../src/upstream/catalog/model-definition.ts';
import type { Connection } from '../../src/upstream/connections/connection.ts';
import { goesTo } from '../../src/upstream/providers/given-credentials.ts';
import type { Provider } from '../../src/upstream/providers/provider.ts';
import { providerSettings } from '../../src/upstream/providers/providers.ts';
import { adminSender, makeAdminKey } from '../admin/admin-client.ts';
import { type Emulator, startEmulator } from '../emulators/emulator.ts';
import { startGemini } from '../emulators/gemini.ts';
import { openOperator } from '../panel/browser.ts';
import { guard, request, run } from '../providers/requests.ts';
import { noFile } from '../world/change-model.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld } from '../world/world.ts';

/** An attacker's server: it answers nothing and records everything. */
const canary = await startEmulator([]);
after(() => canary[Symbol.asyncDispose]());
/** The addresses that the environment gives for the providers. */
const named = await startEmulator([]);
after(() => named[Symbol.asyncDispose]());
const google = await startGemini();
after(() => google[Symbol.asyncDispose]());

const folder = await mkdtemp(join(tmpdir(), 'darkroom-canary-'));
after(() => rm(folder, { recursive: true }));
const accountFile = join(folder, 'account.json');
await writeFile(accountFile, JSON.stringify(google.serviceAccount));
const configFile = join(folder, 'config.json');
const sketch = [{ provider: 'sketch' }];
await writeFile(configFile, JSON.stringify({ routes: { nb: sketch, nb2: sketch, pro: sketch } }));

const withLogin = (url: string) => url.replace('//', '//me:secret-login@');
const env = {
  DARKROOM_CONFIG: configFile,
  GEMINI_API_KEY: 'secret-gemini',
  GOOGLE_APPLICATION_CREDENTIALS: accountFile,
  OPENAI_API_KEY: 'secret-openai',
  OPENAI_COMPATIBLE_API_KEY: 'secret-compatible',
  OPENAI_BASE_URL: `${named.url}/v1`,
  AZURE_OPENAI_API_KEY: 'secret-azure',
  AZURE_OPENAI_ENDPOINT: named.url,
  FAL_KEY: 'secret-fal',
  REPLICATE_API_TOKEN: 'secret-replicate',
  BFL_API_KEY: 'secret-bfl',
  AWS_ACCESS_KEY_ID: 'secretaccesskeyid',
  AWS_SECRET_ACCESS_KEY: 'secret-amazon',
  AWS_SESSION_TOKEN: 'secret-session',
  COMFYUI_URL: withLogin(named.url),
  AUTOMATIC1111_URL: withLogin(named.url),
};
const secrets = [/secret/i, /Bearer/, Buffer.from('me:secret-login').toString('base64'), /ya29|token-/];

const workflows = [{ '1': { class_type: 'A', inputs: { text: '{{prompt}}' } } }];
const settingsOf: Record<string, RouteDefinition> = {
  gemini: { provider: 'gemini', model: 'gemini-3-pro-image' },
  'gemini of Vertex AI': { provider: 'gemini', model: 'gemini-3-pro-image', project: 'p' },
  openai: { provider: 'openai', model: 'm' },
  azure: { provider: 'azure', model: 'images' },
  fal: { provider: 'fal', model: 'fal-ai/nano-banana-2', pollMs: 10 },
  replicate: { provider: 'replicate', model: 'google/nano-banana-2', pollMs: 10 },
  bfl: { provider: 'bfl', model: 'flux-2-pro', pollMs: 10 },
  bedrock: { provider: 'bedrock', model: 'amazon.nova-canvas-v1:0' },
  comfyui: { provider: 'comfyui', workflows, pollMs: 10 },
  automatic1111: { provider: 'automatic1111' },
};
/** Providers whose adapters work without a key, at any address. */
const keyless = ['openai', 'comfyui', 'automatic1111'];

function modelWith(id: string, ...routes: RouteDefinition[]): ModelDefinition {
  return {
    id,
    name: id,
    modes: ['text'],
    ratios: ['1:1'],
    resolutions: { '1K': { price: '0.01', megapixels: 1 } },
    routes,
  };
}

function assertNoKeyAt({ requests }: Emulator, what: string): void {
  const seen = requests.map(({ method, path, query, headers, body }) =>
    [method, path, String(query), JSON.stringify(headers), body.toString('utf8')].join(' '),
  );
  for (const secret of secrets)
    for (const one of seen) assert.ok(!one.match(secret), `${what}: ${String(secret)} arrived: ${one}`);
}

/** Makes every call of a provider, ignoring errors. */
async function useIt(provider: Provider): Promise<void> {
  await provider.check(AbortSignal.timeout(10_000)).catch(() => {});
  await provider.generate(request(), run({ signal: AbortSignal.timeout(10_000) })).catch(() => {});
  await provider
    .generate(request(), run({ signal: AbortSignal.timeout(2_000), remoteId: `${canary.url}/x/requests/1` }))
    .catch(() => {});
  await provider.cancel?.('earlier').catch(() => {});
  await provider[Symbol.asyncDispose]?.();
}

test('every provider is tried', () => {
  const tried = new Set(Object.values(settingsOf).map(({ provider }) => String(provider)));
  assert.deepEqual(
    Object.keys(providerSettings).filter((kind) => !tried.has(kind)),
    ['sketch'],
  );
});

for (const [name, route] of Object.entries(settingsOf)) {
  const open = (
    routes: RouteDefinition[],
    connections: ReadonlyMap<string, Connection> = new Map(),
    keys?: ProviderKeys,
  ) => {
    const { routeEnvironment, providerKeys } = readConfig(env);
    const [settings] = resolveRoutes([{ id: 'm', routes }], routeEnvironment, connections);
    assert.ok(settings);
    return openRoute(settings, { keys: keys ?? providerKeys, connections }, guard).provider;
  };
  const isKeyless = keyless.includes(String(route.provider));

  test(`${name}: the environment's key does not go to a model's address`, async () => {
    for (const address of [canary.url, `${canary.url}/v1`, canary.url.replace('//', '//me@')]) {
      canary.requests.length = 0;
      if (!isKeyless) {
        assert.throws(() => open([{ ...route, baseUrl: address }]), /go only to their own address/);
        continue;
      }
      await useIt(open([{ ...route, baseUrl: address }]));
      assert.ok(canary.requests.length > 0, 'it was asked without a key');
      assertNoKeyAt(canary, name);
    }
  });

  test(`${name}: a connection's key does not go to the address of a route through it`, async () => {
    canary.requests.length = 0;
    const { provider, ...rest } = route;
    const keys: Record<string, string> = {
      gemini: name === 'gemini' ? 'secret-gemini' : JSON.stringify(google.serviceAccount),
      bedrock: 'SECRETKEYID:secretsecret',
      comfyui: 'me:secret-login',
      automatic1111: 'me:secret-login',
    };
    const connection: Connection = {
      name: 'c',
      provider: provider as Connection['provider'],
      credential: keys[String(provider)] ?? 'secret-of-connection',
      source: 'operator',
    };
    const through = [{ ...rest, connection: 'c', baseUrl: canary.url }];
    try {
      await useIt(open(through, new Map([['c', connection]])));
    } catch (error) {
      assert.ok(error instanceof SettingError);
      assert.match(error.message, /go only to their own address/);
    }
    assertNoKeyAt(canary, name);
    await useIt(open(through, new Map([['c', { ...connection, baseUrl: named.url }]])));
    assert.equal(canary.requests.length, isKeyless ? canary.requests.length : 0);
    assertNoKeyAt(canary, name);
  });

  test(`${name}: the key goes to the file’s address and to the connection’s`, async () => {
    const file = { routes: { nb: [{ ...route, baseUrl: named.url }], nb2: sketch, pro: sketch } };
    const path = join(folder, `${name}.json`);
    await writeFile(path, JSON.stringify(file));
    const { routes, providerKeys } = readConfig({ ...env, DARKROOM_CONFIG: path });
    const [settings] = routes;
    assert.ok(settings);
    named.requests.length = 0;
    const { provider } = openRoute(settings, { keys: providerKeys, connections: new Map() }, guard);
    await useIt(provider);
    const sent = JSON.stringify(named.requests.map(({ headers }) => headers));
    if (['comfyui', 'automatic1111'].includes(name)) assert.doesNotMatch(sent, /authorization/);
    else assert.match(sent, name === 'gemini of Vertex AI' ? /Bearer/ : /secret/);
    // An operator's model may use the same address, because the file's author chose it.
    const again = open([{ ...route, baseUrl: `${named.url}/` }], new Map(), providerKeys);
    await again[Symbol.asyncDispose]?.();
    const other = () => open([{ ...route, baseUrl: `${named.url}/other` }], new Map(), providerKeys);
    if (!isKeyless) assert.throws(other, /go only to their own address/);
    else assert.equal(/go only to/.test(String(other().warnings)), name === 'openai');
  });
}

test('a provider is recognized in all its regions, and only over TLS', () => {
  const own = {
    gemini: ['https://generativelanguage.googleapis.com', 'https://europe-west4-aiplatform.googleapis.com'],
    openai: ['https://api.openai.com/v1', 'https://eu.api.openai.com/v1'],
    fal: ['https://queue.fal.run'],
    replicate: ['https://api.replicate.com/v1'],
    bfl: ['https://api.bfl.ai/v1', 'https://api.eu.bfl.ai/v1'],
    bedrock: [
      'https://bedrock-runtime.eu-west-1.amazonaws.com',
      'https://bedrock-runtime-fips.us-east-1.amazonaws.com',
    ],
  };
  for (const [provider, addresses] of Object.entries(own))
    for (const address of addresses) {
      assert.ok(goesTo(provider, address, undefined), address);
      const { hostname } = new URL(address);
      for (const other of [
        address.replace('https:', 'http:'),
        `https://${hostname}.example.com`,
        `https://evil-${hostname.split('.').slice(-2).join('.')}`,
        `https://${hostname}@example.com`,
        `https://example.com/${hostname}`,
      ])
        assert.ok(!goesTo(provider, other, undefined), other);
    }
  for (const other of ['https://evil.s3.amazonaws.com', 'https://x.execute-api.us-east-1.amazonaws.com'])
    assert.ok(!goesTo('bedrock', other, undefined), other);
  for (const other of ['https://storage.googleapis.com/bucket', 'https://evil.openai.azure.com'])
    for (const provider of ['gemini', 'openai', 'azure']) assert.ok(!goesTo(provider, other, undefined));
  assert.ok(goesTo('fal', 'http://proxy/fal/', 'http://proxy/fal'));
  assert.ok(!goesTo('fal', 'http://proxy/other', 'http://proxy/fal'));
  assert.ok(!goesTo('fal', undefined, 'http://proxy/fal'));
});

test('through the administration: no key leaves through a model, a connection, a check or a stored model', async () => {
  await using world = await openWorld({ env, ownRoutes: true });
  const admin = adminSender(world, (await makeAdminKey(world, 'models', ['models'])).key);
  canary.requests.length = 0;
  for (const [name, route] of Object.entries(settingsOf)) {
    const models = [modelWith('taken', { ...route, baseUrl: canary.url })];
    const reply = await admin('POST', '/models', { models, apply: true });
    const isKeyless = keyless.includes(String(route.provider));
    assert.equal(reply.status, isKeyless ? 200 : 422, `${name}: ${JSON.stringify(reply.body)}`);
    if (!isKeyless) assert.match(String(reply.body.detail), /go only to their own address/);
    await admin('GET', '/routes?check=true');
  }
  const key = 'secret-sealed';
  assert.equal((await admin('PUT', '/connections/own', { provider: 'fal', key })).status, 200);
  const { provider: _fal, ...settings } = settingsOf.fal ?? {};
  const through = [modelWith('taken', { ...settings, connection: 'own', baseUrl: canary.url })];
  const refused = await admin('POST', '/models', { models: through, apply: true });
  assert.deepEqual(
    [refused.status, refused.body.errors],
    [422, [{ pointer: '/routes/0/baseUrl', detail: 'is that of the connection; leave it out.' }]],
  );
  const moved = await admin('PUT', '/connections/own', { provider: 'fal', base_url: canary.url });
  assert.deepEqual([moved.status, moved.body.code], [422, 'invalid_request']);

  // A model as an earlier version may have stored it.
  const stored = Object.entries(settingsOf).map(([name, route]) => ({
    ...route,
    baseUrl: canary.url,
    name: name.replaceAll(' ', '-').toLowerCase(),
  }));
  const definition = modelWith('stored', ...stored, { ...settings, connection: 'own', baseUrl: canary.url });
  const deps = { database: world.app.database, file: noFile, checkRoutes: () => [] };
  await changeModels(deps, [{ id: 'stored', definition }], commandLine);
  await world.restart();
  const again = await admin('GET', '/routes?check=true');
  assert.equal(again.status, 200, JSON.stringify(again.body));
  const checked = (again.body.routes as { route: string; check: { ok: boolean; detail?: string } }[]).filter(
    ({ route }) => route.startsWith('stored/'),
  );
  assert.equal(checked.length, stored.length + 1);
  for (const { route, check } of checked) {
    assert.equal(check.ok, false, route);
    if (!keyless.some((name) => route === `stored/${name}`))
      assert.match(String(check.detail), /go only to their own address/, route);
  }
  const plain = (await admin('GET', '/routes')).body.routes as { route: string; check?: object }[];
  assert.ok(plain.find(({ route }) => route === 'stored/fal')?.check, 'without being asked, it says why');
  assert.ok(!plain.find(({ route }) => route === 'stored/openai')?.check);
  const job = await world.create('/nb2/text-generations');
  assert.equal((await world.finished(job)).status, 'done');
  assertNoKeyAt(canary, 'the administration');
});

test('an address with credentials causes a warning at the start, and is listed without them', async () => {
  const login = 'http://me:secret-login@127.0.0.1:9/sd?token=secret-token';
  const file = join(folder, 'logins.json');
  const routes = [{ provider: 'automatic1111', baseUrl: 'http://127.0.0.1:9/?token=secret-token' }];
  await writeFile(
    file,
    JSON.stringify({
      connections: { home: { provider: 'automatic1111', baseUrl: login } },
      routes: { nb: routes },
    }),
  );
  const warnings: Record<string, unknown>[] = [];
  const log = {
    ...silentLog,
    warn: (event: string, fields: Record<string, unknown>) => void warnings.push({ event, ...fields }),
  };
  await using world = await openWorld({
    env: { DARKROOM_CONFIG: file },
    ownRoutes: true,
    replacements: { log },
  });
  const found = warnings.filter(({ event, route }) => event === 'route.warning' && route === '/routes/nb/0');
  assert.equal(found.length, 1, JSON.stringify(warnings));
  assert.match(String(found[0]?.warning), /must end before "\?" and "#"/);
  assert.doesNotMatch(JSON.stringify(warnings), /secret/);
  const { key } = await makeAdminKey(world, 'reads', ['read']);
  const { data } = (await adminSender(world, key)('GET', '/connections')).body;
  assert.deepEqual((data as { base_url: string }[])[0]?.base_url, 'http://127.0.0.1:9/sd');
  const operator = await openOperator(world);
  const { data: rows } = await operator.call('GET /panel/operator/connections');
  assert.equal(rows[0]?.base_url, 'http://127.0.0.1:9/sd');
});
