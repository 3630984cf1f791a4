import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startProxy } from '../../faults/tcp-proxy.ts';
import { timedUndisturbed } from '../inputs/support/timed.ts';
import { startCluster } from '../world/postgres.ts';
import { openWorld, type Reply } from '../world/world.ts';
import { until } from './support/server.ts';

const skip = !process.env.TEST_DATABASE_URL;
const timeout = 120_000;

async function administer(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

test('while every connection is used, requests are refused for now, and work again when there are some', {
  skip,
  timeout,
}, async () => {
  await using world = await openWorld({ worker: false });
  const holder = new pg.Client({ connectionString: world.config.databaseUrl });
  await holder.connect();
  await holder.query('begin; lock table jobs in access exclusive mode');
  const replies: Reply[] = [];
  const ask = async () => void replies.push(await world.send('GET', '/jobs'));
  // Each create waits for the lock on a separate connection, until no connection is left.
  const took = await Promise.all(Array.from({ length: 200 }, () => timedUndisturbed(ask)));
  await holder.query('rollback');
  await holder.end();
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [503]);
  assert.ok(replies.every(({ headers }) => Number(headers.get('retry-after')) > 0));
  // Requests with a connection wait for the statement timeout of 15 s, and one more round may follow.
  const times = took.map(({ undisturbedMs }) => undisturbedMs).sort((a, b) => a - b);
  assert.ok((times[150] ?? 0) < 12_000, `three quarters were told within ${times[150]} ms`);
  assert.ok((times.at(-1) ?? 0) < 45_000, `the last was told after ${times.at(-1)} ms`);
  await world.create();
});

test('read-only for a while, as in a failover: 503 with Retry-After, then everything continues without a restart', {
  skip,
  timeout,
}, async () => {
  await using world = await openWorld();
  const url = world.config.databaseUrl ?? '';
  const name = new URL(url).pathname.slice(1);
  const others = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`;
  await administer(url, `alter database ${name} set default_transaction_read_only = on`, others);
  const body = { prompt: 'a fox', aspect_ratio: '1:1' };
  const refused = await world.send('POST', '/nb/text-generations', { body });
  assert.equal(refused.status, 503);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  assert.equal(await until(async () => (await world.send('GET', '/balance')).status === 200), true);
  await administer(
    url,
    'set default_transaction_read_only = off',
    `alter database ${name} set default_transaction_read_only = off`,
    others,
  );
  const reply = await until(async () => {
    const answer = await world.send('POST', '/nb/text-generations', { body });
    return answer.status === 202 && answer;
  });
  assert.equal((await world.finished(String(reply.body.job_id))).status, 'done');
});

test('after a deadlock or serialization failure, a transaction runs again, at most three times, then it is 503', {
  skip,
  timeout,
}, async () => {
  await using world = await openWorld({ worker: false });
  const fail = (state: string) => Object.assign(new Error('injected'), { code: state });
  for (const state of ['40001', '40P01']) {
    let tries = 0;
    const value = await world.app.database.transaction(async () => {
      tries += 1;
      if (tries < 3) throw fail(state);
      return 'committed';
    });
    assert.deepEqual([value, tries], ['committed', 3]);
    let more = 0;
    const never = world.app.database.transaction(async () => {
      more += 1;
      throw fail(state);
    });
    await assert.rejects(never, { name: 'DatabaseUnavailable' });
    assert.equal(more, 3);
  }
});

test('the database restarts five times under load, and connections fall silent: all answers are 202 or 503, and nothing is lost', {
  skip,
  timeout,
}, async () => {
  await using cluster = await startCluster({ durable: true });
  await using proxy = await startProxy(cluster.port);
  await using world = await openWorld({
    config: { databaseUrl: `postgres://postgres@127.0.0.1:${proxy.port}/postgres` },
  });
  const statuses = new Map<number, number>();
  const jobIds = new Set<string>();
  let loading = true;
  const load = (async () => {
    for (let nth = 0; loading; nth++) {
      const reply = await world.send('POST', '/nb/text-generations', {
        body: { prompt: `fox ${nth}`, aspect_ratio: '1:1' },
        headers: { 'idempotency-key': `key-${nth}` },
      });
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
      if (reply.status === 202) jobIds.add(String(reply.body.job_id));
      else if (reply.status === 503) assert.ok(Number(reply.headers.get('retry-after')) > 0);
      await sleep(50);
    }
  })();
  for (const how of ['fast', 'immediate', 'fast', 'immediate'] as const) {
    await sleep(700);
    await cluster.restart(how);
  }
  proxy.dropFor(500);
  await sleep(1_000);
  loading = false;
  await load;
  assert.deepEqual(
    [...statuses.keys()].filter((status) => status !== 202 && status !== 503),
    [],
  );
  for (const jobId of jobIds) assert.equal((await world.finished(jobId)).status, 'done');
});
