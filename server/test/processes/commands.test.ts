import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { test } from 'node:test';
import { s3Credentials, startS3 } from '../images/s3-servers.ts';
import { createDatabase } from '../world/world.ts';
import { clientOf, createJob } from './support/client.ts';
import { type Installation, openInstallation } from './support/installation.ts';

// Every way of starting and stopping that the documents name. Only the process that was started gets the signal, as from a
// container or a supervisor; what it started must not be left behind, nor be cut off.

const root = resolve(import.meta.dirname, '../../..');
/** Longer than any test waits: whoever comes to an end sooner did not wait for load balancers. */
const longDelay = { DARKROOM_SHUTDOWN_DELAY_SECONDS: '100' };
const promptMs = 15_000;

/** The PATH of somebody who has not put the project's own Node before the system's. */
const path = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);

async function run({ env }: Installation, [file = '', ...args]: string[], more: Record<string, string> = {}) {
  const child = spawn(file, args, {
    cwd: root,
    env: {
      PATH: path,
      HOME: process.env.HOME,
      PORT: '0',
      DARKROOM_SHUTDOWN_DELAY_SECONDS: '0',
      ...env,
      ...more,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  let said = '';
  const ready = Promise.withResolvers<string>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (/is running\.|from another terminal/.test(said))
      ready.resolve(/API +(\S+)\/api\/v1/.exec(said)?.[1] ?? '');
  });
  // `close`, not `exit`: the server has the same output, and may outlive what was started.
  const gone = once(child, 'close').then(() => said);
  void gone.then(() => ready.reject(new Error(`it ended: ${said}`)));
  return { child, url: await ready.promise, gone };
}

/** A job that runs for longer than a process that is not let go on. */
async function startJob(place: Installation, url: string) {
  const { key } = await place.account(1_000_000n);
  const client = clientOf({ url }, key);
  const jobId = await createJob(client, '[[delay:2s]] a fox [[fail:safety_blocked]]');
  while ((await client('GET', `/jobs/${jobId}`)).body.status === 'queued');
  return async () => {
    const job = await place.database.read
      .selectFrom('jobs')
      .select(['status', 'attempt'])
      .where('id', '=', jobId)
      .executeTakeFirst();
    assert.deepEqual({ ...job }, { status: 'failed', attempt: 1 }, 'the running job was cut off');
  };
}

const ways: Record<string, string[]> = {
  'npm start': ['npm', 'start'],
  'npx darkroom serve': ['npx', 'darkroom', 'serve'],
  'node server/src/main.ts': [process.execPath, 'server/src/main.ts'],
};
for (const [way, command] of Object.entries(ways)) {
  for (const whom of ['the first process alone', 'the whole group']) {
    test(`${way}: SIGTERM to ${whom} lets the running job end, and leaves nothing behind`, async () => {
      await using place = await openInstallation(undefined);
      const { child, url, gone } = await run(place, command);
      const assertEnded = await startJob(place, url);
      const { pid = 0 } = child;
      process.kill(whom === 'the whole group' ? -pid : pid, 'SIGTERM');
      assert.match(await gone, /"event":"server.stopping"/);
      await assertEnded();
      await assert.rejects(fetch(`${url}/livez`));
    });
  }
}

const noNamespace =
  spawnSync('unshare', ['--pid', '--fork', '--mount-proc', 'true']).status !== 0 &&
  'NO PROCESS NAMESPACES HERE';

test('npm start as process 1, as in a container: SIGTERM lets the running job end', {
  skip: noNamespace,
}, async () => {
  await using place = await openInstallation(undefined);
  const { child, url, gone } = await run(place, [
    'unshare',
    '--pid',
    '--fork',
    '--mount-proc',
    'npm',
    'start',
  ]);
  const assertEnded = await startJob(place, url);
  const first = (await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')).trim();
  process.kill(Number(first), 'SIGTERM');
  assert.match(await gone, /"event":"server.stopping"/);
  await assertEnded();
});

for (const command of ['npm start', 'npx darkroom serve']) {
  test(`${command}: Ctrl-C at a terminal ends it at once, without waiting for load balancers`, async () => {
    await using place = await openInstallation(undefined);
    const { child, gone } = await run(place, ['script', '-qec', command, '/dev/null'], longDelay);
    const began = performance.now();
    child.stdin.write('\x03');
    assert.match(await gone, /server\.stopping/);
    assert.ok(performance.now() - began < promptMs, `${performance.now() - began} ms`);
  });
}

test('the commands for several machines work on a fresh clone, without a data folder', async () => {
  await using s3 = await startS3(['pictures']);
  await using place = await openInstallation(await createDatabase());
  for (const role of ['api', 'worker']) {
    const { child, url, gone } = await run(place, ['npm', 'start', '--', '--role', role], {
      DARKROOM_DATA_DIR: join(place.env.DARKROOM_DATA_DIR ?? '', role, 'not', 'yet'),
      // Without a server the database lies in the folder.
      ...(place.env.DATABASE_URL && {
        DARKROOM_STORAGE: `s3://pictures?endpoint=${s3.endpoint}`,
        AWS_ACCESS_KEY_ID: s3Credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: s3Credentials.secretAccessKey,
      }),
    });
    if (role === 'api') assert.equal((await fetch(`${url}/readyz`)).status, 200);
    child.kill('SIGTERM');
    await gone;
  }
});
