import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect } from '../src/base/db/connect.ts';
import { migrate } from '../src/base/db/migrating/migrate.ts';
import { systemClock } from '../src/base/std/clock.ts';
import { openSecrets } from '../src/start/judge-secret.ts';
import { createDatabase } from './world/databases.ts';

const machines = ['one', 'two', 'three'];

test('machines that start together on one PostgreSQL share one secret; with SQLite it is in the data folder', async () => {
  await using stack = new AsyncDisposableStack();
  const root = await mkdtemp(join(tmpdir(), 'darkroom-secrets-'));
  stack.defer(() => rm(root, { recursive: true, force: true }));
  const given = await createDatabase();
  stack.defer(() => given?.drop());
  const database = stack.use(await connect({ url: given?.url, dataDir: root, clock: systemClock }));
  await migrate(database);
  const folderOf = (machine: string) => join(root, database.kind === 'postgres' ? machine : 'shared');
  const load = (secrets: string[] = []) =>
    Promise.all(machines.map((machine) => openSecrets({ secrets, dataDir: folderOf(machine) }, database)));

  const first = await load();
  assert.equal(new Set(first.flat()).size, 1);
  assert.match(first[0]?.[0] ?? '', /^[\w-]{43}$/);
  assert.deepEqual(await load(), first);
  const files = await readdir(root, { recursive: true });
  assert.equal(
    files.some((file) => file.endsWith('secret')),
    database.kind === 'sqlite',
  );
  const [made = ''] = first[0] ?? [];
  assert.deepEqual(
    await load(['configured', made]),
    machines.map(() => ['configured', made]),
  );
});
