import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, promises } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { hostname, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, test } from 'node:test';
import { openDiskStore } from '../../src/images/disk/disk-store.ts';
import { StoreError } from '../../src/images/image-store.ts';
import {
  listedKeys,
  putBytes,
  readBytes,
  storeConformance,
  wholeVersionsConformance,
} from './conformance.ts';

const scratch = await mkdtemp(join(tmpdir(), 'disk-store-'));
after(() => rm(scratch, { recursive: true, force: true }));

const newFolder = () => mkdtemp(join(scratch, 'root-'));

storeConformance('disk', async () => openDiskStore(await newFolder()));
wholeVersionsConformance('disk', async () => openDiskStore(await newFolder()));

test('the root is created if missing, and may itself be reached through a link', async () => {
  const root = await newFolder();
  await putBytes(await openDiskStore(join(root, 'a/b')), 'results/1.png', Buffer.from('x'));
  await symlink(join(root, 'a/b'), join(root, 'link'));
  assert.equal(String(await readBytes(await openDiskStore(join(root, 'link')), 'results/1.png')), 'x');
});

test('a root that cannot be a folder is refused with a sentence', async () => {
  const root = await newFolder();
  await writeFile(join(root, 'file'), '');
  await assert.rejects(openDiskStore(join(root, 'file')), isStoreError(/cannot open the image folder/));
});

test('if neither the body nor the store can be opened, only the put fails', async () => {
  const root = await newFolder();
  const store = await openDiskStore(root);
  await rm(join(root, '.tmp'), { recursive: true });
  for (let nth = 0; nth < 20; nth++) {
    const body = createReadStream(join(root, 'missing'));
    await assert.rejects(store.put('results/1.png', body, { mediaType: 'image/png', bytes: 1 }), StoreError);
  }
});

test('links planted in the store are not served, followed, listed or written through', async () => {
  const [root, outside] = [await newFolder(), await newFolder()];
  const store = await openDiskStore(root);
  await mkdir(join(outside, 'sub'));
  await writeFile(join(outside, 'secret.png'), 'secret');
  await symlink(join(outside, 'secret.png'), join(root, 'file.png'));
  await symlink(outside, join(root, 'folder'));
  await symlink('.', join(root, 'self'));
  execFileSync('mkfifo', [join(root, 'pipe')]);

  for (const key of ['file.png', 'folder/secret.png', 'folder', 'self', 'self/file.png', 'pipe']) {
    assert.equal(await store.get(key), undefined, key);
  }
  assert.deepEqual(await listedKeys(store, ''), []);
  assert.deepEqual(await listedKeys(store, 'folder/'), []);
  await store.remove('folder/secret.png');
  await store.remove('folder/sub/none.png');
  for (const key of ['folder/new.png', 'folder/sub/new.png', 'folder/new/new.png']) {
    await assert.rejects(putBytes(store, key, Buffer.from('x')), StoreError);
  }
  await putBytes(store, 'file.png', Buffer.from('ours'));
  assert.equal(String(await readBytes(store, 'file.png')), 'ours');
  assert.equal(await readFile(join(outside, 'secret.png'), 'utf8'), 'secret');
  assert.deepEqual((await readdir(outside)).sort(), ['secret.png', 'sub']);
});

for (const replaced of ['results/a', 'results'])
  test(`a link that replaces ${replaced}, where images are, is not written through`, async () => {
    for (const way of [{}, { isNew: true }] as const) {
      const [root, outside] = [await newFolder(), await newFolder()];
      const store = await openDiskStore(root);
      await putBytes(store, 'results/a/1.png', Buffer.from('x'));
      await rename(join(root, replaced), join(outside, 'moved'));
      await symlink(join(outside, 'moved'), join(root, replaced));
      const info = { mediaType: 'image/png', bytes: 1, ...way } as const;
      await assert.rejects(store.put('results/a/2.png', Buffer.from('x'), info), StoreError);
      const moved = await readdir(join(outside, 'moved'), { recursive: true });
      assert.equal(moved.filter((name) => name.endsWith('.png')).length, 1);
    }
  });

test('neither a failed nor a successful put leaves a temporary file', async () => {
  const root = await newFolder();
  const store = await openDiskStore(root);
  await putBytes(store, 'results/a/1.png', Buffer.from('x'));
  await assert.rejects(store.put('b', Buffer.from('x'), { mediaType: 'image/png', bytes: 2 }), StoreError);
  await assert.rejects(putBytes(store, 'results/a/1.png/b', Buffer.from('x')), isStoreError(/not a folder/));
  await assert.rejects(putBytes(store, 'results/a', Buffer.from('x')), isStoreError(/EISDIR/));
  assert.deepEqual(await readdir(join(root, '.tmp')), []);
});

test('removing a folder’s last object removes the folder, even during a put into it', async () => {
  const root = await newFolder();
  const store = await openDiskStore(root);
  await Promise.all(
    Array.from({ length: 8 }, async (_, writer) => {
      for (let turn = 0; turn < 20; turn += 1) {
        await putBytes(store, `results/a/${writer}.png`, Buffer.from('x'));
        await store.remove(`results/a/${writer}.png`);
      }
    }),
  );
  assert.deepEqual(await readdir(join(root, 'results')), []);
});

test('for a folder that is created again, the folders above are synced again', async () => {
  const root = await newFolder();
  const store = await openDiskStore(root);
  const synced: string[] = [];
  const { open } = promises;
  const spied: typeof open = async (path, ...more) => {
    const handle = await open(path, ...more);
    const [sync, stat] = [handle.sync.bind(handle), handle.stat.bind(handle)];
    // Like a file system that gives a removed folder's number to the next folder.
    handle.stat = (async () => Object.assign(await stat(), { ino: 1 })) as typeof stat; // the form that the store requests
    handle.sync = () => {
      synced.push(relative(root, String(path)));
      return sync();
    };
    return handle;
  };
  promises.open = spied;
  syncBuiltinESMExports();
  try {
    const put = async (name: string) => {
      synced.length = 0;
      await store.put(`results/0197c3a/${name}.png`, Buffer.from('x'), {
        ...{ mediaType: 'image/png', bytes: 1, isNew: true },
      });
      return synced.filter((path) => !path.endsWith('.png'));
    };
    const all = ['results/0197c3a', 'results', ''];
    assert.deepEqual(await put('one'), all);
    assert.deepEqual(await put('two'), all.slice(0, 1), 'the folders above have it already');
    for (const name of ['one', 'two']) await store.remove(`results/0197c3a/${name}.png`);
    assert.deepEqual(await put('three'), all.slice(0, 2), 'it is another folder of the same name');
  } finally {
    promises.open = open;
    syncBuiltinESMExports();
  }
});

test('sweep removes the files of dead writers and spares those of writers that may be at work', async () => {
  const root = await newFolder();
  const store = await openDiskStore(root);
  const gone = spawn(process.execPath, ['-e', '']);
  await once(gone, 'exit');
  const host = hostname()
    .replaceAll(/[^A-Za-z0-9-]/g, '-')
    .slice(0, 60);
  const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000);
  const leftovers = [`${host}.${gone.pid}.0000.1`, `${host}.${process.pid}.0000.2`, 'elsewhere.1.0000.old'];
  const atWork = [`${host}.1.0000.3`, 'elsewhere.1.0000.young'];
  for (const name of [...leftovers, ...atWork]) await writeFile(join(root, '.tmp', name), 'x');
  await utimes(join(root, '.tmp', 'elsewhere.1.0000.old'), longAgo, longAgo);
  await putBytes(store, 'checks/young', Buffer.from('x'));
  await putBytes(store, 'checks/old', Buffer.from('x'));
  await utimes(join(root, 'checks/old'), longAgo, longAgo);

  assert.deepEqual(await store.sweep(), { removed: leftovers.length + 1 });
  assert.deepEqual((await readdir(join(root, '.tmp'))).sort(), atWork.sort());
  assert.deepEqual(await listedKeys(store, ''), ['checks/young']);
});

test('a process killed in the middle of a put leaves no object, and its temporary file is swept', async () => {
  const root = await newFolder();
  const store = await openDiskStore(root);
  const script = `
    import { openDiskStore } from ${JSON.stringify(import.meta.resolve('../../src/images/disk/disk-store.ts'))};
    import { Readable } from 'node:stream';
    const store = await openDiskStore(process.argv[1]);
    async function* half() {
      yield Buffer.alloc(500_000, 1);
      console.log('half');
      await new Promise(() => setInterval(() => undefined, 1000));
    }
    await store.put('results/a/1.png', Readable.from(half()), { mediaType: 'image/png', bytes: 1_000_000 });`;
  const writer = spawn(process.execPath, ['--input-type=module', '-e', script, root], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(writer.stdout, 'data');
  assert.equal((await readdir(join(root, '.tmp'))).length, 1);
  assert.deepEqual(await store.sweep(), { removed: 0 });
  writer.kill('SIGKILL');
  await once(writer, 'exit');
  assert.equal(await store.get('results/a/1.png'), undefined);
  assert.deepEqual(await listedKeys(store, ''), []);
  assert.deepEqual(await store.sweep(), { removed: 1 });
});

test('a full disk is a StoreError, loses nothing stored, and works again once there is space', async (context) => {
  const root = await newFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', root], { stdio: 'pipe' });
  } catch {
    context.skip('NOT TESTED: a full disk needs the right to mount a tmpfs');
    return;
  }
  try {
    const store = await openDiskStore(root);
    await putBytes(store, 'a.png', Buffer.alloc(600_000, 1));
    for (const key of ['a.png', 'results/b/1.png']) {
      await assert.rejects(
        putBytes(store, key, Buffer.alloc(600_000, 2)),
        isStoreError(/the disk is full \(ENOSPC\)/),
      );
    }
    assert.deepEqual(await listedKeys(store, ''), ['a.png']);
    assert.ok(Buffer.alloc(600_000, 1).equals(await readBytes(store, 'a.png')));
    assert.deepEqual(await readdir(join(root, '.tmp')), []);
    await store.remove('a.png');
    await putBytes(store, 'results/b/1.png', Buffer.alloc(600_000, 2));
  } finally {
    execFileSync('umount', ['-l', root]);
  }
});

function isStoreError(message: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof StoreError && message.test(error.message);
}
