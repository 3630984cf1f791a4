import { lstat, mkdir, open, realpath, rmdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { batcher } from '../../base/std/batcher.ts';
import { StoreError } from '../image-store.ts';
import { codeOf, diskError } from './disk-error.ts';

export interface DiskFolders {
  /** Creates a folder and its parents, then runs a step that puts something into it. */
  enter<Result>(folder: string, step: () => Promise<Result>): Promise<Result>;
  /** Syncs a folder. A power cut would lose a new or renamed file unless its folder is synced too. */
  sync(folder: string): Promise<void>;
  /** Removes a folder and its parents if they are empty, except folders directly in the root, which are few. */
  removeEmpty(folder: string): Promise<void>;
}

/** The maximum tries to use a folder, which others may remove while empty. Eight writers needed at most three. */
const enteringTries = 20;
/** Far above any real number of folders in a batch. */
const maxBatch = 10_000;
/** The maximum number of known folders, of which one or two are in use. A forgotten folder costs one sync. */
const maxKnown = 1_000;

export function diskFolders(root: string): DiskFolders {
  /** Folders that are known to be on disk, each with its id. Their entries in their parents are on disk too. */
  const known = new Map<string, string>();

  /** Syncs a folder and its parents, because another process may have created a parent without syncing it yet. */
  async function syncUpwards(folder: string): Promise<void> {
    const found = await syncFolder(folder);
    if (folder === root || known.get(folder) === found) return;
    await syncUpwards(dirname(folder));
    if (known.size >= maxKnown) known.clear();
    known.set(folder, found);
  }

  const make = oncePerBatch(async (folder) => {
    // `realpath` fails if a known folder was removed, and finds a symbolic link, which would lead out of the store.
    if (!known.has(folder) || (await realpath(folder)) !== folder) await makeFolders(root, folder);
  });
  const sync = oncePerBatch(syncUpwards);
  return {
    async enter(folder, step) {
      for (let tries = 1; ; tries += 1) {
        try {
          await make(folder);
          return await step();
        } catch (error) {
          known.delete(folder);
          if (codeOf(error) !== 'ENOENT' || tries === enteringTries)
            throw diskError('put an image in its place', error);
        }
      }
    },
    async sync(folder) {
      try {
        await sync(folder);
      } catch (error) {
        // The folder is gone only if the object was removed, which is a valid outcome too.
        if (codeOf(error) !== 'ENOENT') throw diskError('flush a folder to disk', error);
      }
    },
    async removeEmpty(folder) {
      for (let path = folder; path !== root && dirname(path) !== root; path = dirname(path)) {
        try {
          await rmdir(path);
        } catch {
          return; // The folder is in use or already gone. An empty folder that stays does no harm.
        }
      }
    },
  };
}

/** Shares work on a folder: requests that come during a run share the next run. */
function oncePerBatch(work: (folder: string) => Promise<void>): (folder: string) => Promise<void> {
  const run = batcher(
    async (folders: string[]) => {
      const works = new Map([...new Set(folders)].map((folder) => [folder, outcomeOf(work(folder))]));
      return Promise.all(folders.map((folder) => works.get(folder)));
    },
    { maxBatch },
  );
  return async (folder) => {
    const failure = await run(folder);
    if (failure) throw failure.reason;
  };
}

/** Returns the failure, so that it does not fail other folders in the batch. */
async function outcomeOf(work: Promise<void>): Promise<{ reason: unknown } | undefined> {
  try {
    await work;
    return undefined;
  } catch (reason) {
    return { reason };
  }
}

async function makeFolders(root: string, folder: string): Promise<void> {
  let path = root;
  for (const segment of folder === root ? [] : relative(root, folder).split(sep)) {
    path = join(path, segment);
    await makeFolder(path);
  }
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
    return;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  const found = await lstat(path);
  if (!found.isDirectory())
    throw new StoreError('something that is not a folder is in the place of a folder');
}

/** Syncs a folder. Returns an id that differs from that of a later folder of the same name. */
async function syncFolder(folder: string): Promise<string> {
  const handle = await open(folder, 'r');
  try {
    const { ino, birthtimeMs } = await handle.stat();
    await handle.sync();
    return `${ino}/${birthtimeMs}`;
  } finally {
    await handle.close();
  }
}
