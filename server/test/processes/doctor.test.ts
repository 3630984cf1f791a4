import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runDarkroom } from '../../../cli/test/run-darkroom.ts';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { writeSetting } from '../../src/base/db/settings-store.ts';
import { checkProcessor } from '../../src/start/doctor/check-processor.ts';
import type { Finding } from '../../src/start/doctor/finding.ts';
import { examineInstallation } from '../../src/start/examine-installation.ts';
import { readCatalogue } from '../../src/upstream/catalog/catalogue.ts';
import { changeModels } from '../../src/upstream/catalog/change-models.ts';
import type { ModelDefinition } from '../../src/upstream/catalog/model-definition.ts';
import { startSmtpServer } from '../alerts/smtp-server.ts';
import { noFile } from '../world/change-model.ts';
import { createDatabase } from '../world/databases.ts';
import { type Installation, openInstallation } from './support/installation.ts';

let installation: Installation;
before(async () => {
  installation = await openInstallation(await createDatabase());
});
after(() => installation[Symbol.asyncDispose]());

const closed = 'http://127.0.0.1:1';

async function examine(env: Record<string, string> = {}): Promise<Map<string, Finding>> {
  const findings = await Array.fromAsync(examineInstallation({ ...installation.env, ...env }));
  return new Map(findings.map((finding) => [finding.name, finding]));
}

async function findingOf(name: string, env: Record<string, string> = {}): Promise<string> {
  const findings = await examine(env);
  for (const { status, next } of findings.values()) assert.equal(status === 'ok', next === undefined);
  const { status, found } = findings.get(name) ?? { status: 'none', found: '' };
  return `${status}: ${found}`;
}

async function answering(status: number, body = ''): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((_request, response) => response.writeHead(status).end(body));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

test('a healthy server with everything it needs passes; the command exits 0', async () => {
  await using server = await installation.start('all');
  const env = { ...installation.env, PORT: new URL(server.url).port };
  const { code, stdout, stderr } = await runDarkroom(['doctor', '--json'], { cwd: tmpdir(), env });
  assert.equal(code, 0, stderr);
  const { ok, checks }: { ok: boolean; checks: Finding[] } = JSON.parse(stdout);
  assert.equal(ok, true);
  assert.deepEqual(
    checks.map(({ name }) => name),
    [
      'settings',
      'database',
      'disk',
      'processor',
      'clock',
      'secret',
      'images',
      'models',
      'connections',
      'dns',
      'server',
      'address',
      'mail',
      'webhooks',
    ],
  );
  for (const name of [
    'settings',
    'clock',
    'secret',
    'images',
    'models',
    'connections',
    'server',
    'address',
    'mail',
    'webhooks',
  ])
    assert.equal(checks.find((check) => check.name === name)?.status, 'ok', stdout);
  assert.match(stdout, /(PostgreSQL|SQLite) [\d.]+.*, schema (\d+) of \2, answers in [\d.]+ ms/);
});

test('busy processors have their own warning', () => {
  assert.deepEqual([checkProcessor(0.1).status, checkProcessor(0.6).status], ['ok', 'warn']);
  assert.match(checkProcessor(0.6).found, /60 % of the last minute/);
});

test('a wrong setting is shown and ends the checks; the command exits 1', async () => {
  const env = { ...installation.env, PORT: 'eighty' };
  const { code, stdout, stderr } = await runDarkroom(['doctor', '--json'], { cwd: tmpdir(), env });
  assert.deepEqual([code, JSON.parse(stdout).checks.length], [1, 1]);
  assert.match(stdout, /PORT is \\"eighty\\"/);
  assert.match(stderr, /One check failed\.\n {2}Next: correct this setting/);
  const plain = await runDarkroom(['doctor'], { cwd: tmpdir(), env });
  assert.match(plain.stdout, /^✗ settings .*eighty.*\n +Next: correct this setting\n$/);
});

test('a folder without an installation is left unchanged', async () => {
  await using place = await mkdtempDisposable(join(tmpdir(), 'darkroom-doctor-'));
  const dataDir = join(place.path, 'none');
  const findings = await Array.fromAsync(examineInstallation({ DARKROOM_DATA_DIR: dataDir }));
  assert.deepEqual(
    findings.filter(({ status }) => status === 'fail'),
    [],
  );
  await assert.rejects(mkdir(join(dataDir, 'is not made')), /ENOENT/);
});

test('a database that does not answer, or belongs to a newer program, fails, and the rest is still checked', async () => {
  const away = await examine({ DATABASE_URL: 'postgres://127.0.0.1:1/none' });
  assert.equal(away.get('database')?.status, 'fail');
  assert.match(away.get('database')?.found ?? '', /ECONNREFUSED/);
  assert.equal(away.get('images')?.status, 'ok');

  const { database } = installation;
  const newer = { version: 999, name: 'newer', applied_at: 0, fingerprint: null };
  await database.transaction((tx) => tx.insertInto('migrations').values(newer).execute());
  try {
    assert.match(await findingOf('database'), /^fail: .* schema 999 of /);
  } finally {
    await database.transaction((tx) => tx.deleteFrom('migrations').where('version', '=', 999).execute());
  }
});

test('a data folder that cannot be written, or has no room, fails', async () => {
  await using place = await mkdtempDisposable(join(tmpdir(), 'darkroom-doctor-'));
  const file = join(place.path, 'file');
  await writeFile(file, '');
  assert.match(await findingOf('disk', { DARKROOM_DATA_DIR: file }), /^fail: .* takes no file: /);
  const config = join(place.path, 'darkroom.json');
  await writeFile(config, JSON.stringify({ limits: { minFreeDiskMegabytes: 1_000_000_000 } }));
  assert.match(await findingOf('disk', { DARKROOM_CONFIG: config }), /^fail: .*no input images are taken/);
});

test('a clock that is behind the last time recorded by the server fails', async () => {
  const { database } = installation;
  const set = (ms: number) =>
    database.transaction((tx) => writeSetting(tx, 'clock_seen_at', String(Date.now() + ms)));
  await set(120_000);
  try {
    assert.match(await findingOf('clock'), /^fail: .* 1\d\d\.\d s behind the last time that the server saw/);
  } finally {
    await set(0);
  }
});

test('a bucket, a connection and a host name that cannot be reached fail', async () => {
  await using place = await mkdtempDisposable(join(tmpdir(), 'darkroom-doctor-'));
  const config = join(place.path, 'darkroom.json');
  await writeFile(
    config,
    JSON.stringify({ connections: { studio: { provider: 'openai', baseUrl: `${closed}/v1` } } }),
  );
  const findings = await examine({
    DARKROOM_STORAGE: `s3://images?endpoint=${closed}`,
    AWS_ACCESS_KEY_ID: 'someone',
    AWS_SECRET_ACCESS_KEY: 'something',
    DARKROOM_CONFIG: config,
    DARKROOM_CDN_URL: 'https://images.invalid',
  });
  assert.match(findings.get('images')?.found ?? '', /^the bucket images: /);
  assert.match(findings.get('connection studio')?.found ?? '', /Nothing answers at http:\/\/127\.0\.0\.1:1/);
  assert.match(findings.get('dns')?.found ?? '', /images\.invalid/);
  for (const name of ['images', 'connection studio', 'dns'])
    assert.equal(findings.get(name)?.status, 'fail', name);
});

test('an offer that no route can make is a warning, and a model that cannot make anything is a failure', async () => {
  const { database } = installation;
  const nb = (await readCatalogue(database.read)).newest().find(({ model }) => model === 'nb')?.definition;
  assert.ok(nb);
  const set = (definition: ModelDefinition | null) =>
    changeModels({ database, file: noFile, checkRoutes: () => [] }, [{ id: 'own', definition }], commandLine);
  const own = { provider: 'openai', model: 'sd', baseUrl: `${closed}/v1`, maxInputs: 1 };
  try {
    await set({ ...nb, id: 'own', routes: [own] });
    assert.match(await findingOf('models'), /^warn: own: nobody makes any ratio at 1K, with 14 inputs$/);
    await set({ ...nb, id: 'own', routes: [] });
    assert.match(await findingOf('models'), /^fail: own: nobody makes any ratio at 1K, whatever the inputs$/);
  } finally {
    await set(null);
  }
  assert.match(await findingOf('models'), /^ok: 3, /);
});

test('an alias for a model that does not exist is a warning', async () => {
  const env = { ...installation.env, DARKROOM_DOOR_ALIASES: 'gpt-image-1=nb2,default=flux' };
  const findings = await Array.fromAsync(examineInstallation(env));
  const found = findings.filter(({ name }) => name === 'models').map(({ found: text }) => text);
  assert.deepEqual(found.slice(1), [
    'The door alias default means flux, which is not a model (nb, nb2, pro).',
  ]);
});

test('rules of the policy for an account that does not exist are a warning', async () => {
  await using place = await mkdtempDisposable(join(tmpdir(), 'darkroom-doctor-'));
  const { accountId } = await installation.account(0n);
  const stray = '00000000-0000-4000-8000-000000000001';
  const config = join(place.path, 'darkroom.json');
  const writeNames = (...ids: string[]) =>
    writeFile(
      config,
      JSON.stringify({ policy: { accounts: Object.fromEntries(ids.map((id) => [id, { stages: [] }])) } }),
    );
  await writeNames(accountId);
  assert.match(await findingOf('policy', { DARKROOM_CONFIG: config }), /^ok: /);
  await writeNames(accountId, stray);
  assert.match(
    await findingOf('policy', { DARKROOM_CONFIG: config }),
    new RegExp(`^warn: .*unknown accounts: ${stray}$`),
  );
});

test('another program on the port, and an address that leads to another program, fail', async () => {
  await using other = await answering(200, '<h1>Welcome</h1>');
  assert.match(await findingOf('server', { PORT: new URL(other.url).port }), /^fail: another program/);
  const address = await findingOf('address', { DARKROOM_PUBLIC_URL: other.url });
  assert.match(address, /^fail: .* answers, but not as Darkroom does/);
  await using ours = await answering(200, '{"status":"alive"}');
  assert.match(await findingOf('address', { DARKROOM_PUBLIC_URL: ours.url }), /^ok: .* answers/);
  const running = { PORT: new URL(ours.url).port, DARKROOM_PUBLIC_URL: closed };
  assert.match(await findingOf('address', running), /^fail: .* does not answer: /);
  assert.match(await findingOf('address', { HOST: '0.0.0.0', PORT: '1' }), /^warn: links to images/);
});

test('webhooks: one receiver that is down is a warning, and if none can be reached, a failure', async () => {
  const env = { DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8' };
  const { openOperator } = await import('../world/commands.ts');
  await using operator = await openOperator({ ...installation.env, ...env });
  const { accountId } = await installation.account(0n);
  await operator.replaceEndpoint(accountId, 'default', { url: `${closed}/hook` });
  assert.match(
    await findingOf('webhooks', env),
    /^fail: 0 of 1 receivers can be reached; http:\/\/127\.0\.0\.1:1: /,
  );
  assert.match(await findingOf('webhooks'), /^fail: .*not lead to a public internet address/);
  await using receiver = await answering(405);
  await operator.addEndpoint(accountId, { url: `${receiver.url}/hook` });
  assert.match(await findingOf('webhooks', env), /^warn: 1 of 2 receivers can be reached/);
});

test('a mail server is tried with our password, and no email is sent', async () => {
  const DARKROOM_MAIL_FROM = 'darkroom@example.com';
  await using smtp = await startSmtpServer();
  const found = (at: string) => findingOf('mail', { SMTP_URL: at, DARKROOM_MAIL_FROM });
  const url = smtp.url.replace('//', '//ada:hunter2@');
  assert.equal(await found(url), `ok: 127.0.0.1:${smtp.port} takes emails`);
  smtp.loginAnswer = '535 wrong password';
  const refused = await found(url);
  assert.match(refused, /^fail: 127\.0\.0\.1:\d+: .*535 wrong password/);
  assert.doesNotMatch(refused, /hunter2/);
  assert.match(await found('smtp://127.0.0.1:1'), /^fail: 127\.0\.0\.1:1: .*ECONNREFUSED/);
  assert.match(await found(`smtps://127.0.0.1:${smtp.port}`), /^fail: .*(SSL|TLS)/i);
  assert.deepEqual(smtp.taken, []);
});
