import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import type { Database } from '../../src/base/db/database.ts';
import { migrate, migrations } from '../../src/base/db/migrating/migrate.ts';
import type { Session } from '../../src/base/db/postgres/session.ts';
import { openPostgres } from '../../src/base/db/postgres.ts';
import { findViolations } from '../../src/jobs/upkeep/verify/find-violations.ts';
import { createDatabase } from '../world/databases.ts';
import { createAsOlder, fillOlder } from './support/older-creates.ts';
import { openReleased } from './support/open-released.ts';

const skip = process.env.TEST_DATABASE_URL
  ? false
  : 'needs PostgreSQL: SQLite is upgraded in one transaction';

test('20,000 jobs of 0.1.0 are upgraded while it creates more: no create fails or waits long, and the ledger is right', {
  skip,
}, async () => {
  await using place = await openReleased('0.1.0');
  const url = place.url ?? '';
  await fillOlder(url, 20_000);
  await using database = await openPostgres(url, { connections: 4 });
  const creates = await createAsOlder(url, 2);
  await migrate(database);
  await creates.stop();
  assert.ok(creates.counted.created > 0);
  assert.ok(creates.counted.longestMs < 2_000, `one waited for ${creates.counted.longestMs} ms`);
  assert.deepEqual(await findViolations(database.read), []);
  const client = await connectTo(url);
  const { rows } = await client.query(`select model, count(*)::int as captures from entries
    where kind = 'capture' group by model`);
  await client.end();
  assert.deepEqual(rows, [{ model: 'nb2', captures: 20_001 }], 'entries of before name their model');
});

test('while a long query reads the jobs, the upgrade waits, and creates do not wait behind it', {
  skip,
}, async () => {
  await using place = await openReleased('0.1.0');
  const url = place.url ?? '';
  await using database = await openPostgres(url, { connections: 4 });
  const reader = await connectTo(url);
  await reader.query('begin');
  await reader.query('select count(*) from jobs');
  const creates = await createAsOlder(url, 2);
  const migrated = migrate(database);
  await untilWaited(reader);
  const before = creates.counted.created;
  while (creates.counted.created < before + 20) await new Promise(setImmediate);
  assert.equal(await versionOf(database), 12);
  await reader.query('commit');
  await reader.end();
  assert.deepEqual(await migrated, { from: 12, to: migrations.length });
  await creates.stop();
  assert.deepEqual(await findViolations(database.read), []);
});

test('an upgrade that is interrupted repeatedly continues where it was, and ends with a new database’s schema', {
  skip,
}, async () => {
  await using place = await openReleased('0.1.0');
  await fillOlder(place.url ?? '', 6_000);
  await using upgraded = await openPostgres(place.url ?? '', { connections: 4 });
  let cuts = 0;
  for (let isOver = false; !isOver; ) {
    const cut = cutOffAfter(upgraded, 9 + cuts);
    isOver = await migrate(cut.database).then(
      () => true,
      (error: Error) => assert.equal(error.message, 'cut off') ?? false,
    );
    if (!isOver) cuts += 1;
    if (cut.index !== undefined) await breakIndex(place.url ?? '', cut.index);
  }
  assert.ok(cuts > 5, `${cuts} cuts`);
  const fresh = await createDatabase({ empty: true });
  assert.ok(fresh);
  try {
    await using database = await openPostgres(fresh.url, { connections: 4 });
    await migrate(database);
    assert.deepEqual(await readSchema(place.url ?? ''), await readSchema(fresh.url));
  } finally {
    await fresh.drop();
  }
  assert.deepEqual(await findViolations(upgraded.read), []);
});

test('an upgrade that another version began is refused', { skip }, async () => {
  await using place = await openReleased('0.1.0');
  await using database = await openPostgres(place.url ?? '', { connections: 4 });
  const client = await connectTo(place.url ?? '');
  await client.query(`create table migration_progress (version bigint primary key, fingerprint text not null, steps bigint not null,
    through bigint not null); insert into migration_progress values (13, 'other', 1, 0)`);
  await client.end();
  await assert.rejects(migrate(database), {
    name: 'DatabaseRefused',
    message: /Another version of Darkroom has begun migration 13/,
  });
});

async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

async function untilWaited(client: pg.Client): Promise<void> {
  for (const wanted of [1, 0])
    for (let waiting = -1; waiting !== wanted; ) {
      const { rows } = await client.query<{ waiting: number }>(`select count(*)::int as waiting from pg_locks
        where not granted and mode = 'AccessExclusiveLock' and relation = to_regclass('jobs')`);
      waiting = rows[0]?.waiting ?? 0;
    }
}

async function versionOf(database: Database): Promise<number | undefined> {
  const row = await database.read
    .selectFrom('migrations')
    .select((eb) => eb.fn.max('version').as('version'))
    .executeTakeFirst();
  return row?.version;
}

/**
 * A database whose sessions break after this many statements; `index` is the last index built, if nothing followed it.
 */
function cutOffAfter(database: Database, statements: number) {
  const cut = {
    index: undefined as string | undefined,
    database: {
      ...database,
      async openSession(): Promise<Session> {
        const session = await database.openSession();
        let left = statements;
        const run: Session['run'] = async (text, values) => {
          if (left-- === 0) {
            await session[Symbol.asyncDispose]();
            throw new Error('cut off');
          }
          cut.index = /^create .*index concurrently (\w+)/.exec(text)?.[1];
          return session.run(text, values);
        };
        const transaction: Session['transaction'] = async (work) => {
          await session.run('begin');
          const result = await work();
          await session.run('commit');
          return result;
        };
        return { run, transaction, [Symbol.asyncDispose]: () => session[Symbol.asyncDispose]() };
      },
    },
  };
  return cut;
}

/** Marks the index as invalid, as an interrupted build leaves it. */
async function breakIndex(url: string, index: string): Promise<void> {
  const client = await connectTo(url);
  await client.query('update pg_index set indisvalid = false where indexrelid = to_regclass($1)', [index]);
  await client.end();
}

async function readSchema(url: string): Promise<unknown[]> {
  const client = await connectTo(url);
  const { rows } = await client.query(`
    select attrelid::regclass::text as of, attnum::text as name, attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attnotnull as text
      from pg_attribute join pg_class on pg_class.oid = attrelid
      where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0
    union all select conrelid::regclass::text, conname, pg_get_constraintdef(oid) from pg_constraint
      where connamespace = 'public'::regnamespace
    union all select tablename, indexname, indexdef || indisvalid from pg_indexes
      join pg_index on indexrelid = indexname::regclass where schemaname = 'public'
    union all select tgrelid::regclass::text, tgname, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    union all select 'migrations', version::text, fingerprint from migrations
    order by 1, 2, 3`);
  await client.end();
  return rows;
}
