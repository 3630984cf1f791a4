import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { openDiskStore } from '../../src/images/disk/disk-store.ts';
import { StoreError } from '../../src/images/image-store.ts';
import { streamStored } from '../../src/images/read-stored.ts';
import { openReadable } from '../../src/web/api/nouns/images/open-rendition.ts';

test('a stored image that breaks off before its reader listens fails the reader, and not the process', async () => {
  const body = new Readable({ read() {} });
  body.push('its first bytes');
  const opened = await openReadable(Promise.resolve({ body }), new AbortController().signal);
  const closed = new Promise((resolve) => body.once('close', resolve));
  body.destroy(new StoreError('the store went away'));
  await closed;
  await assert.rejects(opened.body.toArray(), StoreError);
});

test('a stored image is closed if its copy fails before it is read', { timeout: 10_000 }, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'darkroom-test-'));
  const images = await openDiskStore(folder.path);
  const info = { mediaType: 'image/png', bytes: 3 } as const;
  await images.put('results/1/1.png', Buffer.from('abc'), info);
  const stored = await images.get('results/1/1.png');
  assert.ok(stored);
  const closed = once(stored.body, 'close');
  await assert.rejects(images.put('not a key', streamStored('results/1/1.png', stored.body), info));
  await closed;
});
