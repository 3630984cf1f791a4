import { sql } from 'kysely';
import { isAnyOf, isPostgres, nowMs, rowsOf } from '../db/rows.ts';
import type { Queries, Tx } from '../db/schema.ts';
import { changesByAccount, type Entry, type EntryOfJob, type OperatorEntry } from './entry.ts';

export interface AccountBalance {
  id: string;
  balanceMicros: bigint;
  reservedMicros: bigint;
}

/** As it is under the lock. */
export interface LockedAccount extends AccountBalance {
  /** When the account wants to be told: read here, so that deciding it takes no statement. */
  alerts: { balanceMicros: bigint | null; spendPercent: number | null };
}

export async function readBalance(queries: Queries, accountId: string): Promise<AccountBalance | undefined> {
  const row = await queries
    .selectFrom('accounts')
    .select(['id', 'balance_micros', 'reserved_micros'])
    .where('id', '=', accountId)
    .executeTakeFirst();
  return row && { id: row.id, balanceMicros: row.balance_micros, reservedMicros: row.reserved_micros };
}

/**
 * Locks accounts until the transaction ends, and reads their balances. Locks are taken in the order of ids,
 * so that two batches cannot deadlock.
 */
export async function lockBalances(tx: Tx, accountIds: readonly string[]): Promise<LockedAccount[]> {
  const lock = isPostgres(tx) ? sql`for no key update` : sql``;
  const { rows } = await sql<LockedRow>`
    select id, balance_micros, reserved_micros, alert_balance_micros, alert_spend_percent from accounts where ${isAnyOf(tx, 'id', accountIds, 'uuid')}
    order by id ${lock}`.execute(tx);
  return rows.map((row) => ({
    id: row.id,
    balanceMicros: row.balance_micros,
    reservedMicros: row.reserved_micros,
    alerts: { balanceMicros: row.alert_balance_micros, spendPercent: row.alert_spend_percent },
  }));
}

interface LockedRow {
  id: string;
  balance_micros: bigint;
  reserved_micros: bigint;
  alert_balance_micros: bigint | null;
  alert_spend_percent: number | null;
}

/** Appends entries and updates the accounts' cached sums. All money moves through here. */
export async function post(tx: Tx, entries: readonly Entry[]): Promise<void> {
  if (entries.length === 0) return;
  const written = writeEntries(tx, entries);
  const sums = [...changesByAccount(entries)].map(([id, change]) => ({ id, ...change }));
  const changes = rowsOf(tx, { id: 'uuid', balance: 'integer', reserved: 'integer' }, sums);
  const summed = sql`update accounts set
      balance_micros = balance_micros + changes.balance,
      reserved_micros = reserved_micros + changes.reserved
    from ${changes} as changes where accounts.id = changes.id`.execute(tx);
  await Promise.all([written, summed]);
}

async function writeEntries(tx: Tx, entries: readonly Entry[]): Promise<void> {
  const ofJobs = entries.filter((entry) => entry.jobId !== null);
  const ofOperators = entries.filter((entry) => entry.jobId === null);
  await Promise.all([
    ...(ofJobs.length > 0 ? [writeEntriesOfJobs(tx, ofJobs)] : []),
    ...ofOperators.map((entry) => writeOperatorEntry(tx, entry)),
  ]);
}

async function writeEntriesOfJobs(tx: Tx, entries: readonly EntryOfJob[]): Promise<void> {
  const columns = {
    account_id: 'uuid',
    job_id: 'uuid',
    kind: 'text',
    amount: 'integer',
    model: 'text',
  } as const;
  const incoming = rowsOf(
    tx,
    columns,
    entries.map((entry) => ({
      account_id: entry.accountId,
      job_id: entry.jobId,
      kind: entry.kind,
      amount: entry.amountMicros,
      model: entry.model ?? null,
    })),
  );
  await sql`insert into entries (account_id, job_id, kind, amount_micros, model, created_at)
    select account_id, job_id, kind, amount, model, ${nowMs} from ${incoming} as incoming`.execute(tx);
}

async function writeOperatorEntry(
  tx: Tx,
  { accountId, kind, amountMicros, reason, reference = null, corrects = null }: OperatorEntry,
): Promise<void> {
  await tx
    .insertInto('entries')
    .values({
      account_id: accountId,
      kind,
      amount_micros: amountMicros,
      reason,
      reference,
      corrects,
      created_at: nowMs,
    })
    .execute();
}
