import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { type ImageStore, type ListedObject, StoreError } from '../../src/images/image-store.ts';

/** Tests the promises of every image store. `open` returns an empty store. */
export function storeConformance(name: string, open: OpenStore): void {
  const promise = promises(name, open);

  for (const bytes of [0, 1, 200_000, 3_000_000]) {
    promise(`${bytes} bytes come back as they were put, from a block and from a stream`, async (store) => {
      const content = randomBytes(bytes);
      await putBytes(store, 'results/a/block.png', content);
      await store.put('results/a/stream.png', inPieces(content), { mediaType: 'image/png', bytes });
      for (const key of ['results/a/block.png', 'results/a/stream.png']) {
        assert.ok(content.equals(await readBytes(store, key)));
        assert.equal((await listed(store, key))[0]?.bytes, bytes);
      }
    });
  }

  promise('a second put replaces the first', async (store) => {
    await putBytes(store, 'a.png', Buffer.from('first, and longer'));
    await putBytes(store, 'a.png', Buffer.from('second'));
    assert.equal(String(await readBytes(store, 'a.png')), 'second');
    assert.equal((await listed(store, '')).length, 1);
  });

  promise('a range of an object is these bytes and no others', async (store) => {
    const content = randomBytes(300_000);
    await putBytes(store, 'a.png', content);
    for (const [first, last] of [
      [0, 1], // not `0-0`: these tests' S3 server answers it with the whole object
      [0, 299_999],
      [100, 199_999],
      [299_999, 299_999],
    ] as const) {
      const found = await store.get('a.png', { first, last });
      assert.equal(found?.bytes, last - first + 1);
      assert.ok(content.subarray(first, last + 1).equals(await buffer(found.body)), `${first}-${last}`);
    }
    assert.equal(await store.get('none.png', { first: 0, last: 0 }), undefined);
  });

  promise('what is not there is undefined to get and fine to remove', async (store) => {
    await putBytes(store, 'results/a/1.png', Buffer.from('x'));
    for (const key of ['none.png', 'results/none/1.png', 'results/a', 'results/a/1.png/none']) {
      assert.equal(await store.get(key), undefined, key);
      await store.remove(key);
    }
    assert.equal(String(await readBytes(store, 'results/a/1.png')), 'x');
    assert.deepEqual(await listed(store, 'none/'), []);
  });

  promise('what was removed is gone, and its neighbours are not', async (store) => {
    await putBytes(store, 'results/a/1.png', Buffer.from('one'));
    await putBytes(store, 'results/a/2.png', Buffer.from('two'));
    await store.remove('results/a/1.png');
    assert.equal(await store.get('results/a/1.png'), undefined);
    assert.deepEqual(await listedKeys(store, ''), ['results/a/2.png']);
    await store.remove('results/a/2.png');
    assert.deepEqual(await listedKeys(store, ''), []);
    await putBytes(store, 'results/a/1.png', Buffer.from('again'));
    assert.equal(String(await readBytes(store, 'results/a/1.png')), 'again');
  });

  promise('list gives every object under a prefix, with its size and time', async (store) => {
    const before = Date.now();
    const keys = ['a.png', 'inputs/a/1.png', 'inputs/ab/1.png', 'inputs/ab/2.jpg', 'results/a.b/x-1.webp'];
    for (const key of keys) await putBytes(store, key, Buffer.from(key));
    assert.deepEqual(await listedKeys(store, ''), keys);
    assert.deepEqual(await listedKeys(store, 'inputs/'), keys.slice(1, 4));
    assert.deepEqual(await listedKeys(store, 'inputs/a'), keys.slice(1, 4));
    assert.deepEqual(await listedKeys(store, 'inputs/ab/'), keys.slice(2, 4));
    assert.deepEqual(await listedKeys(store, 'a.png'), ['a.png']);
    for (const object of await listed(store, '')) {
      assert.equal(object.bytes, object.key.length);
      assert.ok(object.modifiedMs > before - 2_000 && object.modifiedMs < Date.now() + 2_000);
    }
  });

  promise('a key that is not ours is refused before anything is touched', async (store) => {
    for (const key of notKeys) {
      const body = inPieces(Buffer.from('x'));
      await assert.rejects(store.put(key, body, { mediaType: 'image/png', bytes: 1 }), TypeError, key);
      assert.ok(body.destroyed);
      await assert.rejects(store.get(key), TypeError, key);
      await assert.rejects(store.remove(key), TypeError, key);
      if (key !== '' && !key.endsWith('/')) await assert.rejects(listed(store, key), TypeError, key);
    }
    assert.deepEqual(await listed(store, ''), []);
  });

  promise('a body of another length than it was said to have leaves what was there', async (store) => {
    await putBytes(store, 'a.png', Buffer.from('old'));
    for (const bytes of [0, 5, 299_999, 300_001]) {
      const info = { mediaType: 'image/png', bytes };
      for (const body of [randomBytes(300_000), inPieces(randomBytes(300_000))]) {
        for (const key of ['a.png', 'results/b/1.png'])
          await assert.rejects(store.put(key, body, info), Error);
        await assert.rejects(store.put('a.png', randomBytes(300_000), info), StoreError);
        if (body instanceof Readable) assert.ok(body.destroyed);
      }
    }
    assert.equal(String(await readBytes(store, 'a.png')), 'old');
    assert.deepEqual(await listedKeys(store, ''), ['a.png']);
  });

  promise('a stream that fails throws its own error and leaves what was there', async (store) => {
    await putBytes(store, 'a.png', Buffer.from('old'));
    const failure = new Error('the source broke');
    for (const key of ['a.png', 'results/b/1.png']) {
      const body = Readable.from(breakingAfter(randomBytes(100_000), failure));
      await assert.rejects(store.put(key, body, { mediaType: 'image/png', bytes: 200_000 }), failure);
    }
    assert.equal(String(await readBytes(store, 'a.png')), 'old');
    assert.deepEqual(await listedKeys(store, ''), ['a.png']);
  });

  promise('a body may be destroyed unread or half read', async (store) => {
    await putBytes(store, 'a.png', randomBytes(3_000_000));
    for (const read of [false, true]) {
      const found = await store.get('a.png');
      assert.ok(found);
      if (read) await once(found.body, 'readable');
      found.body.destroy();
      if (!found.body.closed) await new Promise((resolve) => found.body.once('close', resolve));
    }
    assert.equal((await readBytes(store, 'a.png')).length, 3_000_000);
  });

  promise('a check passes and leaves nothing', async (store) => {
    await store.check();
    assert.deepEqual(await listed(store, ''), []);
    assert.deepEqual(await store.sweep(), { removed: 0 });
  });
}

/** A promise that not every S3 server keeps: a test server may show a half-written object. */
export function wholeVersionsConformance(name: string, open: OpenStore): void {
  const promise = promises(name, open);

  promise('a reader sees one whole version while others write', async (store) => {
    const versions = [1, 2, 3].map((value) => Buffer.alloc(300_000 * value, value));
    await putBytes(store, 'a.png', versions[0] ?? Buffer.alloc(0));
    const writing = Promise.all(
      versions.map(async (version) => {
        for (let turn = 0; turn < 8; turn += 1) await putBytes(store, 'a.png', version);
      }),
    );
    for (let turn = 0; turn < 30; turn += 1) {
      const read = await readBytes(store, 'a.png');
      assert.ok(
        versions.some((version) => version.equals(read)),
        `no version has these ${read.length} bytes`,
      );
    }
    await writing;
  });
}

type OpenStore = () => Promise<ImageStore>;

function promises(name: string, open: OpenStore) {
  return (guarantee: string, check: (store: ImageStore) => Promise<void>) =>
    test(`${name}: ${guarantee}`, async () => {
      const store = await open();
      try {
        await check(store);
      } finally {
        await store[Symbol.asyncDispose]?.();
      }
    });
}

const notKeys = [
  '',
  '/',
  '/a',
  'a/',
  'a//b',
  '.',
  '..',
  '../a',
  'a/../b',
  'a/..',
  './a',
  'a/.hidden',
  '.tmp/a',
  'a\\b',
  'a\0b',
  'a b',
  'A',
  'a%2e',
  'ä',
  'a\n',
  'a?b',
  'a#b',
  'x'.repeat(201),
];

export async function putBytes(store: ImageStore, key: string, content: Uint8Array): Promise<void> {
  await store.put(key, content, { mediaType: 'image/png', bytes: content.byteLength });
}

export async function readBytes(store: ImageStore, key: string): Promise<Buffer> {
  const found = await store.get(key);
  assert.ok(found, `${key} is not there`);
  const content = await buffer(found.body);
  assert.equal(content.length, found.bytes);
  return content;
}

export async function listed(store: ImageStore, prefix: string): Promise<ListedObject[]> {
  return await Array.fromAsync(store.list(prefix));
}

export async function listedKeys(store: ImageStore, prefix: string): Promise<string[]> {
  return (await listed(store, prefix)).map((object) => object.key).sort();
}

function inPieces(content: Buffer): Readable {
  const pieces: Buffer[] = [];
  for (let start = 0; start < content.length; start += 65_537)
    pieces.push(content.subarray(start, start + 65_537));
  return Readable.from(pieces);
}

async function* breakingAfter(content: Buffer, failure: Error) {
  yield content;
  throw failure;
}
