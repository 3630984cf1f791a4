import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtempDisposable, readdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeFolder } from '../../src/base/std/make-folder.ts';
import { makeSmallDisk, noSmallDisk } from '../faults/support/small-disk.ts';

test('a folder is created with those above it, only for its owner, by the first caller', async () => {
  await using place = await mkdtempDisposable(join(tmpdir(), 'darkroom-folder-'));
  const path = join(place.path, 'a', 'b', 'c');
  await Promise.all(Array.from({ length: 8 }, () => makeFolder(path)));
  assert.equal((await stat(path)).mode & 0o777, 0o700);
  assert.equal((await stat(join(place.path, 'a'))).mode & 0o777, 0o700);
  await writeFile(join(path, 'file'), '');
  await makeFolder(path);
  assert.deepEqual(await readdir(path), ['file']);
  await assert.rejects(makeFolder(join(path, 'file')), { code: 'EEXIST' });
  await assert.rejects(makeFolder(join(path, 'file', 'below')), { code: 'ENOTDIR' });
});

test('if the system accepts no folders, it says so and ends', {
  skip: existsSync('/proc/self') ? false : 'no /proc',
  timeout: 10_000,
}, async () => {
  await assert.rejects(makeFolder('/proc/none/below'), { code: 'ENOENT' });
});

test('a read-only disk is reported as such, and an existing folder is used', {
  skip: noSmallDisk,
}, async () => {
  using disk = makeSmallDisk(1_048_576);
  await makeFolder(join(disk.path, 'there'));
  execFileSync('mount', ['-o', 'remount,ro', disk.path]);
  await makeFolder(join(disk.path, 'there'));
  await assert.rejects(makeFolder(join(disk.path, 'a', 'b')), { code: 'EROFS' });
});
