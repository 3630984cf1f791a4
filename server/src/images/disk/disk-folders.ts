import { lstat, mkdir, open, rename, rmdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { StoreError } from '../image-store.ts';
import { codeOf, diskError } from './disk-error.ts';

/**
 * A remover may take a folder away, empty, between its making and the rename into it. Eight writers that also remove in
 * one folder needed three tries at most; a job's folder has one.
 */
const placingTries = 20;

/** Renames a file into its place below `root`, durably, making the folders on the way. */
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
    // The folder is gone only if the object was removed meanwhile, which is as good as before or after.
    if (codeOf(error) !== 'ENOENT') throw diskError('flush a folder to disk', error);
  }
}

/** Every job has a folder of its own: without this, years of them would stay behind empty. Those in `root` are few and stay. */
export async function removeEmptyFolders(root: string, folder: string): Promise<void> {
  for (let path = folder; path !== root && dirname(path) !== root; path = dirname(path)) {
    try {
      await rmdir(path);
    } catch {
      return; // In use, or gone already: nothing that removing the object promised depends on it.
    }
  }
}

/** Steps through no symbolic link. */
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

/** A rename or a new name outlives a power cut only once its folder is on disk too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
