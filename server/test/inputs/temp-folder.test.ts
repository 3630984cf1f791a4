import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, rmdir, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTempFolder, sweepTemp } from '../../src/images/inputs/temp-folder.ts';

test('the sweep removes what ended processes left, but nothing that is in use or not ours', async () => {
  const tempDir = await mkdtemp(join(tmpdir(), 'darkroom-sweep-'));
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  await mkdir(join(tempDir, `inputs-${child.pid}-abc`));
  await writeFile(join(tempDir, `inputs-${child.pid}-abc`, '0.source'), 'x');
  await mkdir(join(tempDir, 'somebody-elses'));
  await using mine = await makeTempFolder(tempDir);
  assert.deepEqual(await sweepTemp(tempDir), { removed: 1 });
  assert.deepEqual((await readdir(tempDir)).length, 2);
  assert((await stat(mine.path)).isDirectory());
  const inTwoHours = Date.now() + 2 * 60 * 60 * 1000;
  assert.deepEqual(
    await sweepTemp(tempDir, inTwoHours),
    { removed: 1 },
    'the process id may have been given out again',
  );
  assert.deepEqual(await sweepTemp(join(tempDir, 'missing')), { removed: 0 });
  await rm(tempDir, { recursive: true });
});

test('only our own user can read temporary files', async () => {
  const tempDir = await mkdtemp(join(tmpdir(), 'darkroom-temp-'));
  await using folder = await makeTempFolder(join(tempDir, 'deep', 'er'));
  assert.equal((await stat(folder.path)).mode & 0o077, 0);
  await rm(tempDir, { recursive: true });
});

test('a link in the place of a request’s folder is removed, but not what it leads to', async () => {
  const tempDir = await mkdtemp(join(tmpdir(), 'darkroom-temp-'));
  const elsewhere = join(tempDir, 'elsewhere');
  await mkdir(elsewhere);
  await writeFile(join(elsewhere, 'file'), 'x');
  {
    await using folder = await makeTempFolder(tempDir);
    await rmdir(folder.path);
    await symlink(elsewhere, folder.path);
  }
  assert.deepEqual(await readdir(tempDir), ['elsewhere']);
  assert.deepEqual(await readdir(elsewhere), ['file']);
  await rm(tempDir, { recursive: true });
});
