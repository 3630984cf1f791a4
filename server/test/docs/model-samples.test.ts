import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { startComfyUi } from '../emulators/comfyui.ts';
import { falKey, startFal } from '../emulators/fal.ts';
import { openWorld, type World } from '../world/world.ts';
import { sampleOf, samples } from './support/guide-samples.ts';
import { openFolder } from './support/open-folder.ts';
import { besideEnv, shell } from './support/shell.ts';

// Runs docs/guides/models.md in its order: connections to the vendors' emulators, models that they make, and what
// commands print.
suite('connections and models of the guide', () => {
  const stack = new AsyncDisposableStack();
  let world: World;
  let folder: string;
  let fal: Awaited<ReturnType<typeof startFal>>;
  let comfyUi: Awaited<ReturnType<typeof startComfyUi>>;
  before(async () => {
    world = stack.use(await openWorld({ ownRoutes: true }));
    folder = stack.use(await openFolder()).path;
    fal = stack.use(await startFal());
    comfyUi = stack.use(await startComfyUi());
    Object.assign(fal.size, { width: 1024, height: 1024 });
    await writeFile(join(folder, 'fal.key'), falKey);
  });
  after(() => stack.disposeAsync());

  const run = (code: string) =>
    shell(code, folder, { ...besideEnv(world), DARKROOM_URL: world.url, DARKROOM_API_KEY: world.key });

  test('connections are added, and one is checked', async () => {
    const sample = sampleOf('npx darkroom connection add comfyui')
      .replace('http://127.0.0.1:8188', comfyUi.url)
      .replace('--name cloud', `--name cloud --base-url ${fal.url}`);
    await run(sample);
    assert.equal(fal.accepted.length, 0, 'the check costs nothing');
  });

  test('a model is applied, and makes an image with its parameter', async () => {
    await writeFile(join(folder, 'flux.json'), sampleOf('{\n  "id": "flux"'));
    const [difference = '', apply = '', generate = ''] = sampleOf('npx darkroom models apply').split('\n');
    await run(`${difference}\n${apply}`);
    await world.app.changes.refresh();
    await run(generate);
    assert.match(String(fal.of('submit')[0]?.body), /"seed": ?7\b/);
  });

  test('models for an action are applied', async () => {
    await writeFile(join(folder, 'actions.json'), sampleOf('[\n  { "id": "upscaler"'));
    await run('npx darkroom models apply actions.json --yes');
    await world.app.changes.refresh();
    for (const id of ['upscaler', 'cutout']) assert.ok(world.app.catalogue.find(id), id);
  });

  const shown = samples.filter(({ code }) => code.startsWith('$ npx darkroom'));
  for (const { code } of shown)
    test(code.split('\n', 1)[0] ?? '', async () => {
      const lines = code.trimEnd().split('\n');
      const commands = lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2));
      // `routes --check` fails if a route is refused, as one is in the guide and here.
      const said = await run(commands.join('\n').replace('--check', '--check || true'));
      const [heads] = lines.filter((line) => !line.startsWith('$ '));
      for (const head of heads?.trim().split(/ {2,}/) ?? [])
        assert.ok(said.includes(head), `${head}: ${said}`);
    });
});
