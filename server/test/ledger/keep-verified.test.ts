import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { open as openFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Database } from '../../src/base/db/database.ts';
import type { Violation } from '../../src/jobs/upkeep/verify/checks-store.ts';
import { verifyAll, verifyChanges } from '../../src/jobs/upkeep/verify/verify-changes.ts';
import {
  atStart,
  type Position,
  type Verified,
  verifyPass,
} from '../../src/jobs/upkeep/verify/verify-pass.ts';
import { openOperator } from '../world/commands.ts';
import { account, fill, job, openDatabase, run } from './filled-database.ts';

const twoAccountsOff = [
  `update accounts set balance_micros = balance_micros + 1 where id = '${account(1)}'`,
  `update accounts set balance_micros = balance_micros + 1 where id = '${account(3)}'`,
  `delete from events where job_id in ('${job(2)}', '${job(12)}')`,
];

const told = ({ invariant, detail }: Violation) =>
  `${invariant} ${detail.replaceAll(/[0-9a-f]{8}-0000-7000-8000-0*/g, '').slice(0, 9)}`;
const expected = ['I2 account 1', 'I2 account 3', 'I8 job 12 is', 'I8 job 2 is '];

/** Runs the work until it ends, or until it has reported this many violations. */
async function gather(
  work: (deps: {
    database: Database;
    signal: AbortSignal;
    onViolation(found: Violation): void;
  }) => Promise<void>,
  database: Database,
  stopAfter = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const stop = new AbortController();
  const found: string[] = [];
  const onViolation = (violation: Violation) => {
    found.push(told(violation));
    if (found.length >= stopAfter) stop.abort(new Error('stopped'));
  };
  await work({ database, signal: stop.signal, onViolation }).catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  return found;
}

test('a pass that is stopped anywhere finds the same when another continues it', async () => {
  await using open = await openDatabase();
  const { database } = open;
  await fill(database, 3, 4);
  for (const statement of twoAccountsOff) await run(database, statement);
  for (const size of [1, 3, 7]) {
    const found: string[] = [];
    let steps = 0;
    for (let from: Position | null = atStart; from; ) {
      // Starts a new pass for every step, which knows only the previous position.
      const step: IteratorResult<Verified> = await verifyPass(database.read, {
        from: JSON.parse(JSON.stringify(from)),
        rows: () => size,
      }).next();
      if (step.done) break;
      const value: Verified = step.value;
      found.push(...value.violations.map(told));
      const isStuck: boolean = JSON.stringify(value.position) === JSON.stringify(from);
      // An account has more entries than a page, but is summed in one step.
      from = isStuck ? await skipAccount(database, from, size, found) : value.position;
      steps += 1;
      assert.ok(steps < 200, 'it comes to an end');
    }
    assert.deepEqual(found.toSorted(), expected, `pages of ${size}`);
  }
});

async function skipAccount(database: Database, from: Position, size: number, found: string[]) {
  for await (const { position, violations } of verifyPass(database.read, { from, rows: () => size })) {
    found.push(...violations.map(told));
    if (JSON.stringify(position) !== JSON.stringify(from)) return position;
  }
  return null;
}

test('another process continues the whole pass, which rests for a day once it has ended', async () => {
  await using open = await openDatabase();
  const { database } = open;
  await fill(database, 3, 4);
  for (const statement of twoAccountsOff) await run(database, statement);
  const first = await gather(verifyAll, database, 1);
  const second = await gather(verifyAll, database);
  assert.deepEqual([...first, ...second].toSorted(), expected, 'each once');
  assert.ok(first.length < expected.length, 'it was stopped on the way');
  assert.deepEqual(await gather(verifyAll, database), [], 'not again on the same day');
  await run(
    database,
    `update settings set value = replace(value, '"begunAt":1', '"begunAt":') where name = 'verify_pass'`,
  );
  assert.deepEqual((await gather(verifyAll, database)).toSorted(), expected, 'a day later');
});

test('changed rows are checked soon, and unchanged ones are not', async () => {
  await using open = await openDatabase();
  const { database } = open;
  await fill(database, 3, 4);
  await run(database, twoAccountsOff[2] ?? '');
  assert.deepEqual(await gather(verifyChanges, database), [], 'it begins with what comes');
  await run(
    database,
    `insert into entries (account_id, kind, amount_micros, reason, created_at) values ('${account(2)}', 'credit', 5, 'x', 1)`,
  );
  await run(database, `update accounts set reserved_micros = 7 where id = '${account(2)}'`);
  assert.deepEqual(await gather(verifyChanges, database), ['I4 account 2']);
  assert.deepEqual(await gather(verifyChanges, database), [], 'once');
});

test('verify can be stopped, and resume continues from there', async () => {
  await using open = await openDatabase();
  const { database, env } = open;
  await fill(database, 3, 4);
  await run(database, `delete from events where job_id = '${job(2)}'`);
  await using operator = await openOperator(env);
  const file = join(env.DARKROOM_DATA_DIR, 'verify.json');
  const stop = new AbortController();
  let seen = 0;
  const onProgress = ({ rows, ofRows }: { rows: number; ofRows: number }) => {
    seen += 1;
    assert.ok(rows <= ofRows || database.kind === 'postgres', 'PostgreSQL has counted nothing yet');
    if (rows >= 30) stop.abort(new Error('enough'));
  };
  await assert.rejects(operator.verify({ signal: stop.signal, onProgress }), /enough/);
  assert.ok(seen > 1 && existsSync(file));
  const { checked, violations } = await operator.verify({ resume: true });
  assert.deepEqual(checked, { accounts: 3, entries: 27, keys: 12, jobs: 12, batches: 0, images: 12 });
  assert.equal(violations.filter(({ invariant }) => invariant === 'I8').length, 1);
  assert.ok(!existsSync(file), 'nothing is left to resume');
});

test('a verify that is killed while it writes its progress leaves the progress before', async () => {
  await using open = await openDatabase();
  const { database, env } = open;
  await fill(database, 1, 1);
  await using operator = await openOperator(env);
  const file = join(env.DARKROOM_DATA_DIR, 'verify.json');
  await writeFile(file, 'before');
  await using earlier = await openFile(file);
  const signal = AbortSignal.abort(new Error('enough'));
  await assert.rejects(operator.verify({ signal }), /enough/);
  assert.equal(await earlier.readFile('utf8'), 'before', 'it was replaced, not changed');
  assert.equal((await operator.verify({ resume: true })).checked.accounts, 1);
  assert.deepEqual(
    (await readdir(env.DARKROOM_DATA_DIR)).filter((name) => name.startsWith('verify.json')),
    [],
  );
});

test('a verify without images leaves the progress of an interrupted full one', async () => {
  await using open = await openDatabase();
  const { database, env } = open;
  await fill(database, 3, 4);
  await using operator = await openOperator(env);
  const stop = new AbortController();
  const onProgress = ({ rows }: { rows: number }) => {
    if (rows >= 30) stop.abort(new Error('enough'));
  };
  await assert.rejects(operator.verify({ signal: stop.signal, onProgress }), /enough/);
  const file = join(env.DARKROOM_DATA_DIR, 'verify.json');
  const progress = await readFile(file, 'utf8');

  const signal = AbortSignal.abort(new Error('enough'));
  await assert.rejects(operator.verify({ images: false, signal }), /enough/);
  assert.equal(await readFile(file, 'utf8'), progress, 'an interruption does not replace it');
  const { checked } = await operator.verify({ images: false, resume: true });
  assert.deepEqual([checked.jobs, checked.images], [12, 0]);
  assert.equal(await readFile(file, 'utf8'), progress, 'and an end does not remove it');
  assert.equal((await operator.verify({ resume: true })).checked.images, 12);
  assert.deepEqual(
    (await readdir(env.DARKROOM_DATA_DIR)).filter((name) => name.startsWith('verify')),
    [],
  );
});
