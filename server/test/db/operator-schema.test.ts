import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { buildClientProgram } from '../../../cli/src/client-program.ts';
import { buildProgram } from '../../../cli/src/program.ts';
import { runDarkroom } from '../../../cli/test/run-darkroom.ts';
import { connect } from '../../src/base/db/connect.ts';
import { migrations } from '../../src/base/db/migrating/migrate.ts';
import { systemClock } from '../../src/base/std/clock.ts';
import { migrateDatabase } from '../../src/start/open-operator.ts';
import { createDatabase } from '../world/databases.ts';
import { assertSameDump, dumpDatabase, listFiles } from '../world/dump-database.ts';
import { openReleased } from './support/open-released.ts';

const needed = migrations.length;

type Env = Record<string, string>;

const placeOf = (env: Env) => ({ url: env.DATABASE_URL, dataDir: env.DARKROOM_DATA_DIR ?? '' });

const values: Record<string, string> = {
  account: 'shop',
  amount: '1',
  batch: '01980000-0000-7000-8000-0000000000c1',
  count: '1',
  group: 'resellers',
  endpoint: '01980000-0000-7000-8000-0000000000d1',
  key: 'none',
  'key-id': '01980000-0000-7000-8000-0000000000b1',
  model: 'nb2',
  month: '2026-10',
  name: 'name',
  networks: 'any',
  person: '01980000-0000-7000-8000-0000000000e1',
  provider: 'sketch',
  url: 'https://shop.example/other',
  version: '1',
  '--account': 'shop',
  '--name': 'name',
  '--reason': 'reason',
  '--scopes': 'read',
  '--unknown-images': 'keep',
};
/** Options that a command needs although its definition does not require them. */
const more: Record<string, string[]> = {
  'account credit': ['--reason', 'reason'],
  'account erase': ['--confirm', 'shop'],
};

type Command = ReturnType<typeof buildProgram>;

function operatorCommands(folder: string): string[][] {
  const ofClients = new Set(leavesOf(buildClientProgram('')).map(({ name }) => name));
  const others = ['serve', 'migrate', 'backup', 'marking init', 'marking status', ...ofClients];
  const given = { ...values, file: join(folder, 'models.json'), '--to': join(folder, 'export.zip') };
  return leavesOf(buildProgram())
    .filter(({ name }) => !others.includes(name) || name === 'doctor')
    .map(({ name, command }) => [
      ...name.split(' '),
      ...command.registeredArguments
        .filter(({ required }) => required)
        .map((argument) => givenFor(given, argument.name())),
      ...command.options
        .filter(({ mandatory }) => mandatory)
        .flatMap(({ long }) => [String(long), givenFor(given, String(long))]),
      ...(more[name] ?? []),
    ]);
}

function leavesOf(program: Command, before = ''): { name: string; command: Command }[] {
  return program.commands.flatMap((command) => {
    const name = `${before}${command.name()}`;
    return command.commands.length > 0 ? leavesOf(command, `${name} `) : [{ name, command }];
  });
}

function givenFor(given: Record<string, string>, name: string): string {
  assert.ok(given[name] !== undefined, `this test has no value for ${name}`);
  return given[name];
}

async function endOf(args: readonly string[], env: Env): Promise<unknown> {
  const before = { ...process.env };
  Object.assign(process.env, env);
  try {
    return await buildProgram()
      .parseAsync(['node', 'darkroom', ...args])
      .then(
        () => 'well',
        (error: unknown) => error,
      );
  } finally {
    for (const name of Object.keys(env)) if (before[name] === undefined) delete process.env[name];
    Object.assign(process.env, before);
  }
}

test('on an older version’s database, every operator command names both versions and what to run, and writes nothing', async () => {
  await using place = await openReleased('0.1.0');
  const dataDir = place.env.DARKROOM_DATA_DIR;
  await writeFile(join(dataDir, 'models.json'), '{"models": []}');
  const before = await dumpDatabase(placeOf(place.env));
  const files = await listFiles(dataDir);
  const commands = operatorCommands(dataDir);
  assert.ok(commands.length > 40, `${commands.length} commands`);
  for (const args of commands) {
    const { code, stderr, stdout } =
      args[0] === 'status' || args[0] === 'doctor'
        ? await runDarkroom(args, { cwd: dataDir, env: place.env })
        : { code: 6, stdout: '', stderr: String(await endOf(args, place.env)) };
    assert.notEqual(code, 0, `${args.join(' ')} ${stdout} ${stderr}`);
    assert.match(stdout + stderr, new RegExp(`schema (version )?12\\b[^]*\\b${needed}\\b`), args.join(' '));
    assert.match(stdout + stderr, /darkroom migrate/, args.join(' '));
  }
  assertSameDump(await dumpDatabase(placeOf(place.env)), before, 'the database is as it was');
  assert.deepEqual(await listFiles(dataDir), files);
});

test('a backup copies an older version’s database unchanged, and leaves it unchanged', async () => {
  await using place = await openReleased('0.1.0');
  const dataDir = place.env.DARKROOM_DATA_DIR;
  const before = await dumpDatabase(placeOf(place.env));
  const file = join(dataDir, 'copy.db');
  const { code, stdout, stderr } = await runDarkroom(['backup', file], { cwd: dataDir, env: place.env });
  assertSameDump(await dumpDatabase(placeOf(place.env)), before, 'the database is as it was');
  if (place.url) {
    assert.equal(code, 6);
    assert.match(stderr, /Back up PostgreSQL with its own pg_dump/);
    return;
  }
  assert.deepEqual([code, stdout], [0, `${file}\n`], stderr);
  await using copy = await mkdtempDisposable(join(tmpdir(), 'darkroom-copy-'));
  using opened = new DatabaseSync(file);
  opened.exec(`vacuum into '${join(copy.path, 'darkroom.db')}'`);
  assertSameDump(await dumpDatabase({ dataDir: copy.path }), before, 'and so is the copy');
});

test('commands work with a newer server’s database if its schema only grew; otherwise they end with a sentence, except backups', async () => {
  await using place = await openReleased('0.1.0');
  const { env } = place;
  await migrateDatabase(env);
  const version = needed + 1;
  const newer = { version, name: 'newer', applied_at: 0, fingerprint: 'of the newer' };
  await using database = await connect({ ...placeOf(env), url: place.url, clock: systemClock });
  await database.transaction((tx) =>
    tx
      .insertInto('migrations')
      .values({ ...newer, is_expansion: 1 })
      .execute(),
  );
  assert.equal((await runDarkroom(['account', 'create', 'one'], { cwd: tmpdir(), env })).code, 0);
  await database.transaction((tx) =>
    tx.updateTable('migrations').set({ is_expansion: 0 }).where('version', '=', version).execute(),
  );
  const before = await dumpDatabase(placeOf(env));
  for (const args of [
    ['status'],
    ['account', 'create', 'other'],
    ['webhook', 'add', 'https://shop.example/new', '--account', 'one'],
    ['migrate'],
    ['verify'],
    ['panel-link'],
  ]) {
    const end = String(await endOf(args, env));
    assert.match(
      end,
      new RegExp(`^DatabaseRefused: .* schema version ${version}, newer than this program's ${needed}`),
    );
  }
  if (!place.url) {
    const file = join(env.DARKROOM_DATA_DIR, 'copy.db');
    assert.equal((await runDarkroom(['backup', file], { cwd: tmpdir(), env })).code, 0);
    using copy = new DatabaseSync(file);
    assert.equal(copy.prepare('select max(version) as version from migrations').get()?.version, version);
  }
  assertSameDump(await dumpDatabase(placeOf(env)), before, 'the database is as it was');
});

test('without a database, commands say so and create none', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'darkroom-none-'));
  const database = await createDatabase({ empty: true });
  try {
    const dataDir = join(folder.path, 'data');
    const env: Env = { DARKROOM_DATA_DIR: dataDir, ...(database && { DATABASE_URL: database.url }) };
    const before = database && (await dumpDatabase(placeOf(env)));
    for (const args of [
      ['status'],
      ['account', 'create', 'shop'],
      ['backup', join(folder.path, 'copy.db')],
      ['adopt-store', '--unknown-images', 'keep'],
    ]) {
      const { code, stderr } = await runDarkroom(args, { cwd: folder.path, env });
      assert.equal(code, 6, stderr);
      if (args[0] === 'backup' && database) assert.match(stderr, /pg_dump/);
      else assert.match(stderr, /no database .*darkroom migrate/);
      assert.ok(!existsSync(join(folder.path, 'copy.db')));
    }
    if (before) assertSameDump(await dumpDatabase(placeOf(env)), before, 'the database is empty');
    assert.ok(!existsSync(dataDir), 'not even the folder');
    const migrated = await runDarkroom(['migrate', '--json'], { cwd: folder.path, env });
    assert.deepEqual(JSON.parse(migrated.stdout), { from: 0, to: needed });
    const models = await runDarkroom(['models', 'list', '--json'], { cwd: folder.path, env });
    assert.match(models.stdout, /"nb2"/, 'it is ready for every command');
  } finally {
    await database?.drop();
  }
});

test('commands that work only on this machine are refused if the environment names another server', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'darkroom-none-'));
  const elsewhere = { DARKROOM_URL: 'http://127.0.0.1:1', DARKROOM_ADMIN_KEY: 'dka_none' };
  for (const args of [['backup', 'copy.db'], ['migrate'], ['migrate', '--plan'], ['panel-link']]) {
    const { code, stderr } = await runDarkroom(args, { cwd: folder.path, env: elsewhere });
    assert.equal(code, 2, stderr);
    assert.match(stderr, /only works on the machine of the server/);
  }
});
