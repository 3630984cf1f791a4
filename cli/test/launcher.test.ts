import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { findOldNode, launcher, startWorld } from './run-darkroom.ts';

const oldNode = findOldNode();
const skip = oldNode === undefined && 'no Node 20 to 23 on the PATH';
const node = oldNode ?? process.execPath;
const script = launcher;

test('under an old Node the command runs on the project’s Node, with unchanged arguments and output', {
  skip,
}, async () => {
  await using world = await startWorld();
  const outcome = await world.run(['generate', 'two words', '-o', 'a b.png'], { node, script });
  assert.equal(outcome.code, 0, outcome.stderr);
  assert.equal(outcome.stdout, 'a b.png\n');
  assert.deepEqual(world.api.received[0]?.body, { prompt: 'two words', aspect_ratio: '1:1' });
});

test('under an old Node the exit code is the command’s', { skip }, async () => {
  await using world = await startWorld();
  const outcome = await world.run(['jobs', 'get', 'nope'], { node, script });
  assert.equal(outcome.code, 5);
});

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  test(`under an old Node ${signal} reaches the command, which says how to resume`, { skip }, async () => {
    await using world = await startWorld();
    world.api.held = true;
    const outcome = await world.run(['generate', 'a red fox'], {
      node,
      script,
      whileRunning: async (kill) => {
        await world.api.arrival('GET', '/api/v1/jobs/');
        kill(signal);
      },
    });
    assert.equal(outcome.code, code);
    assert.match(
      outcome.stderr,
      /come back with: darkroom jobs wait 01890000-\S+ -o a-red-fox-00000001\.png/,
    );
  });
}

test('without the project’s Node it says what is missing', { skip }, async () => {
  await using world = await startWorld();
  const alone = join(world.folder, 'darkroom.mjs');
  await copyFile(launcher, alone);
  const outcome = await world.run(['balance'], { node, script: alone });
  assert.equal(outcome.code, 2);
  assert.match(outcome.stderr, /Node 24 is needed and this is v2\d\..*\n {2}Next: run npm ci/);
});

test('under a Node that is new enough there is no second process', async () => {
  await using world = await startWorld();
  const outcome = await world.run(['balance', '--json'], { script });
  assert.equal(outcome.code, 0, outcome.stderr);
  assert.deepEqual(JSON.parse(outcome.stdout), { balance: '10.00', reserved: '0.06', available: '9.94' });
});
