import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { openBrowser, skip } from '../../panel/e2e/support.ts';
import { openWorld } from '../../server/test/world/world.ts';
import { Darkroom } from '../src/index.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const tsc = join(root, 'node_modules/typescript/bin/tsc');
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

let folder: string;
const at = (...path: string[]) => join(folder, 'consumer', ...path);

// Builds both packages as npm ci does, serves them, and installs them from the server without a registry.
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-packages-'));
  const packagesDir = join(folder, 'packages');
  await run(process.execPath, [join(root, 'scripts/packages.ts'), '--into', packagesDir]);
  await cp(join(root, 'sdk/test/consumer'), at(), { recursive: true });
  await writeFile(at('package.json'), '{ "private": true, "type": "module" }');
  await using server = await openWorld({ worker: false, replacements: { packagesDir } });
  const urls = ['sdk', 'cli'].map((name) => `${server.url}/${name}.tgz`);
  await run(npm, ['install', ...withoutRegistry(), ...urls], { cwd: at() });
});
after(() => rm(folder, { recursive: true, force: true }));

const withoutRegistry = () => [
  '--registry=http://127.0.0.1:9/',
  `--cache=${join(folder, 'cache')}`,
  '--fetch-retries=0',
  '--no-audit',
  '--no-fund',
];

test('a server without packages says what builds them', async () => {
  await using world = await openWorld({
    worker: false,
    replacements: { packagesDir: join(folder, 'nothing') },
  });
  const { status, headers } = await fetch(`${world.url}/sdk.tgz`);
  assert.deepEqual([status, headers.get('content-type')], [404, 'application/problem+json']);
});

test('packages have their version in their name, and are not sent again to clients that have them', async () => {
  await using world = await openWorld({
    worker: false,
    replacements: { packagesDir: join(folder, 'packages') },
  });
  for (const name of ['sdk', 'cli']) {
    const first = await fetch(`${world.url}/${name}.tgz`);
    const bytes = Buffer.from(await first.arrayBuffer());
    assert.deepEqual(bytes, await readFile(join(folder, `packages/${name}.tgz`)));
    assert.match(
      first.headers.get('content-disposition') ?? '',
      new RegExp(`darkroom-${name}-\\d+\\.\\d+\\.\\d+\\.tgz`),
    );
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
    assert.equal((await fetch(`${world.url}/${name}.tgz`, { headers })).status, 304);
  }
});

test('the installed command makes an image, and needs no other package', async () => {
  await using world = await openWorld({ replacements: { packagesDir: join(folder, 'packages') } });
  const env = { PATH: process.env.PATH, DARKROOM_URL: world.url, DARKROOM_API_KEY: world.key };
  const command = at('node_modules/.bin/darkroom');
  const { stdout } = await run(command, ['generate', 'a red fox', '-o', 'fox.png'], { cwd: at(), env });
  assert.equal(stdout, 'fox.png\n');
  assert.equal((await readFile(at('fox.png'))).readUInt32BE(16), 1_024);
  const { DARKROOM_URL: _, ...unset } = env;
  await assert.rejects(run(command, ['balance'], { cwd: at(), env: unset }), /DARKROOM_URL is not set/);
  await assert.rejects(run(command, ['serve'], { cwd: at(), env }), /unknown command 'serve'/);
  const installed = await readdir(at('node_modules/@darkroom'));
  assert.deepEqual(
    [installed.sort(), await readdir(at('node_modules'))],
    [
      ['cli', 'sdk'],
      ['.bin', '.package-lock.json', '@darkroom'],
    ],
  );
  assert.match(await readFile(at('node_modules/@darkroom/cli/LICENSES.md'), 'utf8'), /commander/);

  // The URL as the panel prints it.
  const url = `${world.url}/cli.tgz`;
  const npx = await run(npm, ['exec', '--yes', ...withoutRegistry(), '--', url, 'balance'], {
    cwd: folder,
    env: { ...process.env, ...env },
  });
  assert.match(npx.stdout, /available/);
});

test('the installed package works from JavaScript, and from TypeScript as nodenext and for bundlers', async () => {
  await using world = await openWorld();
  const { stdout } = await run(process.execPath, [at('plain.js')], {
    cwd: at(),
    env: { ...process.env, DARKROOM_URL: world.url, DARKROOM_API_KEY: world.key },
  });
  assert.match(stdout, /^done \d+ image\/png\n$/);
  const strict = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022,dom', '--types', ''];
  for (const mode of [
    ['--module', 'nodenext'],
    ['--module', 'esnext', '--moduleResolution', 'bundler'],
  ])
    await run(process.execPath, [tsc, ...strict, ...mode, at('typed.ts')], { cwd: at() });
  const files = await readdir(at('node_modules/@darkroom/sdk'), { recursive: true });
  assert.deepEqual(
    files.filter((name) => /(?<!\.d)\.ts$/.test(name)),
    [],
  );
});

test('the page of the guide makes an image with a client token, on a listed origin only', {
  skip,
}, async () => {
  const guide = await readFile(join(root, 'docs/guides/browsers.md'), 'utf8');
  const html = /```html\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
  let api = '';
  let token = '';
  const serve = async () => {
    const server = createServer(async ({ url = '/' }, response) => {
      if (url === '/image-token') return void response.end(JSON.stringify({ token }));
      if (url === '/') {
        response.setHeader('content-type', 'text/html');
        return void response.end(`<!doctype html>${html.replaceAll('http://127.0.0.1:3000', api)}`);
      }
      const file = at('node_modules/@darkroom/sdk/dist', url.replace('/darkroom-sdk/', ''));
      const text = await readFile(file).catch(() => undefined);
      response.writeHead(text ? 200 : 404, {
        'content-type': extname(file) === '.js' ? 'text/javascript' : 'text/plain',
      });
      response.end(text);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo; // a listening TCP server has an address
    return {
      origin: `http://127.0.0.1:${port}`,
      [Symbol.asyncDispose]: () => new Promise<void>((done) => void server.close(() => done())),
    };
  };
  await using listed = await serve();
  await using other = await serve();
  await using world = await openWorld({ env: { DARKROOM_CORS_ORIGINS: listed.origin } });
  api = world.url;
  const darkroom = new Darkroom({ baseUrl: world.url, apiKey: world.key });
  const made = await darkroom.createClientToken({
    models: ['nb2'],
    spend_cap: '0.05',
    origin: listed.origin,
  });
  token = made.token;

  using shared = await openBrowser();
  const context = await shared.browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(listed.origin);
    await page.locator('img').waitFor();
    const decoded = 'document.images[0].decode().then(() => document.images[0].naturalWidth)';
    assert.ok(Number(await page.evaluate(decoded)) > 1_000);
    assert.equal(await page.title(), 'done');
    const [job] = (await darkroom.listJobs()).data;
    assert.equal(job?.status, 'done');

    const failed = page.waitForEvent('console', (message) => /CORS policy/.test(message.text()));
    await page.goto(other.origin);
    await failed;
    assert.equal((await darkroom.listJobs()).data.length, 1);
  } finally {
    await context.close();
  }
});
