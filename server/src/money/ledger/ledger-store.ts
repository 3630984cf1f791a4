import { type RawBuilder, sql } from 'kysely';
import { isAnyOf, isPostgres, nowMs, orOutdated, rowsOf } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import { changesByAccount, type Entry, type EntryOfJob, type OperatorEntry } from './entry.ts';

export interface AccountBalance {
  id: string;
  balanceMicros: bigint;
  reservedMicros: bigint;
}

/** An account's money and alerts, as read with a lock or, by `readBalances`, without one. */
export interface LockedAccount extends AccountBalance {
  /** An erased account has nothing available, even with a balance. */
  isErased: boolean;
  /** While an account owes money, it has nothing available. */
  debtMicros: bigint;
  /** The account's alerts, read here so that checks need no query. */
  alerts: { balanceMicros: bigint | null; spendPercent: number | null };
}

export async function readBalance(
  queries: Queries,
  accountId: string,
): Promise<(AccountBalance & { debtMicros: bigint }) | undefined> {
  const row = await queries
    .selectFrom('accounts')
    .select(['id', 'balance_micros', 'reserved_micros', 'debt_micros'])
    .where('id', '=', accountId)
    .executeTakeFirst();
  return (
    row && {
      ...{ id: row.id, balanceMicros: row.balance_micros, reservedMicros: row.reserved_micros },
      debtMicros: row.debt_micros,
    }
  );
}

/** Locks accounts in the order of their ids, so that two transactions cannot deadlock, and reads their balances. */
export async function lockBalances(tx: Tx, accountIds: readonly string[]): Promise<LockedAccount[]> {
  const [, locked] = await Promise.all([standInLine(tx, accountIds), select(tx, accountIds, lockOf(tx))]);
  return locked;
}

export function readBalances(queries: Queries, accountIds: readonly string[]): Promise<LockedAccount[]> {
  return select(queries, accountIds, sql``);
}

/** Locks accounts, and asserts that each has its price available. */
export function lockIfAvailable(
  tx: Tx,
  prices: readonly { accountId: string; priceMicros: bigint }[],
): Promise<void> {
  const wanted = prices.map(({ accountId, priceMicros }) => ({ id: accountId, amount: priceMicros }));
  const areThere = sql`count(*) = ${prices.length}`;
  return lockAndAssert(tx, wanted, sql`${areThere} and bool_and(locked.available >= given.amount)`);
}

/** Locks accounts and asserts `holds`, whose SQL can use the tables `locked` and `given`. PostgreSQL only. */
async function lockAndAssert(
  tx: Tx,
  amounts: readonly { id: string; amount: bigint }[],
  holds: RawBuilder<boolean>,
): Promise<void> {
  const ids = amounts.map(({ id }) => id);
  const locked = sql`select id, balance_micros as balance,
      case when erased_at is null and debt_micros = 0 then balance_micros - reserved_micros else -1 end as available,
      alert_balance_micros as alert
    from accounts where ${isAnyOf(tx, 'id', ids, 'uuid')} order by id ${lockOf(tx)}`;
  const given = rowsOf(tx, { id: 'uuid', amount: 'integer' }, [...amounts]);
  await Promise.all([
    standInLine(tx, ids),
    sql`with locked as (${locked}) select ${orOutdated(holds)}
      from ${given} as given join locked on locked.id = given.id`.execute(tx),
  ]);
}

function lockOf(queries: Queries) {
  return isPostgres(queries) ? sql`for no key update` : sql``;
}

async function select(
  queries: Queries,
  accountIds: readonly string[],
  lock: RawBuilder<unknown>,
): Promise<LockedAccount[]> {
  const { rows } = await sql<LockedRow>`
    select id, balance_micros, reserved_micros, debt_micros, erased_at, alert_balance_micros, alert_spend_percent from accounts where ${isAnyOf(queries, 'id', accountIds, 'uuid')}
    order by id ${lock}`.execute(queries);
  return rows.map((row) => ({
    id: row.id,
    balanceMicros: row.balance_micros,
    reservedMicros: row.reserved_micros,
    isErased: row.erased_at !== null,
    debtMicros: row.debt_micros,
    alerts: { balanceMicros: row.alert_balance_micros, spendPercent: row.alert_spend_percent },
  }));
}

/** Makes transactions take turns at these accounts in order of arrival, which a row lock does not. */
export async function standInLine(tx: Tx, accountIds: readonly string[]): Promise<void> {
  if (!isPostgres(tx)) return;
  await sql`select pg_advisory_xact_lock(hashtextextended(id, 0))
    from unnest(${accountIds.toSorted()}::text[]) as id`.execute(tx);
}

/** Like `standInLine`, for the accounts of these jobs. Call it before locking the jobs' rows. */
export async function standInLineForJobs(tx: Tx, jobIds: readonly string[]): Promise<void> {
  if (!isPostgres(tx) || jobIds.length === 0) return;
  const ids = sql`select distinct account_id as id from jobs where ${isAnyOf(tx, 'id', jobIds, 'uuid')} order by id`;
  await sql`select pg_advisory_xact_lock(hashtextextended(id::text, 0)) from (${ids}) as accounts`.execute(
    tx,
  );
}

interface LockedRow {
  id: string;
  balance_micros: bigint;
  reserved_micros: bigint;
  debt_micros: bigint;
  erased_at: number | null;
  alert_balance_micros: bigint | null;
  alert_spend_percent: number | null;
}

/** Appends entries and updates the accounts' cached sums. All money moves through here. */
export async function post(tx: Tx, entries: readonly Entry[]): Promise<void> {
  await Promise.all([writeEntries(tx, entries), updateSums(tx, entries).execute(tx)]);
}

/** Posts entries, and asserts that no balance falls below its alert threshold. Call `standInLine` first. */
export async function postUnlessFalling(tx: Tx, entries: readonly Entry[]): Promise<void> {
  const changed = sql`${updateSums(tx, entries)}
    returning accounts.balance_micros as balance, changes.balance as change, accounts.alert_balance_micros as alert`;
  const falls = sql`balance - change >= alert and balance < alert`;
  await Promise.all([
    sql`with changed as (${changed})
      select ${orOutdated(sql`not coalesce(bool_or(${falls}), false)`)} from changed`.execute(tx),
    writeEntries(tx, entries),
  ]);
}

function updateSums(tx: Tx, entries: readonly Entry[]) {
  const sums = [...changesByAccount(entries)].map(([id, change]) => ({ id, ...change }));
  const changes = rowsOf(tx, { id: 'uuid', balance: 'integer', reserved: 'integer' }, sums);
  return sql`update accounts set
      balance_micros = balance_micros + changes.balance,
      reserved_micros = reserved_micros + changes.reserved
    from ${changes} as changes where accounts.id = changes.id`;
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
