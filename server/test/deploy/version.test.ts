import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { Darkroom } from '@darkroom/sdk';
import { runDarkroom } from '../../../cli/test/run-darkroom.ts';
import { listNamed, manifests, ownVersion } from '../../../scripts/packaging/version-places.ts';
import { openS3Store } from '../../src/images/s3/s3-store.ts';
import { version } from '../../src/version.ts';
import { until } from '../faults/support/server.ts';
import { openOperator } from '../panel/browser.ts';
import { clientOf, finished } from '../processes/support/client.ts';
import { openInstallation } from '../processes/support/installation.ts';
import { createDatabase } from '../world/databases.ts';
import { openWorld } from '../world/world.ts';

const root = resolve(import.meta.dirname, '../../..');
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');

test('everything that names the version names the same one, which is the newest in the changelog', () => {
  assert.equal(version, ownVersion());
  for (const file of manifests) assert.equal(JSON.parse(textOf(file)).version, version, file);
  const { packages } = JSON.parse(textOf('package-lock.json')) as {
    packages: Record<string, { version: string }>;
  };
  for (const folder of ['', 'server', 'sketch', 'sdk', 'cli', 'panel'])
    assert.equal(packages[folder]?.version, version, `package-lock.json, ${folder}`);
  for (const { file, versions } of listNamed()) {
    assert.ok(versions.length > 0, `${file} names no version`);
    for (const named of versions) assert.equal(named, version, file);
  }
  assert.match(textOf('CHANGELOG.md'), new RegExp(`^# [^#]*\n## ${version.replaceAll('.', '\\.')} \\(`));
});

test('every process says its version: the command, /metrics, the OpenAPI documents, status, and the system page, which shows several', async () => {
  await using place = await openInstallation(await createDatabase());
  const said = await runDarkroom(['--version'], { cwd: tmpdir() });
  assert.equal(said.stdout, `${version}\n`);
  await using server = await place.start('all');
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  for (const prefix of ['/api/v1', '/admin/v1']) {
    const document = (await (await fetch(`${server.url}${prefix}/openapi.json`)).json()) as {
      info: { version: string };
    };
    assert.equal(document.info.version, version, prefix);
  }
  assert.match(metrics, new RegExp(`^darkroom_build_info\\{version="${version}",node="v[\\d.]+"\\} 1$`, 'm'));
  await place.database.transaction((tx) =>
    tx
      .insertInto('processes')
      .values({
        process: 'other:1:abc',
        role: 'worker',
        version: '0.1.9',
        started_at: 1,
        seen_at: Date.now(),
      })
      .execute(),
  );
  const status = await runDarkroom(['status'], { cwd: tmpdir(), env: place.env });
  assert.match(status.stdout, new RegExp(`^version +${version}$`, 'm'), status.stderr);
  assert.match(status.stdout, /^process +other:1:abc, worker, 0\.1\.9$/m);
  assert.match(status.stdout, new RegExp(`^process +\\S+:${server.pid}:\\S+, all, ${version}$`, 'm'));
  server.signal('SIGTERM');
  await server.ended;
  const { processes } = await place.operator.status();
  assert.deepEqual(
    processes.map((one) => one.version),
    ['0.1.9'],
    'a process that ended is not shown',
  );
});

test('the system page lists the processes with their versions', async () => {
  await using world = await openWorld();
  const { version: own, processes } = await (await openOperator(world)).call('GET /admin/v1/status');
  assert.equal(own, version);
  assert.deepEqual(
    processes.map(({ role, version: of }) => [role, of]),
    [['all', version]],
  );
});

async function startAsked(): Promise<
  AsyncDisposable & { url: string; agents: Map<string, string | undefined> }
> {
  const agents = new Map<string, string | undefined>();
  const image = readFileSync(join(root, 'docs/panel/home.png'));
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://asked');
    agents.set(pathname, request.headers['user-agent']);
    request.resume();
    if (pathname === '/input.png') response.writeHead(200, { 'content-type': 'image/png' }).end(image);
    else
      response.writeHead(pathname === '/hook' ? 204 : 400, { 'content-type': 'application/json' }).end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    agents,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

test('our requests to others name the program that sends them: inputs, providers, webhooks, the SDK, the command', async () => {
  await using provider = await startAsked();
  await using client = await startAsked();
  const { url, agents } = client;
  await using place = await openInstallation(await createDatabase(), {
    OPENAI_BASE_URL: `${provider.url}/v1`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/otlp`,
    DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8',
  });
  await using server = await place.start('all');
  const { key } = await place.account(1_000_000n);
  const send = clientOf(server, key);
  const input_images_urls = [`${url}/input.png`];
  const body = { prompt: 'a fox', aspect_ratio: '1:1', input_images_urls, callback_url: `${url}/hook` };
  const created = await send('POST', '/nb2/url-generations', { body });
  assert.equal(created.status, 202, JSON.stringify(created.body));
  await finished(send, String(created.body.job_id));
  await until(() => agents.has('/hook'));
  assert.equal(agents.get('/input.png'), `Darkroom/${version}`);
  assert.equal(agents.get('/hook'), `Darkroom-Webhooks/${version}`);
  assert.deepEqual([...new Set(provider.agents.values())], [`Darkroom/${version}`]);

  await until(() => agents.has('/otlp/v1/traces'));
  assert.equal(agents.get('/otlp/v1/traces'), `Darkroom/${version}`);
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const bucket = { bucket: 'images', prefix: '', region: 'us-east-1', endpoint: url, credentials };
  const store = await openS3Store(bucket);
  await assert.rejects(store.get('results/one.png'));
  await store[Symbol.asyncDispose]?.();
  assert.equal(agents.get('/images/results/one.png'), `Darkroom/${version}`);

  const sdk = new Darkroom({ baseUrl: url, apiKey: key, userAgent: 'shop/1.0', maxRetries: 0 });
  await assert.rejects(sdk.balance());
  assert.equal(agents.get('/api/v1/balance'), `shop/1.0 darkroom-sdk/${version}`);
  await runDarkroom(['balance'], { cwd: tmpdir(), env: { DARKROOM_URL: url, DARKROOM_API_KEY: key } });
  assert.equal(agents.get('/api/v1/balance'), `darkroom-cli/${version} darkroom-sdk/${version}`);
});
