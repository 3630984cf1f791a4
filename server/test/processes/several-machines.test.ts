import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { s3Credentials, startS3 } from '../images/s3-servers.ts';
import { createDatabase } from '../world/databases.ts';
import { openInstallation } from './support/installation.ts';
import { runCommand } from './support/run-command.ts';

test('the commands for several machines work on a fresh clone, without a data folder', async () => {
  await using s3 = await startS3(['images']);
  await using place = await openInstallation(await createDatabase());
  for (const role of ['api', 'worker']) {
    const { child, url, gone } = await runCommand(place, ['npm', 'start', '--', '--role', role], {
      DARKROOM_DATA_DIR: join(place.env.DARKROOM_DATA_DIR ?? '', role, 'not', 'yet'),
      // Without a database server, the database is in the folder.
      ...(place.env.DATABASE_URL && {
        DARKROOM_STORAGE: `s3://images?endpoint=${s3.endpoint}`,
        AWS_ACCESS_KEY_ID: s3Credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: s3Credentials.secretAccessKey,
      }),
    });
    if (role === 'api') assert.equal((await fetch(`${url}/readyz`)).status, 200);
    child.kill('SIGTERM');
    await gone;
  }
});
