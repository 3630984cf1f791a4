import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Config, readConfig } from '../src/config/config.ts';
import { createDatabase } from './world/databases.ts';
import { openWorld } from './world/world.ts';

const secret = 'a secret of more than thirty-two characters';
const oidc = { DARKROOM_OIDC_ISSUER: 'https://id.example.com', DARKROOM_OIDC_CLIENT_ID: 'darkroom' };
const bucket = { DARKROOM_STORAGE: 's3://images' };
const keysOf = ({ aws }: Config) => aws?.kind === 'keys' && Object.values(aws.credentials).join();

const read: [
  name: string,
  value: string,
  of: (config: Config) => unknown,
  beside?: Record<string, string>,
][] = [
  ['DATABASE_URL', 'postgres://one:two@host/name', (config) => config.databaseUrl],
  ['DARKROOM_SECRET', secret, ({ secrets }) => secrets[0]],
  ['DARKROOM_METRICS_TOKEN', 'token', ({ metricsToken }) => metricsToken],
  ['DARKROOM_OIDC_CLIENT_SECRET', 'client', (config) => config.oidc?.clientSecret, oidc],
  ['GEMINI_API_KEY', 'gemini', ({ providerKeys }) => providerKeys.gemini?.apiKey],
  ['OPENAI_API_KEY', 'openai', ({ providerKeys }) => providerKeys.openai?.apiKey],
  ['OPENAI_COMPATIBLE_API_KEY', 'compatible', ({ providerKeys }) => providerKeys.openaiCompatible?.apiKey],
  ['AZURE_OPENAI_API_KEY', 'azure', ({ providerKeys }) => providerKeys.azure?.apiKey],
  ['FAL_KEY', 'fal', ({ providerKeys }) => providerKeys.fal?.key],
  ['REPLICATE_API_TOKEN', 'replicate', ({ providerKeys }) => providerKeys.replicate?.token],
  ['BFL_API_KEY', 'bfl', ({ providerKeys }) => providerKeys.bfl?.apiKey],
  ['AWS_ACCESS_KEY_ID', 'id', keysOf, { ...bucket, AWS_SECRET_ACCESS_KEY: 'key' }],
  ['AWS_SECRET_ACCESS_KEY', 'key', keysOf, { ...bucket, AWS_ACCESS_KEY_ID: 'id' }],
  [
    'AWS_SESSION_TOKEN',
    'session',
    keysOf,
    { ...bucket, AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key' },
  ],
];

test('every secret can come from a file that NAME_FILE names; both at once, an empty and a missing file are refused', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-secret-files-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const empty = join(folder, 'empty');
  await writeFile(empty, '\n');
  for (const [name, value, of, beside = {}] of read) {
    const file = join(folder, name);
    await writeFile(file, `${value}\n`);
    const env = { ...beside, [`${name}_FILE`]: file };
    assert.deepEqual(of(readConfig(env)), of(readConfig({ ...beside, [name]: value })), name);
    assert.ok(of(readConfig(env)), name);
    assert.ok(!JSON.stringify(readConfig(env).settings).includes(`"${value}"`), name);
    const unset = { ...beside, [name]: value, [`${name}_FILE`]: '' };
    assert.deepEqual(of(readConfig(unset)), of(readConfig({ ...beside, [name]: value })), name);
    assert.throws(() => readConfig({ ...env, [name]: value }), /are both set; set one of them/);
    assert.throws(() => readConfig({ ...beside, [`${name}_FILE`]: empty }), /is empty/);
    assert.throws(() => readConfig({ ...beside, [`${name}_FILE`]: join(folder, 'none') }), /cannot be read/);
  }
});

test('a server takes its database and its secret from files', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-secret-files-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const database = await createDatabase();
  stack.defer(() => database?.drop());
  await writeFile(join(folder, 'secret'), secret);
  await writeFile(join(folder, 'database'), database?.url ?? '');
  const env = {
    DARKROOM_SECRET_FILE: join(folder, 'secret'),
    ...(database && { DATABASE_URL: '', DATABASE_URL_FILE: join(folder, 'database') }),
  };
  await using world = await openWorld({ env });
  assert.deepEqual(world.config.secrets, [secret]);
  assert.equal((await world.finished(await world.create())).status, 'done');
});
