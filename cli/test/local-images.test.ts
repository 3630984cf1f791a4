import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { photo } from '../../server/test/uploads/images.ts';
import { openWorld } from '../../server/test/world/world.ts';
import { runDarkroom } from './run-darkroom.ts';

test('-i takes files and the standard input, and reads them before anything is sent', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'darkroom-cli-'));
  await using world = await openWorld();
  await writeFile(join(cwd, 'photo.jpg'), photo);
  const env = { DARKROOM_URL: world.url, DARKROOM_API_KEY: world.key };
  const run = (...args: string[]) => runDarkroom(['generate', ...args], { cwd, env, input: photo });

  const made = await run('-a', 'auto', '-i', 'photo.jpg', '-', 'as a drawing', '-o', 'drawing.png');
  assert.deepEqual([made.code, made.stdout.trim()], [0, 'drawing.png'], made.stderr);
  const [asked] = world.provider.requests;
  assert.equal(asked?.request.prompt, 'as a drawing');
  assert.deepEqual(
    asked?.request.inputs.map(({ width, height }) => `${width}x${height}`),
    ['320x240', '320x240'],
  );
  for (const [args, words] of [
    [['a fox', '-i', 'none.jpg'], /none\.jpg cannot be read: the file does not exist\.\n/],
    [['a fox', '-i', '.'], /\. cannot be read: it is a folder\.\n/],
    [['a fox', '-i', '-', '-i', '-'], /^darkroom: - can be given once/],
    [['-i', 'photo.jpg'], /missing required argument 'prompt'/],
  ] as const) {
    const refused = await run(...args);
    assert.equal(refused.code, 2, refused.stderr);
    assert.match(refused.stderr, words);
  }
  await writeFile(join(cwd, 'notes.txt'), 'this is no image, but it is long enough');
  const wrong = await run('a fox', '-i', 'notes.txt');
  assert.notEqual(wrong.code, 0);
  assert.match(wrong.stderr, /not a JPEG, PNG, WebP or GIF/);
  assert.equal(world.provider.requests.length, 1);
  await rm(cwd, { recursive: true });
});

test('--mask sends a local mask with the input, and the file has the requested format', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'darkroom-cli-'));
  await using world = await openWorld({ ownRoutes: true });
  for (const name of ['photo.jpg', 'mask.jpg']) await writeFile(join(cwd, name), photo);
  const env = { DARKROOM_URL: world.url, DARKROOM_API_KEY: world.key };
  const output = ['--format', 'webp', '--compression', '60', '-o', 'out.webp', '--json'];
  const made = await runDarkroom(
    ['generate', '-a', 'auto', '-i', 'photo.jpg', '--mask', 'mask.jpg', ...output, 'at night'],
    { cwd, env },
  );
  assert.equal(made.code, 0, made.stderr);
  const job = JSON.parse(made.stdout) as Record<string, unknown>;
  assert.match(String(job.mask_url), /-input-1\.png\?/);
  assert.deepEqual([job.output_format, job.output_compression], ['webp', 60]);
  assert.equal((await readFile(join(cwd, 'out.webp'))).toString('latin1', 8, 12), 'WEBP');
  const left = await world.app.database.read.selectFrom('uploads').select('id').execute();
  assert.deepEqual(left, []);
  await rm(cwd, { recursive: true });
});
