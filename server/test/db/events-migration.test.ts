import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { migrations } from '../../src/base/db/migrating/migrate.ts';
import { sqliteDialect } from '../../src/base/db/migrations/dialect.ts';

const before = migrations.findIndex(({ name }) => name === 'events');

test('events from a database that knew only job events keep their numbers, types and deliveries', () => {
  using database = new DatabaseSync(':memory:');
  database.function('now_ms', () => 1);
  const run = (of: typeof migrations) => {
    for (const { statements } of of)
      for (const statement of statements(sqliteDialect)) database.exec(statement);
  };
  run(migrations.slice(0, before));
  database.exec(`insert into accounts (id, name, created_at) values ('shop', 'shop', 1);
    insert into events (id, account_id, job_id, type, created_at) values
      ('evt_1', 'shop', '1', 'job.done', 1), ('evt_2', 'shop', '2', 'job.failed', 2), ('evt_3', 'shop', '3', 'job.done', 3);
    insert into deliveries (event_id, account_id, url, lane, status, attempt, claimable_at, created_at)
      values ('evt_2', 'shop', 'http://a.test/', 'shop a.test', 'pending', 0, 2, 2);
    delete from events where id = 'evt_3'`);
  run(migrations.slice(before, before + 1));
  const rows = database.prepare('select seq, id, job_id, type, data from events').all();
  assert.deepEqual(
    rows.map((row) => Object.values(row)),
    [
      [1, 'evt_1', '1', 'job.done', null],
      [2, 'evt_2', '2', 'job.failed', null],
    ],
  );
  const insert = (type: string, data: string) =>
    database.exec(`insert into events (id, account_id, job_id, type, data, created_at)
      values ('evt_${type}', 'shop', '${type}', '${type}', ${data}, 4) returning seq`);
  insert('balance.low', `'{}'`);
  const { seq } = database.prepare(`select seq from events where type = 'balance.low'`).get() ?? {};
  assert.equal(seq, 4, 'numbers go on behind those of events that are gone: clients keep them as cursors');
  assert.throws(() => insert('job.gone', 'null'), /events_of_jobs/);
  assert.throws(() => insert('job.done', `'{}'`), /events_of_jobs/);
  assert.throws(() => database.exec(`delete from events where id = 'evt_2'`), /FOREIGN KEY/);
});
