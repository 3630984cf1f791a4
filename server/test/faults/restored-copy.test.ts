import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { cpSync, globSync, mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newId } from '../../src/base/std/ids.ts';
import { backUpDatabase } from '../../src/start/open-operator.ts';
import { openOperator } from '../world/commands.ts';
import { type RealServer, startServer, temporaryFolder, until } from './support/server.ts';

// The drill: production makes an image, is backed up, and makes two more; a day later the backup is started elsewhere
// on the same image store. Without protection, the copy would leave one of the three images.

const timeout = 300_000;
const dayAndAnHourMs = 25 * 60 * 60 * 1000;

const images = (store: string) => globSync('results/*/*.png', { cwd: store });

/** Ages everything in the store by a day, so that sweeps may judge it. */
function age(store: string): void {
  const then = new Date(Date.now() - dayAndAnHourMs);
  for (const file of images(store)) utimesSync(join(store, file), then, then);
}

async function makeImage({ send }: RealServer): Promise<void> {
  const { body } = await send('POST', '/nb/text-generations', { prompt: 'a fox', aspect_ratio: '1:1' });
  const job = await send('GET', `/jobs/${body.job_id}`, undefined, { prefer: 'wait=60' });
  assert.equal(job.body.status, 'done');
}

const hasLogged = ({ lines }: RealServer, event: string) =>
  until(() => lines.find((line) => line.event === event));

/** Production with three images, and in `copy` its backup, which knows only one of them. */
async function drill(stack: DisposableStack) {
  const production = stack.use(temporaryFolder()).path;
  const copy = stack.use(temporaryFolder()).path;
  const store = join(stack.use(temporaryFolder()).path, 'images');
  const env = { DARKROOM_STORAGE: `disk:${store}` };
  const folders = { production, copy };
  const start = (which: keyof typeof folders) => startServer(folders[which], { env });
  {
    await using server = await start('production');
    await makeImage(server);
    await backUpDatabase({ DARKROOM_DATA_DIR: production }, join(copy, 'backup.db'));
    await makeImage(server);
    await makeImage(server);
  }
  renameSync(join(copy, 'backup.db'), join(copy, 'darkroom.db'));
  for (const name of ['secret', 'client.json']) cpSync(join(production, name), join(copy, name));
  {
    await using _marked = await start('production');
  }
  age(store);
  assert.equal(images(store).length, 3);
  const adopt = async (unknown: 'keep' | 'remove') => {
    await using operator = await openOperator({ DARKROOM_DATA_DIR: copy, ...env });
    await operator.adoptStore({ unknown });
  };
  return { start, store, adopt };
}

/** Leaves a file that a sweep removes for any owner, so that the sweep's end shows. */
function leaveFragment(store: string): void {
  mkdirSync(join(store, 'checks'), { recursive: true });
  const file = join(store, 'checks', randomUUID());
  writeFileSync(file, 'x');
  const then = new Date(Date.now() - dayAndAnHourMs);
  utimesSync(file, then, then);
}

test('a copy on production’s store removes none of its 3 images, and says why', {
  timeout,
}, async (t) => {
  using stack = new DisposableStack();
  const { start, store } = await drill(stack);
  leaveFragment(store);
  const ofProduction = images(store);
  {
    await using copy = await start('copy');
    const line = await hasLogged(copy, 'image_store.not_ours');
    assert.equal(line.why, 'has jobs that are not in this database');
    await hasLogged(copy, 'images.swept');
    // Apart from that, the copy works.
    await makeImage(copy);
  }
  const left = () => ofProduction.filter((image) => images(store).includes(image));
  t.diagnostic(`${left().length} of 3 images of production are there`);
  assert.equal(left().length, 3);

  age(store);
  leaveFragment(store);
  await using production = await start('production');
  await hasLogged(production, 'images.swept');
  assert.equal(left().length, 3);
});

test('adopting a store with its unknown images, a restored database keeps all images and sweeps only later leftovers', {
  timeout,
}, async () => {
  using stack = new DisposableStack();
  const { start, store, adopt } = await drill(stack);
  await adopt('keep');
  const leftOver = join(store, 'results', newId(Date.now() + 1000));
  mkdirSync(leftOver);
  writeFileSync(join(leftOver, '1.png'), 'x');
  age(store);
  {
    await using copy = await start('copy');
    const { orphans } = await hasLogged(copy, 'images.swept');
    assert.equal(orphans, 1);
    assert.ok(!copy.lines.some(({ event }) => event === 'image_store.not_ours'));
  }
  assert.equal(images(store).length, 3);

  // The previous owner logs the change.
  await using production = await start('production');
  const line = await hasLogged(production, 'image_store.not_ours');
  assert.equal(line.why, 'of another installation');
});

test('adopting a store without its unknown images, it removes them', { timeout }, async () => {
  using stack = new DisposableStack();
  const { start, store, adopt } = await drill(stack);
  await adopt('remove');
  await using copy = await start('copy');
  const { orphans } = await hasLogged(copy, 'images.swept');
  assert.equal(orphans, 2);
  assert.equal(images(store).length, 1);
});

test('when a copy marks the store before its original does, the original stops removing, and then the copy', {
  timeout,
}, async () => {
  using stack = new DisposableStack();
  const original = stack.use(temporaryFolder()).path;
  const copy = stack.use(temporaryFolder()).path;
  const env = { DARKROOM_STORAGE: `disk:${join(stack.use(temporaryFolder()).path, 'images')}` };
  /** Returns why the server would remove nothing, and makes an image, on whose store the next start sets its mark. */
  const run = async (folder: string, { isRefused = false } = {}) => {
    await using server = await startServer(folder, { env });
    await makeImage(server);
    if (isRefused) await hasLogged(server, 'image_store.not_ours');
    return server.lines.find(({ event }) => event === 'image_store.not_ours')?.why;
  };
  assert.equal(await run(original), undefined);
  await backUpDatabase({ DARKROOM_DATA_DIR: original }, join(copy, 'darkroom.db'));
  for (const name of ['secret', 'client.json']) cpSync(join(original, name), join(copy, name));
  const foreign = 'has jobs that are not in this database';
  assert.equal(await run(copy), undefined);
  assert.equal(await run(copy), undefined);
  assert.equal(await run(original, { isRefused: true }), foreign);
  assert.equal(await run(original, { isRefused: true }), foreign);
  assert.equal(await run(copy, { isRefused: true }), foreign);
});
