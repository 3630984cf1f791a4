import { lstat, mkdtemp, readdir, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isRunning } from '../../base/std/is-running.ts';
import { makeFolder } from '../../base/std/make-folder.ts';

export async function makeTempFolder(tempDir: string): Promise<TempFolder> {
  const make = () => mkdtemp(join(tempDir, `${prefix}${process.pid}-`));
  const path = await make().catch(() => makeFolder(tempDir).then(make));
  return { path, [Symbol.asyncDispose]: () => removeFolder(path) };
}

/** Removes a folder of files in half as many steps as `rm`, which also looks for folders inside. */
async function removeFolder(path: string): Promise<void> {
  try {
    // An image may have taken over the child and put a link in the folder's place, to files that are not ours.
    const names = (await lstat(path)).isDirectory() ? await readdir(path) : [];
    for (const name of names) await unlink(join(path, name));
    await rmdir(path);
  } catch {
    // Retries, because a child that is ending may still write a file.
    await rm(path, { recursive: true, force: true, maxRetries: 5 });
  }
}

export interface TempFolder extends AsyncDisposable {
  path: string;
}

/** Call this at startup. Removes only the folders of processes that ended during a request. */
export async function sweepTemp(tempDir: string, nowMs: number = Date.now()): Promise<{ removed: number }> {
  const names = await readdir(tempDir).catch(emptyIfMissing);
  let removed = 0;
  for (const name of names) {
    const pid = folderPattern.exec(name)?.[1];
    if (pid === undefined) continue;
    const path = join(tempDir, name);
    if (await isInUse(path, Number(pid), nowMs)) continue;
    await rm(path, { recursive: true, force: true });
    removed++;
  }
  return { removed };
}

const prefix = 'inputs-';
const folderPattern = /^inputs-(\d+)-/;

/** A folder's maximum age, longer than any request takes, in case another process now has the id in its name. */
const maxAgeMs = 60 * 60 * 1000;

async function isInUse(path: string, pid: number, nowMs: number): Promise<boolean> {
  const info = await stat(path).catch(() => undefined);
  if (info === undefined || nowMs - info.mtimeMs > maxAgeMs) return false;
  // In a container, a process often has the id of the process that crashed before it.
  if (pid === process.pid) return info.mtimeMs >= nowMs - process.uptime() * 1000;
  return isRunning(pid);
}

function emptyIfMissing(error: unknown): string[] {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
  throw error;
}
