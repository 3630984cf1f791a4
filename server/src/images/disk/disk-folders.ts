import { lstat, mkdir, open, rmdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { batcher } from '../../base/std/batcher.ts';
import { StoreError } from '../image-store.ts';
import { codeOf, diskError } from './disk-error.ts';

/**
 * The folders of a store. Steps that several images need in one folder at the same moment run once for all of
 * them.
 */
export interface DiskFolders {
  /** Creates a folder and its parents, then runs a step that puts something into it. */
  enter<Result>(folder: string, step: () => Promise<Result>): Promise<Result>;
  /** Syncs a folder: a new or renamed file survives a power cut only if its folder was synced too. */
  sync(folder: string): Promise<void>;
  /** Removes a folder, and those above it, if they are empty. The folders directly in the root are few and stay. */
  removeEmpty(folder: string): Promise<void>;
}

/**
 * Another process may remove an empty folder between its creation and the step that uses it. Eight writers that
 * also removed in one folder needed at most three tries.
 */
const enteringTries = 20;
/** Far more than are put at once. */
const maxBatch = 10_000;
/** The most folders remembered. One or two are in use at a time; forgetting one costs a sync. */
const maxKnown = 1_000;

export function diskFolders(root: string): DiskFolders {
  /** Folders that are known to be on disk, with their entries in the folders above. */
  const known = new Map<string, string>();

  /** Flushes the folders above as well: another process may have made an entry there and not have finished its own sync. */
  async function syncUpwards(folder: string): Promise<void> {
    const found = await syncFolder(folder);
    if (folder === root || known.get(folder) === found) return;
    await syncUpwards(dirname(folder));
    if (known.size >= maxKnown) known.clear();
    known.set(folder, found);
  }

  const make = oncePerBatch((folder) => makeFolders(root, folder));
  const sync = oncePerBatch(syncUpwards);
  return {
    async enter(folder, step) {
      for (let tries = 1; ; tries += 1) {
        try {
          await make(folder);
          return await step();
        } catch (error) {
          if (codeOf(error) !== 'ENOENT' || tries === enteringTries)
            throw diskError('put an image in its place', error);
        }
      }
    },
    async sync(folder) {
      try {
        await sync(folder);
      } catch (error) {
        // The folder is gone only if the object was removed in the meantime, which is a valid outcome too.
        if (codeOf(error) !== 'ENOENT') throw diskError('flush a folder to disk', error);
      }
    },
    async removeEmpty(folder) {
      for (let path = folder; path !== root && dirname(path) !== root; path = dirname(path)) {
        try {
          await rmdir(path);
        } catch {
          return; // The folder is in use, or already gone. An empty folder that stays does no harm.
        }
      }
    },
  };
}

/** Callers that ask for a folder while work on it is running share the next run. */
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

/** A folder that fails does not fail the others of its batch. */
async function outcomeOf(work: Promise<void>): Promise<{ reason: unknown } | undefined> {
  try {
    await work;
    return undefined;
  } catch (reason) {
    return { reason };
  }
}

/** Follows no symbolic links. */
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
    throw new StoreError('something that is no folder stands where a folder is needed');
}

/** Syncs a folder and returns an id that differs from a later folder of the same name. */
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
