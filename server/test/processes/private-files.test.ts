import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { backUpDatabase } from '../../src/start/open-operator.ts';
import { openOperator } from '../world/commands.ts';
import { clientOf, createJob, finished } from './support/client.ts';
import { runServerProcess, startServerProcess } from './support/server-process.ts';

async function openToOthers(folder: string): Promise<string[]> {
  const paths = [folder, ...(await readdir(folder, { recursive: true })).map((name) => join(folder, name))];
  // The running server removes and renames its temporary files.
  const modes = await Promise.all(
    paths.map(async (path) => ({ path, mode: (await stat(path).catch(ifMissing))?.mode ?? 0 })),
  );
  return modes.filter(({ mode }) => (mode & 0o077) !== 0).map(({ path }) => path);
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

test('only the owner can read an installation’s files, including earlier versions’ files and backups', async () => {
  await using stack = new AsyncDisposableStack();
  const root = await mkdtemp(join(tmpdir(), 'darkroom-private-'));
  stack.defer(() => rm(root, { recursive: true, force: true }));
  const umask = process.umask(0o022);
  stack.defer(() => void process.umask(umask));
  const dataDir = join(root, 'data');
  const env = { DARKROOM_DATA_DIR: dataDir };
  for (const start of ['first', 'second']) {
    await using server = await startServerProcess(env);
    assert.deepEqual(await openToOthers(dataDir), [], start);
    await using operator = await openOperator(env);
    const { account_id: account } = await operator.createAccount({ name: start, credit: '1' });
    const { key } = await operator.createKey(account);
    const client = clientOf(server, key);
    await finished(client, await createJob(client, 'a fox'));
    await backUpDatabase(env, join(dataDir, `${start}.db`));
    const kept = await readdir(dataDir);
    assert.ok(['darkroom.db', 'darkroom.db-wal', 'images', 'secret'].every((name) => kept.includes(name)));
    assert.deepEqual(await openToOthers(dataDir), [], start);
    // Files as older versions created them, and as a dead process left them.
    for (const name of ['darkroom.db', 'darkroom.db-wal', 'darkroom.db-shm', 'client.json', 'secret'])
      await chmod(join(dataDir, name), 0o644);
    for (const folder of [dataDir, join(dataDir, 'images')]) await chmod(folder, 0o755);
  }
});

test('a data folder that all users of the machine share is refused, and stays unchanged', async () => {
  await using stack = new AsyncDisposableStack();
  const root = await mkdtemp(join(tmpdir(), 'darkroom-private-'));
  stack.defer(() => rm(root, { recursive: true, force: true }));
  const shared = join(root, 'tmp');
  await mkdir(shared);
  await chmod(shared, 0o1777);
  await writeFile(join(shared, 'secret'), 'of somebody else', { mode: 0o644 });
  const { code, stderr } = await runServerProcess({ DARKROOM_DATA_DIR: shared });
  assert.equal(code, 1);
  assert.match(stderr, /^Darkroom cannot start: DARKROOM_DATA_DIR: all users of this machine share .*\n$/);
  assert.equal((await stat(join(shared, 'secret'))).mode & 0o777, 0o644);
});
