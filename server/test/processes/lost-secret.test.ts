import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openOperator } from '../world/commands.ts';
import { createDatabase } from '../world/databases.ts';
import { darkroom } from './support/darkroom.ts';
import { openInstallation } from './support/installation.ts';
import { runServerProcess, startServerProcess } from './support/server-process.ts';

const [first, second] = ['the first secret of this installation', 'the second secret of this installation'];
const webhook = { url: 'https://example.com/hook' };

async function openSealed(stack: AsyncDisposableStack) {
  const place = stack.use(await openInstallation(await createDatabase(), { DARKROOM_SECRET: first }));
  const { account_id: accountId } = await place.operator.createAccount({
    name: 'shop',
    webhook: webhook.url,
  });
  const { DARKROOM_SECRET: _, ...without } = place.env;
  const withSecret = (secret: string) => ({ ...without, DARKROOM_SECRET: secret });
  return { place, accountId, without, withSecret };
}

const remedy = /restore it.*darkroom secret reset/i;

test('a start with another secret, or with none, is refused, says what to do, and changes nothing', async () => {
  await using stack = new AsyncDisposableStack();
  const { place, without, withSecret } = await openSealed(stack);
  const settings = () => place.database.read.selectFrom('settings').selectAll().orderBy('name').execute();
  const before = await settings();
  const another = await runServerProcess(withSecret(second));
  assert.equal(another.code, 1);
  assert.match(another.stderr, /Darkroom cannot start: DARKROOM_SECRET is not the secret of this database/);
  assert.match(another.stderr, remedy);
  const none = await runServerProcess(without);
  assert.equal(none.code, 1);
  assert.match(none.stderr, /The secret of this database is missing/);
  assert.match(none.stderr, remedy);
  assert.ok(!existsSync(join(place.env.DARKROOM_DATA_DIR ?? '', 'secret')), 'none is made');
  assert.deepEqual(await settings(), before);
  await using _server = await place.start('all');
});

test('a command that needs the secret is refused too, all others work, and doctor says so', async () => {
  await using stack = new AsyncDisposableStack();
  const { accountId, withSecret } = await openSealed(stack);
  await using operator = await openOperator(withSecret(second));
  await assert.rejects(
    operator.rotateEndpointSecret(accountId, 'default'),
    /DARKROOM_SECRET is not the secret of/,
  );
  assert.equal((await operator.listAccounts()).data.length, 1);
  const { stdout } = await darkroom({ env: withSecret(second) }, ['doctor', '--json']);
  const { checks } = JSON.parse(stdout) as { checks: Record<string, string>[] };
  const finding = checks.find(({ name }) => name === 'secret');
  assert.equal(finding?.status, 'fail');
  assert.match(finding?.next ?? '', remedy);
  const right = JSON.parse((await darkroom({ env: withSecret(first) }, ['doctor', '--json'])).stdout);
  assert.equal(right.checks.find(({ name }: { name: string }) => name === 'secret').status, 'ok');
});

test('secret reset asks first, says what is lost, and then resets; the old secret in addition to the new one opens everything again', async () => {
  await using stack = new AsyncDisposableStack();
  const { place, accountId, withSecret } = await openSealed(stack);
  const env = withSecret(second);
  const unsure = await darkroom({ env }, ['secret', 'reset']);
  assert.equal(unsure.code, 2);
  assert.match(unsure.stderr, /webhook secrets {2}1: .*\n.*Confirm with --yes/s);
  assert.match((await runServerProcess(env)).stderr, /is not the secret of this database/);

  const sure = await darkroom({ env }, ['secret', 'reset', '--yes', '--json']);
  assert.equal(sure.code, 0, sure.stderr);
  assert.deepEqual(JSON.parse(sure.stdout), {
    reset: true,
    lost: { connections: [], webhook_secrets: 1, authenticators: 0, payment_keys: 0, sessions: 0 },
  });
  const audit = await place.database.read.selectFrom('audit_log').select(['action', 'detail']).execute();
  assert.deepEqual(
    audit.filter(({ action }) => action === 'secret.reset').map(({ detail }) => JSON.parse(detail)),
    [{ connections: '', webhook_secrets: 1, authenticators: 0, payment_keys: 0, sessions: 0 }],
  );
  assert.match((await runServerProcess(withSecret(first))).stderr, /is not the secret of this database/);
  {
    await using _server = await startServerProcess(env);
  }
  const again = await darkroom({ env }, ['secret', 'reset', '--yes', '--json']);
  assert.deepEqual(JSON.parse(again.stdout), { reset: false, lost: null });
  {
    await using _server = await startServerProcess(withSecret(`${second},${first}`));
  }
  await using operator = await openOperator(env);
  assert.match(
    (await operator.revealEndpointSecret(accountId, 'default')).secrets[0]?.secret ?? '',
    /^whsec_/,
  );
});

test('an older database recognizes its secret by what it opens, and refuses another', async () => {
  await using stack = new AsyncDisposableStack();
  const { place, withSecret } = await openSealed(stack);
  const forget = () =>
    place.database.transaction((tx) =>
      tx.deleteFrom('settings').where('name', '=', 'secret_fingerprint').execute(),
    );
  await forget();
  assert.match((await runServerProcess(withSecret(second))).stderr, /is not the secret of this database/);
  {
    await using _server = await startServerProcess(withSecret(first));
  }
  await place.database.transaction((tx) => tx.deleteFrom('signing_secrets').execute());
  assert.match(
    (await runServerProcess(withSecret(second))).stderr,
    /is not the secret of this database/,
    'it was written down',
  );
  await forget();
  await using _server = await startServerProcess(withSecret(second));
});

test('of two first starts at once with different secrets, one gets the database', async () => {
  await using stack = new AsyncDisposableStack();
  const given = await createDatabase();
  const place = stack.use(await openInstallation(given));
  const starts = [first, second].map((secret) =>
    startServerProcess({ ...place.env, DARKROOM_SECRET: secret }).then(
      (server) => stack.use(server) && 'started',
      (error: Error) => error.message,
    ),
  );
  const [one = '', other = ''] = (await Promise.all(starts)).sort();
  assert.match(other, /is not the secret of this database/);
  assert.equal(one, 'started');
});

test('an installation with a generated secret is refused without its file, and if another is set, the error says where the file is', async () => {
  await using stack = new AsyncDisposableStack();
  const given = await createDatabase();
  const { place, env } = await stack.use(await openOwn(given));
  {
    await using _server = await startServerProcess(env);
  }
  const another = await runServerProcess({ ...env, DARKROOM_SECRET: second });
  assert.match(another.stderr, /the one that the installation generated.*NEW,OLD/);
  if (place.database.kind === 'postgres') return; // this installation's secret is in the database itself
  const file = join(place.env.DARKROOM_DATA_DIR ?? '', 'secret');
  await writeFile(file, 'not what it was before, but long enough');
  assert.match((await runServerProcess(env)).stderr, /secret is not the secret of this database/);
  await rm(file);
  assert.match((await runServerProcess(env)).stderr, /The secret of this database is missing/);
  assert.equal((await darkroom({ env }, ['secret', 'reset', '--yes'])).code, 0);
  await using _server = await startServerProcess(env);
});

async function openOwn(given: Awaited<ReturnType<typeof createDatabase>>) {
  const place = await openInstallation(given);
  const { DARKROOM_SECRET: _, ...env } = place.env;
  return { place, env, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() };
}
