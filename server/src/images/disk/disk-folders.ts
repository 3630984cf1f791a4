import { lstat, mkdir, open, rename, rmdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { StoreError } from '../image-store.ts';
import { codeOf, diskError } from './disk-error.ts';

/**
 * Another process may remove an empty folder between its creation and the rename into it. Eight writers that
 * also removed in one folder needed at most three tries; in practice every job has its own folder.
 */
const placingTries = 20;

/** Renames a file to its place below `root`, durably, and creates the folders on the way. */
export async function placeFile(root: string, from: string, to: string): Promise<void> {
  const folder = dirname(to);
  for (let tries = 1; ; tries += 1) {
    try {
      await makeFolders(root, folder);
      await rename(from, to);
      break;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || tries === placingTries)
        throw diskError('put an image in its place', error);
    }
  }
  try {
    await syncFolder(folder);
  } catch (error) {
    // The folder is gone only if the object was removed in the meantime, which is a valid outcome too.
    if (codeOf(error) !== 'ENOENT') throw diskError('flush a folder to disk', error);
  }
}

/**
 * Removes a job's empty folders, which would pile up over years. The folders directly in `root` are few and
 * stay.
 */
export async function removeEmptyFolders(root: string, folder: string): Promise<void> {
  for (let path = folder; path !== root && dirname(path) !== root; path = dirname(path)) {
    try {
      await rmdir(path);
    } catch {
      return; // The folder is in use, or already gone. An empty folder that stays does no harm.
    }
  }
}

/** Follows no symbolic links. */
async function makeFolders(root: string, folder: string): Promise<void> {
  if (folder === root) return;
  let path = root;
  for (const segment of relative(root, folder).split(sep)) {
    const parent = path;
    path = join(parent, segment);
    if (await makeFolder(path)) await syncFolder(parent);
  }
}

async function makeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  const found = await lstat(path);
  if (!found.isDirectory())
    throw new StoreError('something that is no folder stands where a folder is needed');
  return false;
}

/** After a power cut, a rename or a new file is only sure to exist if its folder was flushed to disk too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
