import { constants } from 'node:fs';
import { lstat, open, opendir, realpath, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { makeFolder } from '../../base/std/make-folder.ts';
import { checkStore, removeAbandonedChecks } from '../check-store.ts';
import {
  assertKey,
  type ByteRange,
  type ImageStore,
  type ListedObject,
  type PutInfo,
  type StoredObject,
  StoreError,
} from '../image-store.ts';
import { assertPrefix, isKey } from '../listed-keys.ts';
import { createFile, fillFile } from './create-file.ts';
import { codeOf, diskError, onDisk } from './disk-error.ts';
import { type DiskFolders, diskFolders } from './disk-folders.ts';
import { removeAbandoned, temporaryName } from './temporary-files.ts';

/** No key starts with a dot, so no object is in this folder. It is on the store's disk, for atomic renames. */
const temporaryFolder = '.tmp';

/** The size of a read, which waits for a thread behind images being decoded. A slow client keeps two in memory. */
const readBytes = 256 * 1024;

export async function openDiskStore(root: string): Promise<ImageStore> {
  return await onDisk(`open the image folder ${root}`, async () => {
    await makeFolder(join(root, temporaryFolder));
    const real = await realpath(root);
    const temporary = await lstat(join(real, temporaryFolder));
    if (!temporary.isDirectory()) throw new StoreError(`${join(root, temporaryFolder)} is not a folder`);
    return diskStore(real);
  });
}

function diskStore(root: string): ImageStore {
  const folders = diskFolders(root);
  const store: ImageStore = {
    kind: 'disk',
    put: (key, body, info) => put({ root, folders }, key, body, info),
    get: (key, range) => get(root, key, range),
    remove: (key) => remove({ root, folders }, key),
    list: (prefix) => {
      assertPrefix(prefix);
      return walk(root, prefix.slice(0, prefix.lastIndexOf('/') + 1), prefix);
    },
    check: () => checkStore(store),
    sweep: async () => {
      const files = await removeAbandoned(join(root, temporaryFolder), Date.now());
      return { removed: files + (await removeAbandonedChecks(store, Date.now())) };
    },
  };
  return store;
}

interface Disk {
  root: string;
  folders: DiskFolders;
}

async function put(
  { root, folders }: Disk,
  key: string,
  body: Uint8Array | Readable,
  { bytes, isNew, canBeLost }: PutInfo,
): Promise<void> {
  // The body may fail before it is read, and an unhandled error event would end the process.
  if (body instanceof Readable) body.on('error', () => undefined);
  try {
    assertKey(key);
    const path = join(root, key);
    const folder = dirname(path);
    const file = isNew ? await folders.enter(folder, () => createIfNew(path)) : undefined;
    // No database row names the object yet, so the name may reach the disk before the bytes.
    if (file !== undefined)
      await orRemoved(path, Promise.all([fillFile(file, body, bytes), folders.sync(folder)]));
    else {
      const temporary = join(root, temporaryFolder, temporaryName());
      const writing = await onDisk('create a temporary file', () => createFile(temporary));
      // The file gets its name only when all its bytes are on disk.
      await orRemoved(temporary, fillFile(writing, body, bytes));
      await orRemoved(
        temporary,
        folders.enter(folder, () => rename(temporary, path)),
      );
      if (!canBeLost) await folders.sync(folder);
    }
  } catch (error) {
    if (body instanceof Readable) body.destroy();
    throw error;
  }
}

/** Creates the file under its final name. A rename needs another sync, which took a fifth of a small image's time. */
async function createIfNew(path: string): Promise<number | undefined> {
  try {
    return await createFile(path);
  } catch (error) {
    // The file is from a process that died, or from jobs that a restored database does not know.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

async function orRemoved(path: string, work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    await rm(path, { force: true }).catch(() => undefined); // otherwise the sweep removes it
    throw error;
  }
}

async function get(root: string, key: string, range?: ByteRange): Promise<StoredObject | undefined> {
  assertKey(key);
  const path = join(root, key);
  try {
    // Non-blocking, because opening a planted named pipe could wait for a writer for ever.
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      if (found.isFile() && (await realpath(path)) === path) {
        const { first, last } = range ?? { first: 0, last: found.size - 1 };
        // An empty file has no last byte. For other files, the range saves a last read that would only find the end.
        const part = found.size > 0 && { start: first, end: last };
        return {
          bytes: last - first + 1,
          body: file.createReadStream({ highWaterMark: readBytes, ...part }),
        };
      }
    } catch (error) {
      await file.close();
      throw error;
    }
    await file.close();
    return undefined;
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw diskError(`read ${key}`, error);
  }
}

async function remove({ root, folders }: Disk, key: string): Promise<void> {
  assertKey(key);
  const path = join(root, key);
  try {
    if ((await realpath(dirname(path))) !== dirname(path)) return;
    await unlink(path);
  } catch (error) {
    if (!isAbsence(error)) throw diskError(`remove ${key}`, error);
  }
  await folders.removeEmpty(dirname(path));
}

/** Whether the error means that there is no object. A link, socket or folder in its place is not an object. */
function isAbsence(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENXIO'].includes(codeOf(error) ?? '');
}

/** `folder` is empty or ends in a slash. Links count neither as files nor as folders, so they are never followed. */
async function* walk(root: string, folder: string, prefix: string): AsyncGenerator<ListedObject> {
  try {
    const path = resolve(root, folder);
    if ((await realpath(path)) !== path) return;
    for await (const entry of await opendir(path)) {
      const key = folder + entry.name;
      if (!isKey(key)) continue;
      if (entry.isDirectory() && `${key}/`.startsWith(prefix)) yield* walk(root, `${key}/`, prefix);
      if (!entry.isFile() || !key.startsWith(prefix)) continue;
      const found = await lstat(join(root, key)).catch(absent);
      if (found !== undefined) yield { key, bytes: found.size, modifiedMs: found.mtimeMs };
    }
  } catch (error) {
    if (!isAbsence(error)) throw diskError(`list ${folder}`, error);
  }
}

function absent(error: unknown): undefined {
  if (!isAbsence(error)) throw error;
}
