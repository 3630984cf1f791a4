import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { mock, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { sql } from 'kysely';
import { overwriteDeleted } from '../../src/base/db/sqlite/files.ts';
import { firstOf, hurry, makePlace, open, openIn, run } from './support/sqlite-place.ts';

test('only its owner can read a database, and once closed it is one file that the process no longer holds open', async () => {
  using place = makePlace();
  {
    await using database = await open(place.dataDir);
    assert.equal(await database.size(), statSync(place.file).size, 'without a log');
    await run(database, 'create table notes (text text)', "insert into notes values ('kept')");
    for (const path of [place.file, place.log]) assert.equal(statSync(path).mode & 0o777, 0o600, path);
    assert.ok(statSync(place.log).size > 0, 'commits are in the log');
    assert.equal(await database.size(), statSync(place.file).size + statSync(place.log).size);
    const copy = join(place.dataDir, 'copy.db');
    assert.equal(await database.backup(copy), statSync(copy).size);
    assert.ok(readFileSync(copy, 'latin1').includes('kept'));
    assert.ok(!openIn(place.dataDir).includes(copy));
  }
  assert.deepEqual(readdirSync(place.dataDir).sort(), ['copy.db', 'darkroom.db']);
  assert.deepEqual(openIn(place.dataDir), []);
});

test('SQLite leaves the sync of commits to the writer, and never copies its log in a commit', async () => {
  using place = makePlace();
  await using database = await open(place.dataDir);
  const normal = 1;
  assert.equal(await firstOf(database, 'pragma synchronous'), normal);
  assert.equal(await firstOf(database, 'pragma wal_autocheckpoint'), 0);
});

test('deleted data is overwritten in the file, and foreign keys are enforced', async () => {
  using place = makePlace();
  {
    await using database = await open(place.dataDir);
    await run(database, 'create table notes (id integer primary key, text text)');
    await run(database, 'create table parts (note integer references notes (id))');
    await run(database, "insert into notes values (1, 'quetzalcoatlus'), (2, 'archaeopteryx')");
    await run(database, 'delete from notes where id = 1');
    await assert.rejects(run(database, 'insert into parts values (1)'), /FOREIGN KEY/);
  }
  const left = readFileSync(place.file, 'latin1');
  assert.deepEqual([left.includes('quetzalcoatlus'), left.includes('archaeopteryx')], [false, true]);
});

test('the reading connections cannot write', async () => {
  using place = makePlace();
  await using database = await open(place.dataDir);
  await run(database, 'create table notes (text text)');
  await assert.rejects(sql`insert into notes values ('a')`.execute(database.read), {
    name: 'DatabaseUnavailable',
    message: 'The database cannot be written.',
  });
});

test('five hundred statements stay prepared, and no more', async () => {
  using place = makePlace();
  await using database = await open(place.dataDir);
  const read = (nth: number) => sql.raw(`select ${nth}`).execute(database.read);
  const prepare = mock.method(DatabaseSync.prototype, 'prepare');
  try {
    for (let nth = 0; nth < 500; nth++) await read(nth);
    await read(0);
    assert.equal(prepare.mock.callCount(), 500);
    await read(500);
    await read(0);
    assert.equal(prepare.mock.callCount(), 502);
  } finally {
    prepare.mock.restore();
  }
});

test('while another program locks the file, a start and a transaction wait, and continue once it is unlocked', async () => {
  using place = makePlace();
  // A separate thread, because a start blocks its thread.
  const holder = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
     const { DatabaseSync } = require('node:sqlite');
     const database = new DatabaseSync(workerData);
     database.exec('create table notes (text text); begin exclusive');
     parentPort.once('message', () => setTimeout(() => { database.exec('commit'); database.close(); }, 100));
     parentPort.postMessage('held');`,
    { eval: true, execArgv: [], workerData: place.file },
  );
  await new Promise((resolve) => holder.once('message', resolve));
  holder.postMessage('let go');
  await using database = await open(place.dataDir);
  assert.equal(await firstOf(database, 'pragma journal_mode'), 'wal');
  using other = new DatabaseSync(place.file);
  other.exec('begin immediate');
  const written = run(database, "insert into notes values ('waited')");
  setTimeout(() => other.exec('commit'), 100);
  await written;
  assert.equal(await firstOf(database, 'select text from notes'), 'waited');
});

test('if another program locks the file for good, a start and a transaction end with a sentence', async () => {
  using place = makePlace();
  const locked = { name: 'DatabaseUnavailable', message: 'Another process keeps the database locked.' };
  using other = new DatabaseSync(place.file);
  other.exec('create table notes (text text); begin exclusive');
  const start = hurry(6_000);
  await assert.rejects(open(place.dataDir), locked);
  start.mock.restore();
  other.exec('commit');
  await using database = await open(place.dataDir);
  other.exec('begin immediate');
  const late = hurry(11_000);
  await assert.rejects(run(database, "insert into notes values ('late')"), locked);
  late.mock.restore();
  other.exec('rollback');
  await run(database, "insert into notes values ('in time')");
  assert.equal(await firstOf(database, 'select text from notes'), 'in time');
});

test('a transaction that can never begin fails at once', async () => {
  using place = makePlace();
  const database = await open(place.dataDir);
  await database[Symbol.asyncDispose]();
  const turns = async () => {
    for (let nth = 0; nth < 20; nth++) await turn();
    return 'waits';
  };
  const failed = run(database, 'select 1').catch((error: Error) => error.message);
  assert.match(String(await Promise.race([failed, turns()])), /not open/);
});

test('a file that is not a database, a damaged one and a folder are refused with their names', async () => {
  using place = makePlace();
  writeFileSync(place.file, 'no database at all '.repeat(100));
  const unusable = { name: 'DatabaseRefused', message: `${place.file} is not a usable SQLite database.` };
  const wait = mock.method(Atomics, 'wait');
  await assert.rejects(open(place.dataDir), unusable);
  wait.mock.restore();
  assert.equal(wait.mock.callCount(), 0, 'at once');

  rmSync(place.file);
  {
    await using database = await open(place.dataDir);
    await run(database, 'create table notes (text text)', "insert into notes values ('a')");
  }
  const bytes = readFileSync(place.file);
  // Everything but the first page, which identifies a database.
  const pageBytes = 4_096;
  writeFileSync(place.file, bytes.fill(0xff, pageBytes));
  {
    await using database = await open(place.dataDir);
    await assert.rejects(run(database, 'select * from notes'), {
      name: 'DatabaseRefused',
      message: 'The database file is not a usable SQLite database.',
    });
    const copy = join(place.dataDir, 'copy.db');
    await assert.rejects(database.backup(copy), { name: 'DatabaseRefused' });
    assert.ok(!existsSync(copy), 'no half copy stays');
    await assert.rejects(database.overwriteDeleted(), {
      name: 'DatabaseRefused',
      message: 'The database file is not a usable SQLite database.',
    });
  }

  const folder = join(place.dataDir, 'other');
  mkdirSync(join(folder, 'darkroom.db'), { recursive: true });
  await assert.rejects(open(folder), { name: 'DatabaseRefused', message: /^Cannot open .*\/darkroom\.db: / });
});

test('a backup goes into a new file, in an existing folder', async () => {
  using place = makePlace();
  await using database = await open(place.dataDir);
  const there = join(place.dataDir, 'there.db');
  writeFileSync(there, 'kept');
  await assert.rejects(database.backup(there), { name: 'DatabaseRefused', message: /exists already/ });
  assert.equal(readFileSync(there, 'utf8'), 'kept');
  const nowhere = join(place.dataDir, 'missing', 'copy.db');
  await assert.rejects(database.backup(nowhere), { message: new RegExp(`^Cannot open ${nowhere}`) });
});

test('deleted rows are overwritten unless another connection is in the way; then it is tried again later', async () => {
  using place = makePlace();
  await using database = await open(place.dataDir);
  await run(database, 'create table notes (text text)', 'insert into notes values (hex(zeroblob(100000)))');
  await run(database, 'delete from notes');
  const sizeBefore = await database.size();
  using other = new DatabaseSync(place.file);
  other.exec('begin immediate');
  assert.equal(await database.overwriteDeleted(), false, 'somebody writes');
  other.exec('rollback; begin; select * from notes');
  await run(database, "insert into notes values ('after it began to read')");
  assert.equal(await database.overwriteDeleted(), false, 'somebody reads');
  other.exec('rollback');
  assert.equal(await database.overwriteDeleted(), true);
  assert.equal(statSync(place.log).size, 0);
  assert.ok((await database.size()) < sizeBefore / 10);

  const moved = `${place.dataDir}-moved`;
  renameSync(place.dataDir, moved);
  await assert.rejects(database.overwriteDeleted(), {
    name: 'DatabaseUnavailable',
    message: 'The database opens no more files.',
  });
  renameSync(moved, place.dataDir);
});

test('a file of more than 256 MB is not rewritten, because everything would wait for that', async () => {
  using place = makePlace();
  await (await open(place.dataDir))[Symbol.asyncDispose]();
  // Empty space at the end of the database, which rewriting would remove.
  const bytes = 257e6;
  truncateSync(place.file, bytes);
  assert.equal(await overwriteDeleted(place.file), true);
  assert.equal(statSync(place.file).size, bytes);
});
