import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { backUpDatabase, migrateDatabase } from '../../src/start/open-operator.ts';
import { openOperator } from '../world/commands.ts';
import { outerEnv, programFile } from '../world/program-file.ts';
import { endNow, startServer, temporaryFolder, until } from './support/server.ts';

const timeout = 120_000;

test('a backup taken under load opens elsewhere: the ledger is right and acknowledged keys are known', {
  timeout,
}, async () => {
  using folder = temporaryFolder();
  using elsewhere = temporaryFolder();
  const file = join(elsewhere.path, 'backup.db');
  const before = new Map<string, string>();
  {
    await using server = await startServer(folder.path);
    let loading = true;
    const create = async (key: string) => {
      const { status, body } = await server.send(
        'POST',
        '/nb/text-generations',
        { prompt: `fox ${key}`, aspect_ratio: '1:1' },
        { 'idempotency-key': key },
      );
      assert.equal(status, 202);
      return String(body.job_id);
    };
    for (let nth = 0; nth < 20; nth++) before.set(`key-${nth}`, await create(`key-${nth}`));
    const load = (async () => {
      for (let nth = 20; loading && nth < 500; nth++) await create(`key-${nth}`);
    })();
    const env = { DARKROOM_DATA_DIR: folder.path };
    const { bytes } = await backUpDatabase(env, file);
    loading = false;
    await load;
    assert.ok(bytes > 0);
    await assert.rejects(backUpDatabase(env, file), /exists already/);
  }
  // Restores as the guide says: the file replaces the database, next to the images and the secret.
  renameSync(file, join(elsewhere.path, 'darkroom.db'));
  for (const name of ['images', 'secret', 'client.json'])
    cpSync(join(folder.path, name), join(elsewhere.path, name), { recursive: true });

  await using server = await startServer(elsewhere.path);
  for (const [key, jobId] of before) {
    const { status, headers, body } = await server.send(
      'POST',
      '/nb/text-generations',
      { prompt: `fox ${key}`, aspect_ratio: '1:1' },
      { 'idempotency-key': key },
    );
    assert.equal(status, 202);
    assert.equal(headers.get('idempotent-replayed'), 'true');
    assert.equal(body.job_id, jobId);
  }
  await using operator = await openOperator({ DARKROOM_DATA_DIR: elsewhere.path });
  await until(async () => {
    const { queued, processing, resting } = await operator.status();
    return queued + processing + resting === 0;
  });
  assert.deepEqual((await operator.verify()).violations, []);
});

test('an interrupted backup leaves no file under its name, and the next one takes the name', {
  timeout,
}, async () => {
  using folder = temporaryFolder();
  const env = { DARKROOM_DATA_DIR: join(folder.path, 'data') };
  await migrateDatabase(env);
  {
    using database = new DatabaseSync(join(env.DARKROOM_DATA_DIR, 'darkroom.db'));
    database.exec('create table filler (bytes blob)');
    database.exec(`insert into filler with recursive n (i) as (select 1 union all select i + 1 from n where i < 80)
      select randomblob(1000000) from n`);
  }
  const file = join(folder.path, 'backup.db');
  const begun = () => readdirSync(folder.path).some((name) => name.startsWith('backup.db'));
  const interrupt = async () => {
    const child = spawn(process.execPath, [programFile('command'), 'backup', file], {
      env: { ...outerEnv(), ...env },
      stdio: 'ignore',
    });
    await until(begun);
    await endNow(child, 'SIGINT');
    return child.exitCode !== 0 && !existsSync(file);
  };
  // A busy machine may interrupt a backup only after its end.
  let isInterrupted = await interrupt();
  for (let tries = 1; tries < 5 && !isInterrupted; tries++) {
    rmSync(file, { force: true });
    isInterrupted = await interrupt();
  }
  assert.ok(isInterrupted, 'no backup was interrupted, or each left its file');

  await backUpDatabase(env, file);
  using backup = new DatabaseSync(file);
  assert.equal(backup.prepare('select count(*) as rows from filler').get()?.rows, 80);
});
