import { execFileSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
// The free space that tests need in memory: several times the size of a run's databases and images. In containers,
// `/dev/shm` often has only 64 MB.
const neededBytes = 3e9;
const name = /^darkroom-tests-(\d+)-/;

/**
 * Makes a folder for the tests' files, and deletes it when disposed. The folder is in memory if enough is free. There,
 * a PostgreSQL database takes a sixth of the processor time, and no test waits for a disk.
 */
export function openMemoryFolder(): { path: string } & Disposable {
  const place = takesTests(memory) ? memory : tmpdir();
  for (const left of readdirSync(place)) if (isOfKilled(left)) remove(join(place, left));
  const path = mkdtempSync(join(place, `darkroom-tests-${process.pid}-`));
  // PostgreSQL must be able to read the folder, and runs as another user when root runs the tests.
  chmodSync(path, 0o755);
  return { path, [Symbol.dispose]: () => remove(path) };
}

/** Removes a folder, and unmounts the small disks that a killed test left in it. */
function remove(path: string): void {
  const mounts = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8').split('\n') : [];
  const places = mounts.flatMap((line) => line.split(' ')[1] ?? []);
  for (const place of places) if (place.startsWith(`${path}/`)) execFileSync('umount', ['-l', place]);
  rmSync(path, { recursive: true, force: true });
}

function takesTests(folder: string): boolean {
  const program = join(folder, `darkroom-program-${process.pid}`);
  try {
    const { bavail, bsize } = statfsSync(folder);
    writeFileSync(program, '', { mode: 0o700 });
    accessSync(program, constants.X_OK);
    return bavail * bsize > neededBytes;
  } catch {
    return false;
  } finally {
    rmSync(program, { force: true });
  }
}

/** Whether the folder is left over from a run that was killed, and so could not clean up. */
function isOfKilled(folder: string): boolean {
  const [, pid] = name.exec(folder) ?? [];
  return pid !== undefined && existsSync('/proc/self') && !existsSync(`/proc/${pid}`);
}
