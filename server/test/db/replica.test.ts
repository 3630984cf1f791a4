import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { connect } from '../../src/base/db/connect.ts';
import { openPostgres } from '../../src/base/db/postgres.ts';
import { systemClock } from '../../src/base/std/clock.ts';
import { type Environment, readConfig } from '../../src/config/config.ts';
import { examineInstallation } from '../../src/start/examine-installation.ts';
import { until } from '../faults/support/server.ts';
import { type Pair, startPair } from '../world/postgres-pair.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld, type World } from '../world/world.ts';

const skip = process.env.TEST_DATABASE_URL ? false : 'needs PostgreSQL';
const dataDir = '/nowhere';
const clock = systemClock;

let pair: Pair;
let world: World;
const told: string[] = [];
before(async () => {
  if (skip) return;
  pair = await startPair({ waits: false });
  const tell = (event: string) => void (event.startsWith('database.replica') && told.push(event));
  world = await openWorld({
    worker: false,
    env: { DATABASE_URL: pair.primaryUrl, DATABASE_READ_URL: pair.standbyUrl },
    replacements: { log: { ...silentLog, info: tell, warn: tell } },
  });
});
after(async () => {
  await world?.[Symbol.asyncDispose]();
  await pair?.[Symbol.asyncDispose]();
});

async function ask(connectionString: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<unknown[]>({ text, rowMode: 'array' }).finally(() => client.end());
  return rows.flat();
}

/** When the replica last answered a statement with this text, by its own statistics; empty if never. */
async function lastRead(words: string): Promise<string> {
  const [at] = await ask(
    pair.standbyUrl,
    `select max(state_change)::text from pg_stat_activity where application_name = 'darkroom' and query like '%${words}%'`,
  );
  return String(at ?? '');
}

async function newest(): Promise<string> {
  const { status, body } = await world.send('GET', '/jobs?limit=1');
  assert.equal(status, 200);
  return (body as { data: [{ job_id: string }] }).data[0].job_id;
}

/** Repeats the request until the replica has answered its last query, because a busy replica may be late once. */
async function newestOfReplica(): Promise<string> {
  const before = await lastRead('from job_tags');
  return until(async () => {
    const jobId = await newest();
    return (await lastRead('from job_tags')) > before && jobId;
  });
}

test('the replica itself answers lists and usage, and polls stay with the primary', { skip }, async () => {
  const jobId = await world.create();
  assert.equal(await newestOfReplica(), jobId);
  await until(async () => {
    assert.equal((await world.send('GET', '/usage')).status, 200);
    return (await lastRead('from activity')) !== '';
  });
  const before = await lastRead('jobs');
  for (let nth = 0; nth < 5; nth += 1)
    assert.equal((await world.send('GET', `/jobs/${jobId}`)).body.job_id, jobId);
  assert.equal(await lastRead('jobs'), before);
});

test('a list contains a job that was created before it, even if the replica does not have it', {
  skip,
}, async () => {
  await ask(pair.standbyUrl, 'select pg_wal_replay_pause()');
  try {
    const jobId = await world.create();
    assert.equal(await newest(), jobId);
    assert.equal(await newest(), jobId, 'nor is it waited for again');
  } finally {
    await ask(pair.standbyUrl, 'select pg_wal_replay_resume()');
  }
  assert.equal(await newestOfReplica(), await newest());
});

test('when the replica dies, lists continue, the log says so once, and it is used again when it is back', {
  skip,
}, async () => {
  await newestOfReplica();
  told.length = 0; // a busy replica may have been late before
  await pair.killStandby();
  const jobId = await world.create();
  for (let nth = 0; nth < 5; nth += 1) assert.equal(await newest(), jobId);
  assert.deepEqual(told, ['database.replica_away']);
  await pair.startStandby();
  assert.equal(await until(async () => (await newest()) === jobId && told[1]), 'database.replica_back');
  assert.equal(await newestOfReplica(), jobId);
  const samples = await (await fetch(`${world.url}/metrics`)).text();
  for (const name of ['reads_total{from="replica"}', 'reads_total{from="primary"}', 'up', 'lag_bytes'])
    assert.ok(samples.includes(`darkroom_replica_${name} `), name);
});

test('doctor, with any database role, knows whether the server is a replica of this database', {
  skip,
}, async () => {
  const examine = async (readUrl: string) => {
    const env = { DARKROOM_DATA_DIR: dataDir, DATABASE_URL: pair.primaryUrl, DATABASE_READ_URL: readUrl };
    const findings = await Array.fromAsync(examineInstallation(env));
    const { status, found } = findings.find(({ name }) => name === 'replica') ?? {};
    return `${status}: ${found}`;
  };
  assert.match(await examine(pair.standbyUrl), /^ok: follows the primary, \d+ bytes of its log behind$/);
  assert.match(await examine(pair.primaryUrl), /^warn: cannot be used: it is no replica/);
  assert.match(await examine('postgres://postgres@127.0.0.1:1/x'), /^warn: cannot be used: .*ECONNREFUSED/);
  const other = pair.standbyUrl.replace(/[^/]+$/, 'postgres');
  assert.match(
    await examine(other),
    /^warn: cannot be used: it is not a replica of the database of DATABASE_URL/,
  );

  await ask(pair.primaryUrl, 'create role plain login');
  const asPlain = (url: string) => url.replace('postgres@', 'plain@');
  await using database = await connect({
    url: asPlain(pair.primaryUrl),
    readUrl: asPlain(pair.standbyUrl),
    dataDir,
    clock,
  });
  await until(() =>
    database.replicaLag().then(
      (lag) => lag !== undefined,
      () => false,
    ),
  );
});

test('a replica of SQLite, and several replicas, are refused with a sentence', async () => {
  const one = 'postgres://me@one/name';
  const read = (env: Environment) => readConfig({ DARKROOM_DATA_DIR: dataDir, ...env });
  assert.throws(
    () => read({ DATABASE_READ_URL: one }),
    /embedded SQLite database has none: set DATABASE_URL/,
  );
  await assert.rejects(
    openPostgres(one, { readUrl: 'postgres://me@one,two/name', connections: 4 }),
    /DATABASE_READ_URL names several servers; it must be the address of one replica/,
  );
});
