import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findViolations } from '../../src/upkeep/verify-store.ts';
import { type Step, steps } from './commands.ts';
import type { ModelState } from './model.ts';
import { openSystem, type System } from './system.ts';

const firstBalances = [300_000n, 120_000n];

/**
 * Runs one random sequence of steps against the real thing and the model, and checks every invariant after each step.
 * The same seed gives the same sequence. `pairs` collects which steps followed which.
 */
export async function runSeed(seed: number, length: number, pairs: Set<string>): Promise<void> {
  const [sequence = []] = fc.sample(fc.array(steps, { minLength: length, maxLength: length, size: 'max' }), {
    seed,
    numRuns: 1,
  });
  await using system = await openSystem();
  const accounts = await Promise.all(
    firstBalances.map((balance, index) => system.account(`account ${index}`, balance)),
  );
  const state: ModelState = { accounts, jobs: [], leases: [], paused: new Set(), nowMs: 0 };

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
    .select(['id', 'balance_micros', 'reserved_micros'])
    .execute();
  for (const account of state.accounts) {
    const real = accounts.find(({ id }) => id === account.id);
    assert.deepEqual(
      [real?.balance_micros, real?.reserved_micros],
      [account.balance, account.reserved],
      'money',
    );
  }
  const jobs = await database.read.selectFrom('jobs').select(['id', 'status', 'attempt', 'worker']).execute();
  assert.equal(jobs.length, state.jobs.length, 'number of jobs');
  for (const job of state.jobs) {
    const real = jobs.find(({ id }) => id === job.id);
    assert.deepEqual(
      [real?.status, real?.attempt, real?.worker],
      [job.status, job.attempt, job.lease?.worker ?? null],
      `job ${job.id}`,
    );
  }
}
