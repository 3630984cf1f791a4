import assert from 'node:assert/strict';
import { cpSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { backUpDatabase } from '../../src/start/open-operator.ts';
import { openOperator } from '../world/commands.ts';
import { startServer, temporaryFolder, until } from './support/server.ts';

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
