import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Creates a folder and its parents, for the owner only. Node's recursive `mkdir` hangs in `/proc`. @throws Error */
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

// The errors of systems that cannot sync folders, and of folders that are writable but not readable.
const unsyncable = new Set(['EACCES', 'EPERM', 'EISDIR', 'EINVAL']);

/** Syncs the parent of a new folder. Otherwise a power failure could lose the folder's name, and every file in it. */
async function syncNames(folder: string): Promise<void> {
  try {
    await using handle = await open(folder, 'r');
    await handle.sync();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException; // of the system
    if (!unsyncable.has(code)) throw error;
  }
}
