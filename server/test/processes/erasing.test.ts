import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { clientOf, createJob, finished, refusedPrompt } from './support/client.ts';
import { openInstallation } from './support/installation.ts';

const command = resolve(import.meta.dirname, '../../../cli/bin/darkroom.mjs');

/** The command as somebody types it. */
async function darkroom(env: Record<string, string>, ...args: string[]) {
  const child = spawn(process.execPath, [command, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = [child.stdout, child.stderr].map(async (stream) => (await stream.toArray()).join(''));
  const [code] = await once(child, 'close');
  const [stdout, stderr] = await Promise.all(texts);
  return { code, stdout, stderr };
}

test('account erase comes to its end where nothing but its own rests holds the process', async () => {
  await using place = await openInstallation(undefined);
  const { accountId, key } = await place.account(1_000_000n);
  {
    await using server = await place.start('all');
    const client = clientOf(server, key);
    await finished(client, await createJob(client, refusedPrompt));
  }
  const name = 'tests-1';
  const { code, stdout, stderr } = await darkroom(
    place.env,
    ...['account', 'erase', accountId, '--confirm', name, '--json'],
  );
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  assert.deepEqual(JSON.parse(stdout), { account_id: accountId, jobs: 1, objects: 0 });
});
