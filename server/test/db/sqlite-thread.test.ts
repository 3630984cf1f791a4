import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { mock, test } from 'node:test';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { sql } from 'kysely';
import { connect } from '../../src/base/db/connect.ts';
import type { Database } from '../../src/base/db/database.ts';
import { readNow } from '../../src/base/db/rows.ts';
import { systemClock } from '../../src/base/std/clock.ts';
import { firstOf, hurry, makePlace, open, openIn, run } from './support/sqlite-place.ts';

const insert = (database: Database, text: string) =>
  database.longTransaction((tx) => sql`insert into notes values (${text})`.execute(tx));
const count = (database: Database) => firstOf(database, 'select count(*) from notes');

function watch(sent: (thread: Worker, statement: string) => void) {
  const send = Worker.prototype.postMessage;
  return mock.method(
    Worker.prototype,
    'postMessage',
    function (this: Worker, asked: { statement: { sql: string } }) {
      send.call(this, asked);
      sent(this, asked.statement.sql);
    },
  );
}

test('a long transaction runs in a thread, by the same clock, and leaves one file', async () => {
  using place = makePlace();
  let nowMs = 1_000;
  const statements: string[] = [];
  const sends = watch((_thread, statement) => statements.push(statement));
  {
    await using database = await connect({
      url: undefined,
      dataDir: place.dataDir,
      clock: { ...systemClock, nowMs: () => nowMs },
    });
    await run(database, 'create table notes (text text)');
    const found = await database.longTransaction(
      async (tx) => {
        const before = await readNow(tx);
        nowMs = 2_000;
        return [before, await readNow(tx)];
      },
      async (tx, times) => {
        await sql`insert into notes values (${'a\0b'})`.execute(tx);
        return times;
      },
    );
    assert.deepEqual(found, [1_000, 2_000]);
    assert.equal(await count(database), 1);
  }
  sends.mock.restore();
  assert.deepEqual([statements[0], statements.at(-1)], ['begin immediate', 'commit']);
  assert.deepEqual(readdirSync(place.dataDir), ['darkroom.db']);
  assert.deepEqual(openIn(place.dataDir), []);
});

test('a thread’s commit is not reported before it is synced, not even to readers that see it before this thread does', async () => {
  using place = makePlace();
  await using database = await open(place.dataDir);
  await run(database, 'create table notes (text text)');
  using other = new DatabaseSync(place.file);
  const find = other.prepare('select 1 from notes');
  const order: string[] = [];
  const tell = (name: string, promise: Promise<unknown>) => promise.then(() => order.push(name));
  const { promise: read, resolve } = Promise.withResolvers<unknown>();
  const sends = watch((thread, statement) => {
    if (statement !== 'commit') return;
    while (find.get() === undefined);
    resolve(tell('read', sql`select * from notes`.execute(database.read)));
    thread.once('message', () => {
      // After this many microtasks, everything that does not wait for the disk has happened.
      let microtasks: Promise<unknown> = Promise.resolve();
      for (let nth = 0; nth < 100; nth += 1) microtasks = microtasks.then(() => {});
      void tell('known', microtasks);
    });
  });
  await tell('written', insert(database, 'a'));
  sends.mock.restore();
  await read;
  assert.equal(order[0], 'known');
});

test('an idle thread does not keep its process alive', async () => {
  using place = makePlace();
  const from = (file: string) => JSON.stringify(new URL(`../../src/base/${file}`, import.meta.url).href);
  const script = `
    const { systemClock } = await import(${from('std/clock.ts')});
    const { SqliteThread } = await import(${from('db/sqlite/thread.ts')});
    const thread = new SqliteThread(${JSON.stringify(place.file)}, systemClock);
    const { rows } = await thread.run({ sql: 'select 1 as one', parameters: [] });
    process.stdout.write(JSON.stringify(rows));`;
  const child = ['--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)(process.execPath, child, { timeout: 60_000 });
  assert.equal(stdout, '[{"one":1}]');
});

test('a failure in a long transaction undoes all of it, with the same error as elsewhere', async () => {
  using place = makePlace();
  await using database = await open(place.dataDir);
  await run(database, 'create table notes (text text unique)');
  const twice = database.longTransaction(async (tx) => {
    await sql`insert into notes values ('a')`.execute(tx);
    await sql`insert into notes values ('a')`.execute(tx);
  });
  await assert.rejects(twice, /UNIQUE constraint failed: notes.text/);
  await assert.rejects(
    database.longTransaction(() => Promise.reject(new Error('undecided'))),
    /undecided/,
  );
  assert.equal(await count(database), 0);
  using other = new DatabaseSync(place.file);
  other.exec('begin immediate');
  const waits = insert(database, 'waited');
  setTimeout(() => other.exec('rollback'), 100);
  await waits;
  assert.equal(await count(database), 1);
  other.exec('begin immediate');
  const late = hurry(11_000);
  await assert.rejects(insert(database, 'late'), {
    name: 'DatabaseUnavailable',
    message: 'Another process keeps the database locked.',
  });
  late.mock.restore();
});

test('a thread that ends loses its transaction; others continue, and the next one gets a new thread', async () => {
  using place = makePlace();
  {
    await using database = await open(place.dataDir);
    await run(database, 'create table notes (text text)');
    const sends = watch((thread, statement) => {
      if (!statement.startsWith('select')) return;
      thread.emit('error', new Error('out of memory'));
      void thread.terminate();
    });
    const broken = database.longTransaction(async (tx) => {
      await sql`insert into notes values ('a')`.execute(tx);
      await sql`select 1`.execute(tx);
    });
    await assert.rejects(broken, /out of memory/);
    sends.mock.restore();
    await run(database, "insert into notes values ('b')");
    await insert(database, 'c');
    assert.equal(await count(database), 2);
  }
  assert.deepEqual(openIn(place.dataDir), []);
});
