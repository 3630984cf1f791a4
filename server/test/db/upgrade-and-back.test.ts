import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { copyFile, mkdtempDisposable, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { runDarkroom } from '../../../cli/test/run-darkroom.ts';
import { migrations } from '../../src/base/db/migrating/migrate.ts';
import { clientOf } from '../processes/support/client.ts';
import { startServerProcess } from '../processes/support/server-process.ts';
import { createDatabase } from '../world/databases.ts';
import { dumpDatabase } from '../world/dump-database.ts';
import { type Dump, dumpPostgres, openEmptyBeside } from './support/dump-postgres.ts';
import { lacksHistory, type OlderProgram, openOlderProgram } from './support/older-program.ts';

/** The first released version, whose schema is the fifth. */
const oldest = 'f9a43b6';
const oldestSchema = 5;
const guide = readFileSync(resolve(import.meta.dirname, '../../../docs/guides/operating.md'), 'utf8');

type Env = Record<string, string>;

function asInGuide(chapter: string, ...args: string[]): string[] {
  const text = guide.slice(guide.indexOf(`\n## ${chapter}\n`)).slice(1);
  const end = text.indexOf('\n## ');
  assert.ok(
    text.slice(0, end).includes(`npx darkroom ${args.join(' ')}`),
    `the guide has no ${args.join(' ')}`,
  );
  return args;
}

async function run(args: string[], cwd: string, env: Env): Promise<string> {
  const { code, stdout, stderr } = await runDarkroom(args, { cwd, env });
  assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
  return stdout;
}

async function demoOf({ url }: { url: string }, dataDir: string) {
  const { key } = JSON.parse(await readFile(join(dataDir, 'client.json'), 'utf8')) as { key: string };
  const send = clientOf({ url }, key);
  return {
    async create(prompt: string): Promise<string> {
      const body = { prompt, aspect_ratio: '1:1' };
      const created = await send('POST', '/nb2/text-generations', { body });
      assert.equal(created.status, 202, JSON.stringify(created.body));
      return String(created.body.job_id);
    },
    async image(jobId: string): Promise<Buffer> {
      for (;;) {
        const { body } = await send('GET', `/jobs/${jobId}`, { headers: { prefer: 'wait=30' } });
        if (body.status === 'queued' || body.status === 'processing') continue;
        assert.equal(body.status, 'done', JSON.stringify(body));
        const { image_url } = body.result as { image_url: string };
        return Buffer.from(await (await fetch(image_url)).arrayBuffer());
      }
    },
    balance: async () => (await send('GET', '/balance')).body,
    find: async (jobId: string) => (await send('GET', `/jobs/${jobId}`)).status,
  };
}

interface Place {
  folder: string;
  dataDir: string;
  env: Env;
  url: string | undefined;
}

async function backUp({ folder, env, url }: Place, older: OlderProgram, t: TestContext) {
  if (!url) {
    const [file = ''] = asInGuide('Upgrading', 'backup', 'before-the-upgrade.db').slice(1);
    const stdout = await run(['backup', file], folder, env);
    assert.equal(stdout, `${join(folder, file)}\n`);
    using copy = new DatabaseSync(join(folder, file), { readOnly: true });
    assert.equal(schemaOf(copy), oldestSchema, 'the copy is of the old version');
    return async ({ dataDir }: Place): Promise<Env> => {
      for (const end of ['', '-wal', '-shm']) await rm(join(dataDir, `darkroom.db${end}`), { force: true });
      await copyFile(join(folder, file), join(dataDir, 'darkroom.db'));
      return env;
    };
  }
  const refused = await runDarkroom(['backup', 'copy.db'], { cwd: folder, env });
  assert.match(refused.stderr, /pg_dump/);
  const dump: Dump = await dumpPostgres(url, join(folder, 'before-the-upgrade.dump'), async (to) => {
    const made = await older.run(['status'], { ...env, DATABASE_URL: to });
    assert.equal(made.code, 0, made.stderr);
  });
  t.diagnostic(`the dump is ${dump.by}`);
  return async (_place: Place, restored: string): Promise<Env> => {
    await dump.restore(restored);
    return { ...env, DATABASE_URL: restored };
  };
}

function schemaOf(database: DatabaseSync): number {
  return Number(database.prepare('select max(version) as version from migrations').get()?.version);
}

test(`from ${oldest} to this version while jobs run, and back by the backup, as the guide says: jobs, money and images are unchanged`, {
  skip: lacksHistory(oldest),
}, async (t) => {
  await using stack = new AsyncDisposableStack();
  const older = stack.use(await openOlderProgram(oldest));
  const folder = stack.use(await mkdtempDisposable(join(tmpdir(), 'darkroom-upgrade-'))).path;
  const database = await createDatabase({ empty: true });
  stack.defer(async () => database?.drop());
  const dataDir = join(folder, 'data');
  const env: Env = { DARKROOM_DATA_DIR: dataDir, ...(database && { DATABASE_URL: database.url }) };
  const place: Place = { folder, dataDir, env, url: database?.url };

  // The old server runs, with a done job and others running.
  const before = stack.use(await older.start(env));
  const old = await demoOf(before, dataDir);
  const done = await old.create('a lighthouse at dusk');
  const image = await old.image(done);
  const waiting = await Promise.all(
    Array.from({ length: 6 }, (_, nth) => old.create(`[[delay:4s]] a harbour ${nth}`)),
  );
  const schema = async () => {
    const lines = await dumpDatabase({ url: database?.url, dataDir });
    return lines.filter((line) => line.startsWith('migrations ')).length;
  };
  const restore = await backUp(place, older, t);
  await run(asInGuide('Upgrading', 'migrate', '--plan'), folder, env);
  const status = await runDarkroom(['status'], { cwd: folder, env });
  assert.notEqual(status.code, 0);
  assert.match(status.stderr, /schema version 5, and this command needs \d+.*`darkroom migrate`/);
  assert.equal(await schema(), oldestSchema, 'nothing of it changed the database');
  const after = await old.create('[[delay:1ms]] made after the backup');

  if (database) await run(asInGuide('Upgrading', 'migrate'), folder, env);
  await before.stop();
  {
    await using upgraded = await startServerProcess(env);
    const demo = await demoOf(upgraded, dataDir);
    assert.deepEqual(await demo.image(done), image, 'its image is the one that it was');
    for (const job of [...waiting, after]) assert.ok((await demo.image(job)).length > 0);
    assert.deepEqual(await moneyOf(demo), ['99.68', '0.00'], 'eight jobs were paid, each once');
    await run(asInGuide('Upgrading', 'verify'), folder, env);
    assert.equal(await schema(), migrations.length);
    const refused = await older.run(['status'], env);
    assert.match(refused.stderr, new RegExp(`schema version ${migrations.length}, newer than`));
    upgraded.signal('SIGTERM');
    await upgraded.ended;
  }

  const empty = database && (await openEmptyBeside(database.url));
  stack.defer(async () => empty?.drop());
  const restored = await restore(place, empty?.url ?? '');
  const refused = await runDarkroom(['status'], { cwd: folder, env: restored });
  assert.match(refused.stderr, /`darkroom migrate`/);
  await using back = await older.start(restored);
  const again = await demoOf(back, dataDir);
  assert.deepEqual(await again.image(done), image);
  for (const job of waiting) assert.ok((await again.image(job)).length > 0, 'jobs under way are made again');
  assert.equal(await again.find(after), 404, 'what came after the backup is lost');
  assert.deepEqual(await moneyOf(again), ['99.72', '0.00']);
  const verified = await older.run(['verify'], restored);
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
});

async function moneyOf({ balance }: Pick<Awaited<ReturnType<typeof demoOf>>, 'balance'>): Promise<unknown[]> {
  const { balance: all, reserved } = await balance();
  return [all, reserved];
}
