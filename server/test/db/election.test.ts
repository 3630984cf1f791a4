import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate, setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { openPostgres } from '../../src/base/db/postgres.ts';
import { eventually } from '../http/support/requests.ts';
import { createDatabase } from '../world/databases.ts';
import { startNetwork } from './support/network.ts';

const server = process.env.TEST_DATABASE_URL;

test('one process is elected, and another as soon as its session ends, however it ends', {
  skip: !server,
}, async () => {
  const given = await createDatabase({ empty: true });
  assert.ok(given);
  const open = async () => {
    const database = await openPostgres(given.url, { connections: 4 });
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

    // Only locks in this database, because other tests use other databases on the server. Each process also holds
    // one of two half locks.
    const locks = `pg_locks join pg_database on database = pg_database.oid
      where locktype = 'advisory' and objsubid = 1 and granted and datname = current_database()`;
    await client.query(`select pg_terminate_backend(pid) from ${locks}`);
    while ((await client.query(`select 1 from ${locks}`)).rowCount);
    assert.equal(await second.isElected(), true, 'the first has died');
    assert.equal(await first.isElected(), false, 'and learns of it');

    await second[Symbol.asyncDispose]();
    while (!(await first.isElected())) await setImmediate();
    // The first process has reconnected.
  } finally {
    await client.end();
    await given.drop();
  }
});

test('a silent process, such as a suspended one, is replaced after ten seconds, and learns that it was', {
  skip: !server,
}, async () => {
  const given = await createDatabase({ empty: true });
  assert.ok(given);
  try {
    await using first = await openPostgres(given.url, { connections: 4 });
    await using second = await openPostgres(given.url, { connections: 4 });
    for (const database of [first, second]) database.listen('jobs', () => {});
    while (!(await first.isElected())) await setImmediate();
    const began = performance.now();
    while (!(await second.isElected())) await setTimeout(100);
    const tookMs = performance.now() - began;
    assert.ok(tookMs > 5_000 && tookMs < 30_000, `${tookMs} ms`);
    assert.equal(await first.isElected(), false);
  } finally {
    await given.drop();
  }
});

test('a process that reconnects while the server keeps its old session is known as running when that session ends', {
  skip: !server,
}, async () => {
  const given = await createDatabase({ empty: true });
  assert.ok(given);
  using network = await startNetwork(given.url);
  const client = new pg.Client({ connectionString: given.url });
  await client.connect();
  const hasSessions = async (count: number) => {
    await eventually(
      async () => (await client.query(sessionsOfListeners)).rowCount,
      (found) => found === count,
    );
  };
  try {
    await using lost = await openPostgres(network.url, { connections: 4 });
    await using other = await openPostgres(given.url, { connections: 4 });
    lost.listen('jobs', () => {});
    await hasSessions(1);
    assert.equal(await other.isRunning(lost.process), true);
    network.breakForClients();
    await hasSessions(2);
    network.breakForServer();
    await hasSessions(1);
    assert.equal(await other.isRunning(lost.process), true);
  } finally {
    await client.end();
    await given.drop();
  }
});

const sessionsOfListeners = `select from pg_stat_activity where datname = current_database()
  and application_name = 'darkroom' and state = 'idle' and query like '%advisory_lock%'`;
