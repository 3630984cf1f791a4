import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { Database } from '../../src/base/db/database.ts';
import { sumNextEntries } from '../../src/jobs/upkeep/verify/entry-sums-store.ts';
import { findViolations } from '../../src/jobs/upkeep/verify/find-violations.ts';
import { selfCheck } from '../../src/jobs/upkeep/verify/self-check.ts';
import { account, fill, job, openDatabase, run } from './filled-database.ts';

const found = async (database: Database, pageSize: number) =>
  (await findViolations(database.read, { pageSize }))
    .map(({ invariant, detail }) => `${invariant} ${detail}`)
    .toSorted();

test('the page size does not change what is found', async () => {
  await using open = await openDatabase();
  const { database } = open;
  await fill(database, 5, 4);
  for (const pageSize of [1, 3, 5, 20, 1_000]) assert.deepEqual(await found(database, pageSize), []);
  await run(database, `update accounts set balance_micros = balance_micros + 1 where id = '${account(2)}'`);
  await run(database, `update accounts set reserved_micros = 7 where id = '${account(5)}'`);
  await run(database, `delete from events where job_id in ('${job(1)}', '${job(20)}')`);
  await run(
    database,
    `insert into jobs (id, account_id, key_id, model, mode, prompt, requested_ratio, resolution, price_micros, inputs,
      status, attempt, claimable_at, failures, created_at, started_at, finished_at, error, error_code)
    values ('${job(21)}', '${account(1)}', '${account(1)}', 'nb', 'text', 'a fox', '1:1', '1K', 1, '[]',
      'failed', 1, 1, '[]', 5, 4, 3, 'x', 'x')`,
  );
  await run(database, `update idempotency_keys set account_id = '${account(4)}' where job_id = '${job(1)}'`);
  const batch = (nth: number) => `20000000-0000-7000-8000-${String(nth).padStart(12, '0')}`;
  // The second account has lost its first job to retention, which is correct.
  for (const [nth, jobs, done, charged] of [
    [1, 2, 2, 40_000],
    [2, 2, 2, 80_000],
    [3, 2, 1, 40_000],
  ])
    await run(
      database,
      `insert into batches (id, account_id, jobs, done, price_micros, charged_micros, created_at, finished_at)
      values ('${batch(Number(nth))}', '${account(1)}', ${jobs}, ${done}, 80000, ${charged}, 1, ${jobs === done ? 2 : null})`,
    );
  await run(
    database,
    `update jobs set batch_id = '${batch(1)}', batch_index = 0 where id in ('${job(2)}', '${job(3)}')`,
  );
  await run(database, `update jobs set batch_id = '${batch(2)}', batch_index = 1 where id = '${job(4)}'`);
  await run(
    database,
    `update jobs set batch_id = '${batch(3)}', batch_index = 0 where id in ('${job(5)}', '${job(6)}')`,
  );
  const expected = [
    `I12 batch ${batch(1)}: 2 jobs, counted 2 done and 0 failed, charged 40000, there are 2 jobs, 2 done and 0 failed, charged 80000`,
    `I12 batch ${batch(3)}: 2 jobs, counted 1 done and 0 failed, charged 40000, there are 2 jobs, 2 done and 0 failed, charged 80000`,
    `I2 account ${account(2)}: cached 160001/0, entries say 160000/0`,
    `I2 account ${account(5)}: cached 160000/7, entries say 160000/0`,
    `I3 job ${job(21)} is failed with no reserve and no settlement`,
    `I4 account ${account(5)}: reserved 7, its jobs hold 0`,
    `I6 job ${job(21)} is failed but its times say otherwise`,
    `I7 idempotency key of job ${job(1)} belongs to another account`,
    `I8 job ${job(1)} is done and has 0 events`,
    `I8 job ${job(20)} is done and has 0 events`,
    `I8 job ${job(21)} is failed and has 0 events`,
  ];
  for (const pageSize of [1, 3, 5, 20, 1_000]) assert.deepEqual(await found(database, pageSize), expected);
});

test('a page of entries begins where the last one ended, and does not read those before it', async (t) => {
  await using open = await openDatabase();
  const { database } = open;
  if (database.kind !== 'sqlite') return t.skip('PostgreSQL searches for both columns');
  await fill(database, 1, 3);
  const prepare = t.mock.method(DatabaseSync.prototype, 'prepare');
  await sumNextEntries(database.read, { after: { account: account(1), lastId: 2 }, rows: 2 });
  const texts = prepare.mock.calls.map(({ arguments: [text] }) => text);
  prepare.mock.restore();
  using file = new DatabaseSync(join(open.env.DARKROOM_DATA_DIR, 'darkroom.db'));
  const plans = texts.flatMap((text) => file.prepare(`explain query plan ${text}`).all());
  const searches = plans.map(({ detail }) => String(detail)).filter((detail) => detail.includes(' entries '));
  assert.deepEqual(searches, ['SEARCH entries USING INDEX entries_by_account (account_id=? AND id>?)']);
});

test('other requests get their turn while many entries are verified', async (t) => {
  await using open = await openDatabase();
  const { database } = open;
  await fill(database, 2, 5_000);
  let turns = 0;
  let longestMs = 0;
  let lastAt = performance.now();
  let running = true;
  const turn = () => {
    if (!running) return;
    longestMs = Math.max(longestMs, performance.now() - lastAt);
    lastAt = performance.now();
    turns += 1;
    setImmediate(turn);
  };
  setImmediate(turn);
  const began = performance.now();
  assert.deepEqual(await found(database, 500), []);
  running = false;
  t.diagnostic(
    `${Math.round(performance.now() - began)} ms in ${turns} turns, the longest ${Math.round(longestMs)} ms`,
  );
  assert.ok(turns > 50, String(turns));
});

test('a self-check stops when its time is over, says so, and reports what it has found', async () => {
  await using open = await openDatabase();
  const { database } = open;
  await fill(database, 2, 20);
  const whole = await selfCheck(database);
  assert.deepEqual([whole.complete, whole.checked.jobs, whole.violations], [true, 40, []]);
  await run(database, `update accounts set balance_micros = balance_micros + 1 where id = '${account(1)}'`);
  assert.equal((await selfCheck(database)).violations.length, 1);
  assert.deepEqual(await selfCheck(database, { forMs: 0 }), { checked: {}, violations: [], complete: false });
});
