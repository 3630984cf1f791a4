import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openDiskStore } from '../../src/images/disk/disk-store.ts';
import { createChildPool } from '../../src/images/inputs/child-pool.ts';
import { objectsOf, resultKey } from '../../src/images/object-keys.ts';
import { makeRenditions } from '../../src/images/renditions/make-renditions.ts';
import { openWorld } from '../world/world.ts';

const script = fileURLToPath(new URL('./support/forging-child.ts', import.meta.url));
const never = new AbortController().signal;

test('of renditions from a child that an image has taken over, only whole WebP files are stored', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-forged-'));
  const images = await openDiskStore(folder);
  await using world = await openWorld({ replacements: { images } });
  await using children = createChildPool({ script, idleMs: 60_000 });
  const jobId = await world.create();
  await world.finished(jobId);
  const key = resultKey(jobId, 1);
  const { database } = world.app;
  const make = async (forgery: string) => {
    await images.put(key, Buffer.from(forgery), { mediaType: 'image/png', bytes: forgery.length });
    const deps = { database, images, signer: null, tempDir: folder };
    return makeRenditions(deps, children, { jobId, key, set: 'smallest' }, never);
  };
  const stored = async () => (await Array.fromAsync(images.list(objectsOf('results', jobId)))).length;
  for (const forgery of [
    'none',
    'no array',
    'too few',
    'too many',
    'no text',
    'empty',
    'no base64',
    'another file',
    'cut off',
    'padded with other bytes',
    'too long',
  ]) {
    await assert.rejects(make(forgery), /could not be made/, forgery);
    assert.equal(await stored(), 1, forgery);
  }
  assert.equal(await make('good'), true);
  assert.equal(await stored(), 2);
  await rm(folder, { recursive: true });
});
