import { randomUUID } from 'node:crypto';
import { rm, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { groupDigits } from '../../base/std/group-digits.ts';
import { type Finding, reasonOf } from './finding.ts';

const megabyte = 1024 * 1024;
/** The slowest acceptable sync. Every commit of SQLite and every stored image waits for one. */
const slowSyncMs = 50;
const ofOthers = 0o077;

/** The numbers by which Linux identifies network file systems. */
const networked = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42]);
const inMemory = new Set([0x01021994, 0x858458f6]);

export interface Folder {
  dataDir: string;
  minFreeDiskBytes: number;
  holdsDatabase: boolean;
}

export async function checkDisk({ dataDir, minFreeDiskBytes, holdsDatabase }: Folder): Promise<Finding> {
  const name = 'disk';
  let tookMs: number;
  try {
    tookMs = await writeOnce(dataDir);
  } catch (error) {
    if (isMissing(error))
      return { name, status: 'ok', found: `${dataDir} is not there yet; the first start creates it` };
    return {
      name,
      status: 'fail',
      found: `${dataDir} takes no file: ${reasonOf(error)}`,
      next: 'give it to the user that runs the server, free space, or set DARKROOM_DATA_DIR',
    };
  }
  const { bavail, bsize, type } = await statfs(dataDir);
  const freeMegabytes = Math.floor((bavail * bsize) / megabyte);
  const minMegabytes = Math.round(minFreeDiskBytes / megabyte);
  const found = `${dataDir}, ${groupDigits(freeMegabytes)} MB free, a flushed file in ${tookMs} ms`;
  if (freeMegabytes < minMegabytes)
    return {
      name,
      status: 'fail',
      found: `${found}; below ${minMegabytes} MB no input images are taken`,
      next: 'free space, or lower minFreeDiskMegabytes',
    };
  if (networked.has(type) && holdsDatabase)
    return {
      name,
      status: 'fail',
      found: `${found}; it is on another machine, where SQLite cannot lock its file`,
      next: 'set DARKROOM_DATA_DIR to a disk of this machine, or DATABASE_URL to PostgreSQL',
    };
  const warning =
    warnOf(
      inMemory.has(type),
      'it is in memory',
      'set DARKROOM_DATA_DIR to a disk, or everything is lost at a restart',
    ) ??
    warnOf(
      ((await stat(dataDir)).mode & ofOthers) !== 0,
      'other users can open it',
      `chmod 700 ${dataDir}`,
    ) ??
    warnOf(freeMegabytes < 4 * minMegabytes, 'it fills up', 'free space, or keep images for less time') ??
    warnOf(tookMs > slowSyncMs, 'it is slow', 'use a disk with flash memory');
  if (!warning) return { name, status: 'ok', found };
  return { name, status: 'warn', found: `${found}; ${warning.reason}`, next: warning.next };
}

function warnOf(holds: boolean, reason: string, next: string) {
  return holds ? { reason, next } : undefined;
}

async function writeOnce(folder: string): Promise<number> {
  const file = join(folder, `.doctor-${randomUUID()}`);
  const began = performance.now();
  try {
    await writeFile(file, file, { mode: 0o600, flag: 'wx', flush: true });
    return Math.round(performance.now() - began);
  } finally {
    await rm(file, { force: true }).catch(() => {}); // a file that could not be written cannot be removed either
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
