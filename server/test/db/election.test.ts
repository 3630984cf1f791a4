import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import { openPostgres } from '../../src/db/postgres.ts';
import { createDatabase } from '../world/databases.ts';

const server = process.env.TEST_DATABASE_URL;

test('one process is elected, and another as soon as its session ends, however it ends', {
  skip: !server,
}, async () => {
  const given = await createDatabase({ empty: true });
  assert.ok(given);
  const open = async () => {
    const database = await openPostgres(given.url);
    database.listen('jobs', () => {});
    return database;
  };
  const client = new pg.Client({ connectionString: given.url });
  await client.connect();
  try {
    await using first = await open();
    const second = await open();
    assert.equal(await first.isElected(), true);
    assert.equal(await second.isElected(), false);
    assert.equal(await first.isElected(), true, 'it stays');

    await client.query(
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted`,
    );
    while ((await client.query(`select 1 from pg_locks where locktype = 'advisory'`)).rowCount);
    assert.equal(await second.isElected(), true, 'the first has died');
    assert.equal(await first.isElected(), false, 'and learns of it');

    await second[Symbol.asyncDispose]();
    while (!(await first.isElected())) await setImmediate();
    // It connects again first.
  } finally {
    await client.end();
    await given.drop();
  }
});
