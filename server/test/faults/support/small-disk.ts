import { execFileSync } from 'node:child_process';
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  rmdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../../../src/images/disk/disk-error.ts';

/** A real file system of a few megabytes, which a ballast file fills. */
export interface SmallDisk extends Disposable {
  path: string;
  fill(leaveBytes?: number): void;
  empty(): void;
  makeReadOnly(): void;
}

const pageBytes = 4_096;
// The last write takes the remaining space and returns how much; the next one finds none.
const writtenAtOnce = 1_048_576;

/** For `skip`: why a disk cannot be made here, or false if it can. */
export const noSmallDisk = whyNoSmallDisk();

export function makeSmallDisk(bytes: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'darkroom-disk-'));
  try {
    // The default mode lets everyone write, which a data folder must not.
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=0700`, 'tmpfs', path], { stdio: 'pipe' });
  } catch (error) {
    rmdirSync(path);
    throw error;
  }
  const ballast = join(path, 'ballast');
  return {
    path,
    fill: (leaveBytes = 0) => fill(ballast, leaveBytes),
    empty: () => rmSync(ballast, { force: true }),
    makeReadOnly: () => execFileSync('mount', ['-o', 'remount,ro', path], { stdio: 'pipe' }),
    [Symbol.dispose]() {
      // Unmounts lazily, because a process that was just killed may still have open files.
      execFileSync('umount', ['-l', path], { stdio: 'pipe' });
      rmdirSync(path);
    },
  };
}

function whyNoSmallDisk(): string | false {
  try {
    makeSmallDisk(pageBytes)[Symbol.dispose]();
    return false;
  } catch {
    return 'NOT TESTED: a full disk needs the right to mount a tmpfs';
  }
}

function fill(file: string, leaveBytes: number): void {
  const ballast = openSync(file, 'a');
  try {
    for (const some = Buffer.alloc(writtenAtOnce); ; ) writeSync(ballast, some);
  } catch (error) {
    if (codeOf(error) !== 'ENOSPC') throw error;
    if (leaveBytes > 0) ftruncateSync(ballast, fstatSync(ballast).size - leaveBytes);
  } finally {
    closeSync(ballast);
  }
}
