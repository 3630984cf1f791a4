import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findViolations } from '../../src/jobs/upkeep/verify/find-violations.ts';
import { steps } from './commands.ts';
import { isUnderWay, type ModelState } from './model.ts';
import type { Step } from './steps/step.ts';
import { defaults } from './steps/time.ts';
import { openSystem, type System } from './system.ts';

const firstBalances = [1_500_000n, 150_000n];

/**
 * Runs one random sequence of steps against the real thing and the model, and checks every invariant after each step.
 * The same seed gives the same sequence. `pairs` collects which steps followed which.
 */
export async function runSeed(seed: number, length: number, pairs: Set<string>): Promise<void> {
  const [sequence = []] = fc.sample(fc.array(steps, { minLength: length, maxLength: length, size: 'max' }), {
    seed,
    numRuns: 1,
  });
  const [ownDefaults] = defaults;
  await using system = await openSystem(ownDefaults);
  const accounts = await Promise.all(
    firstBalances.map((balance, index) => system.account(`account ${index}`, balance)),
  );
  const state: ModelState = {
    accounts,
    jobs: [],
    batches: [],
    leases: [],
    paused: new Set(),
    limits: new Map(),
    groups: new Map(),
    vouchers: [],
    payments: [],
    defaults: ownDefaults,
    buckets: new Map(),
    nowMs: system.clock.nowMs(),
  };

  const done: Step[] = [];
  for (const step of sequence) {
    const before = done.at(-1);
    if (before) pairs.add(`${before.name} → ${step.name}`);
    done.push(step);
    try {
      await step.run(state, system);
      await assertAgreement(state, system);
    } catch (error) {
      const trace = done.map(({ text }) => `  ${text}`).join('\n');
      throw new Error(`seed ${seed}, step ${done.length}:\n${trace}`, { cause: error });
    }
  }
}

async function assertAgreement(state: ModelState, { database }: System): Promise<void> {
  assert.deepEqual(await findViolations(database.read), []);
  const accounts = await database.read
    .selectFrom('accounts')
    .select(['id', 'balance_micros', 'reserved_micros', 'debt_micros'])
    .execute();
  for (const account of state.accounts) {
    const real = accounts.find(({ id }) => id === account.id);
    assert.deepEqual(
      [real?.balance_micros, real?.reserved_micros, real?.debt_micros],
      [account.balance, account.reserved, account.debt],
      'money',
    );
  }
  const jobs = await database.read
    .selectFrom('jobs')
    .select(['id', 'status', 'error_code', 'attempt', 'worker', 'price_micros'])
    .execute();
  assert.equal(jobs.length, state.jobs.length, 'number of jobs');
  const byId = new Map(jobs.map((job) => [job.id, job]));
  for (const job of state.jobs) {
    const real = byId.get(job.id);
    assert.deepEqual(
      [real?.status, real?.error_code, real?.attempt, real?.worker, real?.price_micros],
      [job.status, job.errorCode, job.attempt, job.lease?.worker ?? null, job.price],
      `job ${job.id}`,
    );
  }
  await assertBatchesAgree(state, database);
}

async function assertBatchesAgree({ batches }: ModelState, { read }: System['database']): Promise<void> {
  const rows = await read.selectFrom('batches').selectAll().execute();
  assert.equal(rows.length, batches.length, 'number of batches');
  for (const { id, jobs, cancelled } of batches) {
    const row = rows.find((one) => one.id === id);
    const done = jobs.filter(({ status }) => status === 'done');
    assert.deepEqual(
      {
        jobs: row?.jobs,
        done: row?.done,
        failed: row?.failed,
        charged: row?.charged_micros,
        isOver: row?.finished_at !== null,
        cancelled: row?.cancelled_at !== null,
      },
      {
        jobs: jobs.length,
        done: done.length,
        failed: jobs.filter(({ status }) => status === 'failed').length,
        charged: done.reduce((sum, { price }) => sum + price, 0n),
        isOver: !jobs.some(isUnderWay),
        cancelled,
      },
      `batch ${id}`,
    );
  }
  const ends = read.selectFrom('events').select('job_id').where('type', '=', 'batch.completed');
  assert.deepEqual(
    (await ends.execute()).map(({ job_id: id }) => id).sort(),
    rows.flatMap(({ id, finished_at: at }) => (at === null ? [] : [id])).sort(),
    'ends of batches that are told',
  );
}
