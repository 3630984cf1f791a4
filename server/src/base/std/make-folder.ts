import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder for its owner alone, and those above it that are missing; the disk has the name of each that it made. Node's own
 * recursion calls a disk that is mounted read-only a missing folder, and never ends where the system takes no new folder (`/proc`).
 *
 * @throws the error of the system
 */
export async function makeFolder(path: string): Promise<void> {
  const error = await tryToMake(path);
  if (error === undefined) return;
  const above = dirname(path);
  if (error.code !== 'ENOENT' || above === path) throw error;
  await makeFolder(above);
  const last = await tryToMake(path);
  if (last !== undefined) throw last;
}

/** Returns the error if the folder does not exist afterwards. */
async function tryToMake(path: string): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const found = await stat(path).catch(() => undefined);
    if (found?.isDirectory()) return undefined;
    return error as NodeJS.ErrnoException; // of the system
  }
  await syncNames(dirname(path));
  return undefined;
}

// Of systems that sync no folders, and of folders in which we may make something and not look.
const unsyncable = new Set(['EACCES', 'EPERM', 'EISDIR', 'EINVAL']);

/** Syncs the parents too: otherwise a power failure loses the name of a new folder, and with it every file that was synced inside. */
async function syncNames(folder: string): Promise<void> {
  try {
    await using handle = await open(folder, 'r');
    await handle.sync();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException; // of the system
    if (!unsyncable.has(code)) throw error;
  }
}
