import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRecordingLog } from '../http/support/recording-log.ts';
import { openWorld } from '../world/world.ts';
import { s3Credentials } from './s3-servers.ts';

test('a start while the image store is down says so, and serves everything that needs no image', async () => {
  const log = createRecordingLog();
  await using world = await openWorld({
    env: {
      DARKROOM_STORAGE: 's3://images?endpoint=http://127.0.0.1:1',
      AWS_ACCESS_KEY_ID: s3Credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3Credentials.secretAccessKey,
    },
    replacements: { log },
    worker: false,
  });
  assert.ok(log.has('storage.unavailable'));
  assert.equal((await world.send('GET', '/balance')).status, 200);
  await world.create();
});
