import assert from 'node:assert/strict';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startPacked } from './packed-program.ts';
import { runDarkroom } from './run-darkroom.ts';

test('the packed command serves from a folder outside the clone, and makes an image from another', async () => {
  await using packed = await startPacked();
  const { url, script, cwd } = packed;
  await assertListed(packed.folder);
  assert.match(packed.said, /^ {2}darkroom generate/m);
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
  assert.equal(await packed.stop(), 0);
});

async function assertListed(folder: string): Promise<void> {
  const read = (file: string) => readFile(join(folder, file), 'utf8');
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
