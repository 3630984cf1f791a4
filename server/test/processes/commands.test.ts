import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { clientOf, createJob } from './support/client.ts';
import { type Installation, openInstallation } from './support/installation.ts';
import { runCommand } from './support/run-command.ts';

// Tests every documented way of starting and stopping. Only the started process gets the signal, as from a container
// or a supervisor. Its children must neither be left behind nor be cut off.

/** Longer than any test waits, so that a process that ends in time cannot have waited for load balancers. */
const longDelay = { DARKROOM_SHUTDOWN_DELAY_SECONDS: '100' };
const promptMs = 15_000;

/** Starts a job that runs longer than a killed process would live. */
async function startJob(place: Installation, url: string) {
  const { key } = await place.account(1_000_000n);
  const client = clientOf({ url }, key);
  const jobId = await createJob(client, '[[delay:2s]] a fox [[fail:safety_blocked]]');
  while ((await client('GET', `/jobs/${jobId}`)).body.status === 'queued');
  return async () => {
    assert.deepEqual(
      await place.readJob(jobId),
      { status: 'failed', attempt: 1 },
      'the running job was cut off',
    );
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
      const { child, url, gone } = await runCommand(place, command);
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
  const { child, url, gone } = await runCommand(place, [
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
    const { child, gone } = await runCommand(place, ['script', '-qec', command, '/dev/null'], longDelay);
    const began = performance.now();
    child.stdin.write('\x03');
    assert.match(await gone, /server\.stopping/);
    assert.ok(performance.now() - began < promptMs, `${performance.now() - began} ms`);
  });
}
