import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { access, mkdir, mkdtempDisposable, readFile, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { runDarkroom } from './run-darkroom.ts';

const root = resolve(import.meta.dirname, '../..');

/** Installs as npm does, with the `sharp` of the clone, its one dependency, which needs no network. */
async function install(folder: string): Promise<string> {
  execFileSync(process.execPath, [join(root, 'scripts/pack.ts'), '--into', folder]);
  const [tarball] = globSync('darkroom-[0-9]*.tgz', { cwd: folder });
  assert.ok(tarball);
  execFileSync('tar', ['-xzf', tarball], { cwd: folder });
  await mkdir(join(folder, 'node_modules'));
  await symlink(join(root, 'node_modules/sharp'), join(folder, 'node_modules/sharp'));
  const { bin } = JSON.parse(await readFile(join(folder, 'package/package.json'), 'utf8'));
  return join(folder, 'package', bin.darkroom);
}

test('the packed command serves from a folder without the clone, and makes an image of another', async () => {
  await using place = await mkdtempDisposable(join(tmpdir(), 'darkroom-installed-'));
  const script = await install(place.path);
  await assertListed(place.path);
  const cwd = join(place.path, 'elsewhere');
  await mkdir(cwd);
  const env = { PATH: process.env.PATH, PORT: '0', DARKROOM_SHUTDOWN_DELAY_SECONDS: '0' };
  const server = spawn(process.execPath, [script, 'serve'], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(server, 'exit');
  try {
    let said = '';
    for await (const text of server.stdout.setEncoding('utf8')) {
      said += text;
      if (said.includes('"server.started"')) break;
    }
    assert.match(said, /^ {2}darkroom generate/m);
    const url = /API +(\S+)\/api\/v1/.exec(said)?.[1];
    const run = (args: string[]) => runDarkroom(args, { cwd, script, env: { DARKROOM_DATA_DIR: '' } });

    const made = await run(['generate', 'a red fox', '-o', 'fox.png']);
    assert.equal(made.stdout, 'fox.png\n', made.stderr);
    const edited = await run(['generate', 'the same fox in the snow', '-i', 'fox.png', '-o', 'snow.png']);
    assert.equal(edited.stdout, 'snow.png\n', edited.stderr);
    await access(join(cwd, 'snow.png'));
    assert.equal((await run(['verify'])).code, 0);
    assert.equal((await run(['doctor'])).code, 0);

    for (const path of [
      ...['/', '/docs', '/docs/start/panel', '/docs/panel/make.png', '/docs/search.json', '/docs/search.js'],
      ...['/docs/reference', '/docs/fox.webp', '/sdk.tgz', '/cli.tgz', '/llms.txt', '/llms-full.txt'],
    ]) {
      const answer = await fetch(`${url}${path}`, { headers: { accept: 'text/html, */*' } });
      assert.equal(answer.status, 200, path);
      await answer.arrayBuffer();
    }
  } finally {
    server.kill('SIGTERM');
    await ended;
  }
  assert.equal(server.exitCode, 0);
});

/** All parts are listed with a licence each, and the texts of those that are bundled are there. */
async function assertListed(folder: string): Promise<void> {
  const read = (file: string) => readFile(join(folder, 'package', file), 'utf8');
  const { bomFormat, components, metadata } = JSON.parse(await read('sbom.json'));
  assert.deepEqual([bomFormat, metadata.component.name], ['CycloneDX', 'darkroom-server']);
  const names = new Set(components.map(({ name }: { name: string }) => name));
  assert.ok(names.has('sharp'), 'which npm installs');
  const bundled = [...(await read('LICENSES.md')).matchAll(/^## (\S+) - \d/gm)].map(([, name]) => name);
  assert.ok(bundled.includes('fastify'));
  assert.deepEqual(
    bundled.filter((name) => !names.has(name)),
    [],
  );
}
