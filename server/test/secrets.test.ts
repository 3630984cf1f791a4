import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
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

test('a process that looked for the secret before another one made it has the same secret', async () => {
  await using stack = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'darkroom-secrets-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const given = await createDatabase();
  stack.defer(() => given?.drop());
  const database = stack.use(await connect({ url: given?.url, dataDir, clock: systemClock }));
  await migrate(database);
  // Only PostgreSQL is asked for the secret itself. The read after that is for its fingerprint.
  let readsBefore = database.kind === 'postgres' ? 2 : 1;
  const behind = Object.create(database, {
    read: {
      get() {
        readsBefore -= 1;
        if (readsBefore === 0) openElsewhere({ url: given?.url, dataDir });
        return database.read;
      },
    },
  });
  const own = await openSecrets({ secrets: [], dataDir }, behind);
  assert.deepEqual(own, await openSecrets({ secrets: [], dataDir }, database));
  assert.ok(readsBefore < 0);
});

/** Opens the secrets in another process, and waits for it. */
function openElsewhere(options: { url: string | undefined; dataDir: string }): void {
  const from = (path: string) => JSON.stringify(new URL(`../src/${path}`, import.meta.url).href);
  const program = `
    import { connect } from ${from('base/db/connect.ts')};
    import { systemClock } from ${from('base/std/clock.ts')};
    import { openSecrets } from ${from('start/judge-secret.ts')};
    const options = ${JSON.stringify(options)};
    await using database = await connect({ ...options, clock: systemClock });
    await openSecrets({ secrets: [], dataDir: options.dataDir }, database);`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', program]);
  assert.equal(status, 0, String(stderr));
}
