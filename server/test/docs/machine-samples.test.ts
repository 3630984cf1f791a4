import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { openWorld, type World } from '../world/world.ts';
import { sampleOf } from './support/guide-samples.ts';
import { openFolder } from './support/open-folder.ts';
import { besideEnv, shell } from './support/shell.ts';

// The commands of docs/guides/operating.md that operators type while a server runs.
suite('commands beside a server', () => {
  let world: World;
  let folder: Awaited<ReturnType<typeof openFolder>>;
  before(async () => {
    world = await openWorld();
    folder = await openFolder();
  });
  after(async () => {
    await world?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  const beside = (code: string) =>
    shell(code, folder.path, { ...besideEnv(world), PORT: new URL(world.url).port });
  const ofThisDatabase = (code: string) =>
    process.env.TEST_DATABASE_URL ? code.replaceAll(/^npx darkroom backup .*$/gm, '') : code;

  test('accounts, keys, a pause, and what is wrong with the machine', async () => {
    const said = await beside(ofThisDatabase(sampleOf('npx darkroom account create acme')));
    assert.match(said, /dk_\w+[\s\S]*dka_\w+/);
    assert.doesNotMatch(said, /^✗/m);
    await beside('npx darkroom resume pro');
  });

  test('before an upgrade and after it', async () => {
    const plan = await beside(ofThisDatabase(sampleOf('npx darkroom backup')));
    assert.match(plan, /schema/i);
    await beside(sampleOf('npx darkroom verify'));
  });

  test('a store that another database has used is adopted, in both ways', async () => {
    const mark = join(world.config.dataDir, 'images/installation.json');
    const installations = new Set<string>();
    for (const line of sampleOf('npx darkroom adopt-store').split('\n')) {
      await beside(line);
      installations.add(JSON.parse(await readFile(mark, 'utf8')).installation);
    }
    assert.equal(installations.size, 2);
  });

  test('the brand is set, shown and removed', async () => {
    const logo =
      '<svg xmlns="http://www.w3.org/2000/svg" width="48" height="16"><rect width="48" height="16"/></svg>';
    await writeFile(join(folder.path, 'logo.svg'), logo);
    assert.match(await beside(sampleOf('darkroom brand set')), /Acme Images/);
  });
});
