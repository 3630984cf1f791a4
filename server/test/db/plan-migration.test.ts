import assert from 'node:assert/strict';
import { access, mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runDarkroom } from '../../../cli/test/run-darkroom.ts';
import { migrations } from '../../src/base/db/migrating/migrate.ts';
import { readStatement } from '../../src/base/db/migrating/read-statement.ts';
import { postgresDialect, sqliteDialect } from '../../src/base/db/migrations/dialect.ts';
import { createDatabase } from '../world/databases.ts';

test('the table and lock of every statement in every migration are known', () => {
  for (const { statements } of migrations)
    for (const dialect of [sqliteDialect, postgresDialect])
      for (const statement of statements(dialect)) assert.ok(readStatement(statement).table);
});

test('adding a column with a check reads all rows; without a check it reads none', () => {
  const readOne = (text: string) => Object.values(readStatement(text));
  assert.deepEqual(readOne('alter table jobs add column colours text'), ['jobs', 'alter table', 'everybody']);
  assert.deepEqual(readOne('alter table jobs add column cost bigint check (cost >= 0)'), [
    'jobs',
    'check rows',
    'everybody',
  ]);
  assert.deepEqual(readOne('create index some on jobs (id)'), ['jobs', 'build index', 'writers']);
});

test('migrate --plan says what would run and changes nothing; migrate runs it; then nothing is left to do', async () => {
  await using place = await mkdtempDisposable(join(tmpdir(), 'darkroom-migrate-'));
  const database = await createDatabase({ empty: true });
  try {
    const env = {
      DARKROOM_DATA_DIR: join(place.path, 'data'),
      ...(database && { DATABASE_URL: database.url }),
    };
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await runDarkroom(['migrate', ...args], { cwd: place.path, env });
      assert.equal(code, 0, stderr);
      return args.includes('--json') ? JSON.parse(stdout) : stdout + stderr;
    };
    for (let nth = 0; nth < 2; nth++) {
      const plan = await run('--plan', '--json');
      assert.deepEqual([plan.from, plan.to, plan.pending.length], [0, migrations.length, migrations.length]);
      assert.deepEqual(
        plan.pending[0].steps
          .map(({ waits }: { waits: string }) => waits)
          .filter((who: string) => who !== 'nobody'),
        [],
      );
    }
    if (!database) await assert.rejects(access(env.DARKROOM_DATA_DIR));
    assert.match(await run('--plan'), /Nothing was changed\./);
    assert.deepEqual(await run('--json'), { from: 0, to: migrations.length });
    assert.match(await run('--plan'), /there is nothing to do/);
  } finally {
    await database?.drop();
  }
});
