import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runDarkroom } from '../../../cli/test/run-darkroom.ts';
import { openWorld } from '../world/world.ts';
import { makeAdminKey } from './admin-client.ts';

const world = await openWorld({ worker: false });
const folder = await mkdtemp(join(tmpdir(), 'darkroom-remote-'));
after(async () => {
  await world[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

test('with an address and an admin key the command works on that server, and opens no database here', async () => {
  const { key } = await makeAdminKey(world, 'laptop', ['accounts', 'money', 'models', 'system']);
  const env = { DARKROOM_URL: `${world.url}/api/v1`, DARKROOM_ADMIN_KEY: key };
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runDarkroom([...args, '--json'], { cwd: folder, env });
    return { code, stderr, json: stdout === '' ? null : JSON.parse(stdout) };
  };
  const made = await run('account', 'create', 'acme');
  assert.equal(made.code, 0, made.stderr);
  const credit = ['account', 'credit', 'acme', '10', '--reference', 'INV-1'];
  assert.equal((await run(...credit)).json.replayed, false);
  const again = await run(...credit);
  assert.deepEqual([again.json.replayed, again.json.balance], [true, '10.00']);
  const debited = await run('account', 'debit', 'acme', '4', '--reason', 'charged twice');
  assert.equal(debited.json.balance, '6.00');
  const { json: created } = await run('key', 'create', '--account', 'acme', '--spend-day', '5');
  assert.equal(created.account_id, made.json.account_id);
  const { json: limits } = await run('key', 'limits', created.key_id, '--max-open', '3');
  assert.deepEqual(
    limits.data.map(({ limit, most }: { limit: string; most: unknown }) => [limit, most]),
    [
      ['spend_day', '5.00'],
      ['open', 3],
    ],
  );
  const { json: listed } = await run('account', 'list');
  assert.deepEqual(
    listed.data.map(({ name }: { name: string }) => name),
    ['acme', 'demo', 'tests'],
  );
  assert.equal((await run('pause', 'nb')).code, 0);
  assert.equal((await run('status')).json.pauses[0].scope, 'nb');
  assert.equal((await run('resume', 'nb')).code, 0);

  const refused = await run('account', 'credit', 'acme', '11', '--reference', 'INV-1');
  assert.deepEqual([refused.code, refused.json.error.code], [5, 'reference_reused']);
  const here = await run('verify');
  assert.equal(here.code, 2);
  assert.match(here.stderr, /only on the machine of the server/);
  assert.deepEqual(await readdir(folder), []);
});
