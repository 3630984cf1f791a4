import { sql } from 'kysely';
import type { Database } from '../../src/base/db/database.ts';
import type { LoadLog } from '../load/log.ts';

interface AccountRow {
  id: string;
  balance: string;
  reserved: string;
}

interface EntryRow {
  account: string;
  job: string | null;
  kind: string;
  amount: string;
  name: string | null;
}

interface JobRow {
  id: string;
  account: string;
  status: string;
  price: string;
}

/** Adds up the rows itself, because the server's own sums are under test. */
export async function judgeLedger(
  database: Database,
  log: LoadLog,
): Promise<{ counts: Record<string, number>; violations: string[] }> {
  const violations: string[] = [];
  const text = (column: string) => sql.raw(`cast(${column} as text)`);
  const { rows: accounts } = await sql<AccountRow>`select id, ${text('balance_micros')} as balance,
    ${text('reserved_micros')} as reserved from accounts`.execute(database.read);
  const { rows: entries } = await sql<EntryRow>`select account_id as account, job_id as job, kind,
    ${text('amount_micros')} as amount, coalesce(reference, reason) as name from entries`.execute(
    database.read,
  );
  const { rows: jobs } =
    await sql<JobRow>`select id, account_id as account, status, ${text('price_micros')} as price
    from jobs`.execute(database.read);

  for (const { id, balance, reserved } of accounts) {
    const own = entries.filter(({ account }) => account === id);
    const sum = (...kinds: string[]) =>
      own.reduce((total, { kind, amount }) => total + (kinds.includes(kind) ? BigInt(amount) : 0n), 0n);
    const owned = sum('credit') - sum('debit') - sum('capture');
    const held = sum('reserve') - sum('capture') - sum('release');
    const open = jobs.filter(({ account, status }) => account === id && !['done', 'failed'].includes(status));
    const openPrices = open.reduce((total, { price }) => total + BigInt(price), 0n);
    if (BigInt(balance) !== owned) violations.push(`account ${id} has ${balance}, its entries make ${owned}`);
    if (BigInt(reserved) !== held || held !== openPrices)
      violations.push(`account ${id} has ${reserved} reserved, entries ${held}, open jobs ${openPrices}`);
    if (owned < 0n || held < 0n || held > owned)
      violations.push(`account ${id}: ${held} of ${owned} is held`);
  }
  violations.push(...judgeJobs(jobs, entries), ...judgePayments(log, entries));
  const count = (kind: string) => entries.filter((entry) => entry.kind === kind).length;
  const counts = {
    reserved: count('reserve'),
    captured: count('capture'),
    released: count('release'),
    credits: count('credit'),
    debits: count('debit'),
  };
  return { counts, violations };
}

function judgeJobs(jobs: readonly JobRow[], entries: readonly EntryRow[]): string[] {
  const byJob = Map.groupBy(
    entries.filter(({ job }) => job !== null),
    ({ job }) => job,
  );
  const ends: Record<string, string[]> = { done: ['capture'], failed: ['release'] };
  const unknown = [...byJob.keys()].filter((id) => !jobs.some((job) => job.id === id)).length;
  return [
    ...(unknown > 0 ? [`${unknown} jobs have entries and do not exist`] : []),
    ...jobs.flatMap(({ id, account, status, price }) => {
      const own = byJob.get(id) ?? [];
      const expected = ['reserve', ...(ends[status] ?? [])].sort();
      const kinds = own.map(({ kind }) => kind).sort();
      const fits = own.every((entry) => entry.amount === price && entry.account === account);
      if (String(kinds) === String(expected) && fits) return [];
      return [`job ${id} is ${status} at ${price} and has ${JSON.stringify(own)}`];
    }),
  ];
}

function judgePayments({ payments }: LoadLog, entries: readonly EntryRow[]): string[] {
  const made = entries.filter(
    ({ kind, name }) => (kind === 'credit' || kind === 'debit') && name?.startsWith('payment-'),
  );
  const violations = payments.flatMap(({ accountId, kind, amount, reference, acknowledged }) => {
    const own = made.filter(({ name }) => name === reference);
    const right = own.every(
      (entry) =>
        entry.account === accountId &&
        entry.kind === kind &&
        Number(entry.amount) === Math.round(amount * 1e6),
    );
    if (right && own.length <= 1 && own.length >= Number(acknowledged)) return [];
    return [`${kind} ${reference} of ${amount}, acknowledged: ${acknowledged}, is ${JSON.stringify(own)}`];
  });
  const known = new Set(payments.map(({ reference }) => reference));
  const invented = made.filter(({ name }) => !known.has(name ?? ''));
  return [...violations, ...invented.map((entry) => `nobody sent ${JSON.stringify(entry)}`)];
}
