import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { mock, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { sql } from 'kysely';
import { firstOf, makePlace, open, openIn, run } from './support/sqlite-place.ts';

const megabyte = 1_000_000;
const logBytes = 17 * megabyte;

function timesBegun(log: string): number {
  return readFileSync(log).readUInt32BE(12);
}

test('an unsynced commit is not reported until it is in the database file, which must wait for readers', async () => {
  using place = makePlace();
  await using database = await open(place.dataDir);
  const tables = async () => {
    const { rows } = await sql<{ name: string }>`select name from sqlite_schema`.execute(database.read);
    return rows.map(({ name }) => name);
  };
  assert.deepEqual(await tables(), []);
  using other = new DatabaseSync(place.file);
  other.exec('begin; select * from sqlite_schema');
  const written = database.transaction(async (tx) => {
    await sql`create table notes (text text)`.execute(tx);
    // The log can no longer be opened for a sync, but SQLite keeps it open.
    rmSync(place.log);
  });
  const lost = { name: 'DatabaseUnavailable', message: 'The disk did not keep what was written.' };
  await assert.rejects(written, lost);
  await assert.rejects(tables(), lost);
  other.exec('rollback');
  assert.deepEqual(await tables(), ['notes']);
  assert.ok(readFileSync(place.file, 'latin1').includes('notes'));
});

test('the log is copied into the file at sixteen megabytes and restarts, even if others write meanwhile', async () => {
  using place = makePlace();
  {
    await using database = await open(place.dataDir);
    await run(database, 'create table notes (text blob)');
    let written = 0;
    const write = (bytes: number) =>
      database.transaction(async (tx) => {
        await sql.raw(`insert into notes values (zeroblob(${bytes}))`).execute(tx);
        // No other query may use this connection meanwhile.
        await turn();
        written += 1;
      });
    for (let round = 0; round < 2; round += 1) {
      const before = timesBegun(place.log);
      for (let bytes = 0; bytes < logBytes; bytes += megabyte) await write(megabyte);
      // The second step of a copy may include the first notes of a round. Then the log restarts once more, and the
      // rest of the round reaches sixteen megabytes a little later.
      const isCopied = () => statSync(place.file).size > (round + 1) * logBytes;
      while (timesBegun(place.log) === before || !isCopied()) await write(1);
    }
    assert.equal(await firstOf(database, 'select count(*) from notes'), written);
    assert.equal(await database.isElected(), true, 'nobody else cleans up here');
  }
  assert.deepEqual(readdirSync(place.dataDir), ['darkroom.db']);
  assert.deepEqual(openIn(place.dataDir), [], 'not in the thread that copied, either');
});

test('closing a database waits for the copying of its log, even if nothing else keeps the process running', async () => {
  using place = makePlace();
  await (await open(place.dataDir))[Symbol.asyncDispose]();
  const from = (file: string) => JSON.stringify(new URL(`../../src/${file}`, import.meta.url).href);
  const script = `
    const { connect } = await import(${from('base/db/connect.ts')});
    const { systemClock } = await import(${from('base/std/clock.ts')});
    const { sql } = await import('kysely');
    const database = await connect({ url: undefined, dataDir: process.env.DATA, clock: systemClock });
    await database.transaction(async (tx) => {
      await sql\`create table notes (text blob)\`.execute(tx);
      await sql\`insert into notes values (zeroblob(${logBytes}))\`.execute(tx);
    });
    await database[Symbol.asyncDispose]();
    process.stdout.write('closed');`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd: import.meta.dirname,
    env: { ...process.env, DATA: place.dataDir },
  });
  assert.equal(stdout, 'closed');
  assert.deepEqual(readdirSync(place.dataDir), ['darkroom.db']);
});

test('a log that a reader uses is copied once the reader has finished', async () => {
  using place = makePlace();
  await using database = await open(place.dataDir);
  await run(database, 'create table notes (text blob)');
  const write = (bytes: number) => run(database, `insert into notes values (zeroblob(${bytes}))`);
  using other = new DatabaseSync(place.file);
  other.exec('begin; select * from notes');
  const before = timesBegun(place.log);
  for (let bytes = 0; bytes < 2 * logBytes; bytes += megabyte) await write(megabyte);
  assert.equal(timesBegun(place.log), before);
  other.exec('rollback');
  for (let bytes = 0; bytes < logBytes; bytes += megabyte) await write(megabyte);
  while (timesBegun(place.log) === before) await write(1);
});

test('a log is copied in two steps; a failed copy is repeated after sixteen more megabytes, in a new thread', async () => {
  using place = makePlace();
  await using database = await open(place.dataDir);
  await run(database, 'create table notes (text blob)');
  const write = (bytes: number) => run(database, `insert into notes values (zeroblob(${bytes}))`);
  // Pretends that a reader uses the whole log, so that nothing can be copied.
  const ask = mock.method(Worker.prototype, 'postMessage', function (this: Worker) {
    this.emit('message', { result: { rows: [{ log: 1e6, checkpointed: 0 }] } });
  });
  try {
    const asksFor = async (bytes: number) => {
      const before = ask.mock.callCount();
      await write(bytes);
      await turn();
      return ask.mock.callCount() - before;
    };
    assert.equal(await asksFor(megabyte), 0);
    assert.equal(await asksFor(logBytes), 2);
    assert.equal(await asksFor(1), 0);
    assert.equal(await asksFor(logBytes), 2);
    assert.equal(await asksFor(1), 0);
    let ended: Promise<unknown> | undefined;
    ask.mock.mockImplementation(function (this: Worker) {
      ended = this.terminate();
    });
    assert.equal(await asksFor(logBytes), 1);
    await ended;
    await turn();
    assert.equal(await asksFor(1), 0);
    // If a thread cannot open the file, only the thread ends.
    const failed = Promise.withResolvers<void>();
    ask.mock.mockImplementation(function (this: Worker) {
      this.once('exit', () => failed.resolve());
    });
    renameSync(place.file, `${place.file}-moved`);
    mkdirSync(place.file);
    assert.equal(await asksFor(logBytes), 1);
    await failed.promise;
    rmdirSync(place.file);
    renameSync(`${place.file}-moved`, place.file);
  } finally {
    ask.mock.restore();
  }
  const before = timesBegun(place.log);
  await write(logBytes);
  while (timesBegun(place.log) === before) await write(1);
});
