import { randomUUID } from 'node:crypto';
import { lstat, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { codeOf, onDisk } from './disk-error.ts';

/** The age at which a file counts as abandoned. Uploads take minutes, but two machines' clocks may differ by hours. */
const abandonedAfterMs = 24 * 60 * 60 * 1000;

const host = hostname()
  .replaceAll(/[^A-Za-z0-9-]/g, '-')
  .slice(0, 60);
/** Distinguishes this process from an earlier one with the same process id, which is common in containers. */
const run = randomUUID().slice(0, 8);

/** Returns `<host>.<pid>.<run>.<random>`. From this name, other processes know whether the writer is still running. */
export function temporaryName(): string {
  return `${host}.${process.pid}.${run}.${randomUUID()}`;
}

export async function removeAbandoned(folder: string, nowMs: number): Promise<number> {
  let removed = 0;
  for (const name of await onDisk('look for temporary files', () => readdir(folder))) {
    const path = join(folder, name);
    if (!writerIsGone(name) && !(await isOld(path, nowMs))) continue;
    await onDisk('remove a temporary file', () => rm(path, { force: true }));
    removed += 1;
  }
  return removed;
}

/** False for another machine's process, which cannot be checked. Its files are removed by age. */
function writerIsGone(name: string): boolean {
  const [writerHost, pid, writerRun] = name.split('.');
  if (writerHost !== host || !/^[1-9][0-9]{0,9}$/.test(pid ?? '')) return false;
  if (Number(pid) === process.pid) return writerRun !== run;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return codeOf(error) === 'ESRCH';
  }
}

async function isOld(path: string, nowMs: number): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found !== undefined && nowMs - found.mtimeMs >= abandonedAfterMs;
}
