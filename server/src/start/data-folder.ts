import { chmod, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../base/std/log.ts';
import { makeFolder } from '../base/std/make-folder.ts';
import { SettingError } from '../errors.ts';

/** The installation's files in its data folder. Other files there keep their permissions. */
const kept = [
  'darkroom.db',
  'darkroom.db-wal',
  'darkroom.db-shm',
  'secret',
  'client.json',
  'panel-link.txt',
  'images',
  'incoming',
];
const ofOthers = 0o077;
const sticky = 0o1000;

/**
 * Creates the folder, and takes away other users' permissions, because it has keys, prompts and images. Logs the files
 * that it cannot change.
 * @throws SettingError for a folder that all users share
 */
export async function openDataFolder(folder: string, log: Log): Promise<void> {
  await makeFolder(folder);
  if (((await stat(folder)).mode & sticky) !== 0)
    throw new SettingError(
      `DARKROOM_DATA_DIR: all users of this machine share ${folder}; name a folder that is Darkroom's alone.`,
    );
  const paths = [folder, ...kept.map((name) => join(folder, name))];
  const open = (await Promise.all(paths.map(makePrivate))).flatMap((path) => path ?? []);
  if (open.length > 0) log.warn('data_folder.readable_by_others', { paths: open });
}

/** Removes others' permissions. Returns the path if that fails. */
async function makePrivate(path: string): Promise<string | undefined> {
  try {
    const { mode } = await stat(path);
    if ((mode & ofOthers) !== 0) await chmod(path, mode & 0o700);
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // SQLite's log file disappears with the last process that has it open.
    if (code === 'ENOENT') return undefined;
    if (code === 'EPERM' || code === 'EROFS') return path;
    throw error;
  }
}
