import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Role } from '../../src/config/config.ts';
import { openOperator } from '../world/commands.ts';
import { createDatabase } from '../world/databases.ts';
import { clientOf } from './support/client.ts';
import { openInstallation } from './support/installation.ts';
import { startServerProcess } from './support/server-process.ts';

async function openFolder(stack: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-first-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function startAndStop(env: Record<string, string>, work: (url: string) => Promise<void>) {
  await using server = await startServerProcess(env);
  await work(server.url);
  server.signal('SIGTERM');
  return (await server.ended).stdout;
}

test('collected output has neither the key nor the link of the first start: private files have them', async () => {
  await using stack = new AsyncDisposableStack();
  const dataDir = await openFolder(stack);
  const linkFile = join(dataDir, 'panel-link.txt');
  const env = { DARKROOM_DATA_DIR: dataDir };
  const said = await startAndStop(env, async (url) => {
    const link = (await readFile(linkFile, 'utf8')).trim();
    assert.equal((await stat(linkFile)).mode & 0o777, 0o600);
    const [address, token] = link.split('#');
    assert.ok(address?.startsWith(url));
    const opened = await fetch(`${url}/panel/links/open`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url },
      body: JSON.stringify({ token }),
    });
    assert.equal(opened.status, 200);
  });
  assert.ok(said.includes(linkFile) && said.includes(join(dataDir, 'client.json')));
  assert.doesNotMatch(said, /dk_\w{38}|#\w/);

  const again = await startAndStop(env, async () => {});
  assert.ok(!again.includes(linkFile));
  assert.ok(!(await readdir(dataDir)).includes('panel-link.txt'), 'a link that was opened is worth nothing');
});

test('a worker leaves the link to the panel', async () => {
  await using place = await openInstallation(await createDatabase());
  const file = join(place.env.DARKROOM_DATA_DIR ?? '', 'panel-link.txt');
  await place.start('api');
  await place.start('worker');
  assert.match(await readFile(file, 'utf8'), /\/open#/);
});

test('several processes under one parent leave the link that their banner names', {
  skip: process.env.TEST_DATABASE_URL ? false : 'needs PostgreSQL',
}, async () => {
  await using place = await openInstallation(await createDatabase());
  await using server = await startServerProcess(place.env, 'all', ['--processes', '2']);
  server.signal('SIGTERM');
  const { stdout } = await server.ended;
  const file = join(place.env.DARKROOM_DATA_DIR ?? '', 'panel-link.txt');
  assert.ok(stdout.includes(file), stdout);
  assert.match(await readFile(file, 'utf8'), /\/open#/);
});

test('the demo account can be switched off, and has little credit if images cost money', async () => {
  await using stack = new AsyncDisposableStack();
  const off = { DARKROOM_DATA_DIR: await openFolder(stack), DARKROOM_DEMO_ACCOUNT: 'off' };
  await startAndStop(off, async () => {
    await using operator = await openOperator(off);
    assert.deepEqual((await operator.listAccounts()).data, []);
    assert.ok(!(await readdir(off.DARKROOM_DATA_DIR)).includes('client.json'));
  });
  const creditOf = async (more: Record<string, string>, role: Role) => {
    const env = { DARKROOM_DATA_DIR: await openFolder(stack), ...more };
    await using server = await startServerProcess(env, role);
    const { key } = JSON.parse(await readFile(join(env.DARKROOM_DATA_DIR, 'client.json'), 'utf8'));
    return (await clientOf(server, key)('GET', '/balance')).body.balance;
  };
  assert.equal(await creditOf({ GEMINI_API_KEY: 'a-key-of-nobody' }, 'all'), '1.00');
  assert.equal(await creditOf({}, 'api'), '1.00', 'workers elsewhere may have keys');
});
