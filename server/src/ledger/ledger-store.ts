import { sql } from 'kysely';
import { isAnyOf, isPostgres, nowMs, rowsOf } from '../db/rows.ts';
import type { Queries, Tx } from '../db/schema.ts';
import { changesByAccount, type Entry } from './entry.ts';

export interface AccountBalance {
  id: string;
  balanceMicros: bigint;
  reservedMicros: bigint;
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
export async function lockBalances(tx: Tx, accountIds: readonly string[]): Promise<AccountBalance[]> {
  const lock = isPostgres(tx) ? sql`for no key update` : sql``;
  const { rows } = await sql<{ id: string; balance_micros: bigint; reserved_micros: bigint }>`
    select id, balance_micros, reserved_micros from accounts where ${isAnyOf(tx, 'id', accountIds, 'uuid')}
    order by id ${lock}`.execute(tx);
  return rows.map((row) => ({
    id: row.id,
    balanceMicros: row.balance_micros,
    reservedMicros: row.reserved_micros,
  }));
}

/** Appends entries and updates the accounts' cached sums. All money moves through here. */
export async function post(tx: Tx, entries: readonly Entry[]): Promise<void> {
  if (entries.length === 0) return;
  const columns = {
    account_id: 'uuid',
    job_id: 'uuid',
    kind: 'text',
    amount: 'integer',
    reason: 'text',
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
      reason: entry.reason ?? null,
      model: entry.model ?? null,
    })),
  );
  const written = sql`insert into entries (account_id, job_id, kind, amount_micros, reason, model, created_at)
    select account_id, job_id, kind, amount, reason, model, ${nowMs} from ${incoming} as incoming`.execute(
    tx,
  );

  const sums = [...changesByAccount(entries)].map(([id, change]) => ({ id, ...change }));
  const changes = rowsOf(tx, { id: 'uuid', balance: 'integer', reserved: 'integer' }, sums);
  const summed = sql`update accounts set
      balance_micros = balance_micros + changes.balance,
      reserved_micros = reserved_micros + changes.reserved
    from ${changes} as changes where accounts.id = changes.id`.execute(tx);
  await Promise.all([written, summed]);
}
