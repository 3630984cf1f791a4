import assert from 'node:assert/strict';
import { findViolations } from '../../src/jobs/upkeep/verify/find-violations.ts';
import { formatMicros, parseMicros } from '../../src/money/ledger/money.ts';
import { readStatement } from '../../src/money/ledger/read-statement.ts';
import { monthsBetween } from '../../src/money/ledger/statement.ts';
import { isUnderWay, type ModelState } from './model.ts';
import { isCharge } from './model-top-ups.ts';
import type { System } from './system.ts';

export async function assertAgreement(state: ModelState, system: System): Promise<void> {
  const { database } = system;
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
  await assertTopUpsAgree(state, system);
}

/** Also compares charges, which the bank records. */
async function assertTopUpsAgree({ accounts, payments }: ModelState, system: System): Promise<void> {
  const { read } = system.database;
  const rows = await read
    .selectFrom('top_ups')
    .select(['account_id', 'state', 'stopped_by', 'card'])
    .execute();
  for (const { id, topUp } of accounts) {
    const { state, stopped_by, card } = rows.find((row) => row.account_id === id) ?? {};
    assert.deepEqual(
      [state ?? 'off', stopped_by ?? null, card ?? null],
      [topUp.state, topUp.stoppedBy, topUp.card],
      `top-up of ${id}`,
    );
  }
  const real = await read
    .selectFrom('payments')
    .select(['id', 'account_id', 'amount_micros', 'state', 'created_at'])
    .where('card', 'is not', null)
    .orderBy('id')
    .execute();
  const charges = payments.filter(isCharge).toSorted((one, other) => one.id.localeCompare(other.id));
  assert.deepEqual(
    real.map((row) => [row.id, row.account_id, row.amount_micros, row.state, row.created_at]),
    charges.map(({ id, account, amount, charge }) => [
      id,
      account.id,
      amount,
      charge.state,
      charge.createdAt,
    ]),
    'charges',
  );
  assert.deepEqual(
    system.till.bank.charged
      .map(({ paymentId, accountId, amountMicros }) => [paymentId, accountId, amountMicros])
      .toSorted(),
    charges
      .filter(({ charge }) => charge.says === 'asked')
      .map(({ id, account, amount }) => [id, account.id, amount]),
    'what the bank charged',
  );
}

export async function assertStatementsAgree(
  { accounts, nowMs }: ModelState,
  { database, startedAtMs }: System,
): Promise<void> {
  for (const { id, balance, moves } of accounts) {
    const sums = { credit: 0n, debit: 0n, capture: 0n };
    let before = '0.00';
    for (const month of monthsBetween(startedAtMs, nowMs).toReversed()) {
      const account = { id, name: id };
      const statement = await readStatement(database.read, account, { month, currency: 'USD' });
      assert.equal(statement.opening_balance, before, `${month} of ${id}`);
      before = statement.closing_balance;
      for (const { kind, amount } of statement.lines)
        if (kind in sums) sums[kind as keyof typeof sums] += parseMicros(amount.replace('-', '')) ?? 0n; // checked by `in`
    }
    assert.equal(before, formatMicros(balance));
    assert.deepEqual(sums, moves, `statements of ${id}`);
  }
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
