import assert from 'node:assert/strict';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { SqliteLog } from '../../src/base/db/sqlite/log.ts';
import { SqliteWriter } from '../../src/base/db/sqlite/writer.ts';
import { systemClock } from '../../src/base/std/clock.ts';
import { temporaryFolder, until } from '../faults/support/server.ts';
import { makePlace } from './support/sqlite-place.ts';

/**
 * Opens a log whose file is missing. Each sync then moves the contents into the database instead, and ends on demand.
 */
function openBroken(folder: string) {
  const moves: PromiseWithResolvers<void>[] = [];
  const log = new SqliteLog(join(folder, 'missing.db'), () => {
    const move = Promise.withResolvers<void>();
    moves.push(move);
    return move.promise;
  });
  return { log, moves };
}

test('commits during a sync share the next one, which begins when the first ends and syncs all of them', async () => {
  using folder = temporaryFolder();
  const { log, moves } = openBroken(folder.path);
  assert.equal(log.synced, undefined);
  const told: string[] = [];
  const tell = (name: string, promise: Promise<void>) => promise.then(() => told.push(name));
  const first = tell('first', log.sync());
  const shared = log.sync();
  assert.equal(log.sync(), shared);
  assert.equal(log.synced, shared, 'whoever reads waits for all that was committed');
  const second = tell('second', shared);
  await turn();
  assert.deepEqual([moves.length, told], [1, []]);
  moves[0]?.resolve();
  await first;
  await turn();
  assert.deepEqual([moves.length, told], [2, ['first']], 'the next began, and is not over');
  const third = tell('third', log.sync());
  await turn();
  assert.equal(moves.length, 2);
  moves[1]?.resolve();
  await second;
  await turn();
  assert.deepEqual([moves.length, told], [3, ['first', 'second']]);
  assert.ok(log.synced);
  const closed = log[Symbol.asyncDispose]().then(() => told.push('closed'));
  await turn();
  assert.deepEqual(told, ['first', 'second'], 'closing waits for what is under way');
  moves[2]?.resolve();
  await Promise.all([third, closed]);
  assert.deepEqual(told, ['first', 'second', 'third', 'closed']);
  assert.equal(log.synced, undefined);
});

test('a commit right after the end of a sync shares the next one, which is about to begin', async () => {
  using folder = temporaryFolder();
  const { log, moves } = openBroken(folder.path);
  const joined = log.sync().then(() => [log.sync()]);
  const shared = log.sync();
  await turn();
  moves[0]?.resolve();
  assert.equal((await joined)[0], shared);
  await turn();
  moves[1]?.resolve();
  await shared;
  assert.equal(moves.length, 2);
});

test('a commit that the disk does not sync is moved into the database before it is reported', async () => {
  using folder = temporaryFolder();
  const { log, moves } = openBroken(folder.path);
  // The file can be opened, but not synced.
  symlinkSync('/dev/null', join(folder.path, 'missing.db-wal'));
  const told = log.sync();
  await until(() => moves[0]).then((move) => move.resolve());
  await told;
  await log[Symbol.asyncDispose]();
});

test('what a failed sync left unsynced is moved into the database before it is reported', async () => {
  using folder = temporaryFolder();
  const { log, moves } = openBroken(folder.path);
  const failed = log.sync();
  await turn();
  moves[0]?.reject(new Error('the disk is gone'));
  await assert.rejects(failed, /the disk is gone/);
  // A later sync of the log proves nothing about the log's earlier contents.
  writeFileSync(join(folder.path, 'missing.db-wal'), '');
  const again = log.synced;
  await turn();
  assert.ok(again);
  assert.equal(moves.length, 2, 'a read makes it happen');
  assert.equal(log.synced, again, 'once for all who read');
  moves[1]?.resolve();
  await again;
  assert.equal(log.synced, undefined);
  // The log is trusted again once all of it is in the database.
  await log.sync();
  assert.equal(moves.length, 2);
  await log[Symbol.asyncDispose]();
});

test('a loose transaction ends before it is on disk, and readers and later writers wait for the disk', async () => {
  using place = makePlace();
  await using writer = new SqliteWriter(place.file, systemClock);
  const write = (kind: 'usual' | 'loose') =>
    writer.transaction(async (on) => {
      await on.run({ sql: 'create table if not exists notes (text)', parameters: [] });
      await on.run({ sql: `insert into notes values ('note')`, parameters: [] });
    }, kind);
  await write('usual');
  assert.equal(writer.synced, undefined);
  await write('loose');
  assert.ok(writer.synced, 'its sync is under way');
  await write('usual');
  assert.equal(writer.synced, undefined);
});

test('a transaction that wrote nothing needs no sync, and waits for what it may have read', async () => {
  using place = makePlace();
  await using writer = new SqliteWriter(place.file, systemClock);
  const run = (sql: string, kind: 'usual' | 'loose') =>
    writer.transaction(async (on) => void (await on.run({ sql, parameters: [] })), kind);
  await writer.transaction(async (on) => {
    await on.run({ sql: 'create table notes (text)', parameters: [] });
    await on.run({ sql: `insert into notes values ('first')`, parameters: [] });
  }, 'usual');
  const nothing = `delete from notes where text = 'unknown'`;
  await run(nothing, 'usual'); // the schema has changed since the last run
  await run(nothing, 'loose');
  assert.equal(writer.synced, undefined, 'no sync is under way');
  await run(`insert into notes values ('second')`, 'loose');
  await run(nothing, 'usual');
  assert.equal(writer.synced, undefined, 'it has waited for the sync of the second');
});
