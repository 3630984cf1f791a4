import assert from 'node:assert/strict';
import { mkdtemp, mkdtempDisposable, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runDarkroom } from '../../../cli/test/run-darkroom.ts';
import { openOperator } from '../world/commands.ts';
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
      ['open', '3'],
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
  const kept = await run('account', 'retention', 'acme', '--pictures', '7');
  assert.deepEqual(
    kept.json.data.find(({ part }: { part: string }) => part === 'pictures'),
    { part: 'pictures', days: 7, own: true, least: 1 },
  );
  const month = new Date(world.clock.nowMs()).toISOString().slice(0, 7);
  const statement = await run('account', 'statement', 'acme', month);
  assert.deepEqual(
    [statement.json.opening_balance, statement.json.closing_balance],
    ['0.00', '6.00'],
    statement.stderr,
  );
  const networks = await run('key', 'networks', created.key_id, '203.0.113.0/24');
  assert.deepEqual(networks.json.networks, ['203.0.113.0/24']);
  const added = await run('webhook', 'add', 'https://example.com/hook', '--account', 'acme');
  const shown = await run('webhook', 'show', '--account', 'acme');
  const [{ secret }] = shown.json.secrets;
  assert.deepEqual([shown.json.url, secret], ['https://example.com/hook', added.json.secret]);
  assert.equal((await run('webhook', 'deliveries', '--account', 'acme')).json.deliveries.length, 0);
  assert.equal((await run('webhook', 'replay', '--account', 'acme')).json.deliveries, 0);
  const file = join(folder, 'acme.zip');
  const exported = await run('account', 'export', 'acme', '--to', file);
  assert.equal((await stat(file)).size, exported.json.bytes, exported.stderr);
  assert.ok((await readFile(file)).includes('account.jsonl'));
  const nobody = await run('account', 'export', 'nobody', '--to', join(folder, 'nobody.zip'));
  assert.equal(nobody.json.error.code, 'not_found');
  assert.deepEqual(await readdir(folder), ['acme.zip']);
  assert.equal(
    (await run('account', 'erase', 'acme', '--confirm', 'amce')).json.error.code,
    'invalid_request',
  );
  assert.equal(
    (await run('account', 'erase', 'acme', '--confirm', 'acme')).json.account_id,
    created.account_id,
  );
  assert.equal((await run('verify')).json.ok, true);
  assert.equal((await run('verify', '--no-images')).json.checked.images, undefined);
  const here = await run('backup', 'copy.db');
  assert.equal(here.code, 2);
  assert.match(here.stderr, /only works on the machine of the server/);
  assert.deepEqual(await readdir(folder), ['acme.zip']);
});

test('a mistake is reported by the command’s option, on the server and on this machine', async () => {
  await using here = await mkdtempDisposable(join(tmpdir(), 'darkroom-here-'));
  const { key } = await makeAdminKey(world, 'of mistakes', ['accounts', 'money', 'system']);
  const there = { DARKROOM_URL: `${world.url}/api/v1`, DARKROOM_ADMIN_KEY: key };
  const own = { DARKROOM_DATA_DIR: here.path };
  const run = (env: Record<string, string>, args: readonly string[]) =>
    runDarkroom([...args], { cwd: here.path, env });
  assert.equal((await run(own, ['migrate'])).code, 0);
  for (const [env, found] of [
    [own, mistakes],
    [there, [...mistakes, ...mistakesOfSchemas]],
  ] as const) {
    const made = await run(env, ['account', 'create', 'clumsy']);
    assert.equal(made.code, 0, made.stderr);
    for (const [args, option] of found) {
      const { code, stderr } = await run(env, args);
      assert.equal(code, 5, `${args.join(' ')}: ${stderr}`);
      assert.match(stderr, new RegExp(`^(darkroom:| ) ${option}[ :]`, 'm'));
      assert.doesNotMatch(stderr, /(^|\s)\/[a-z]|Field/m);
    }
  }
});

type Mistake = readonly [args: readonly string[], option: string];

const mistakes: readonly Mistake[] = [
  [['account', 'limits', 'clumsy', '--spend-day', 'x'], '--spend-day'],
  [['account', 'alerts', 'clumsy', '--balance-low', 'x'], '--balance-low'],
  [['account', 'credit', 'clumsy', 'x', '--reason', 'r'], '<amount>'],
  [['account', 'credit', 'clumsy', '1', '--reference', 'a\nb'], '--reference'],
  [['account', 'statement', 'clumsy', '2026-13'], '<month>'],
  [['key', 'create', '--account', 'clumsy', '--spend-day', 'x'], '--spend-day'],
];

const mistakesOfSchemas: readonly Mistake[] = [
  [['account', 'limits', 'clumsy', '--input-day', '999999999GB'], '--input-day'],
  [['key', 'create', '--account', 'clumsy', '--expires', '999999w'], '--expires'],
];

test('an export from the database here ends when it is stopped', async () => {
  const { dataDir, databaseUrl } = world.config;
  await using operator = await openOperator({
    DARKROOM_DATA_DIR: dataDir,
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  });
  const stop = new AbortController();
  const pieces = operator.exportAccount(world.accountId, { signal: stop.signal });
  assert.equal((await pieces.next()).done, false);
  stop.abort(new Error('stopped'));
  await assert.rejects(Array.fromAsync(pieces), /stopped/);
});
