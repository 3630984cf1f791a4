import { type Actor, insertAuditEntry } from '../base/audit/audit-store.ts';
import type { Database } from '../base/db/database.ts';
import type { Tx } from '../base/db/schema.ts';
import { AppError } from '../errors.ts';
import { payDebts } from '../money/ledger/debt-store.ts';
import type { Entry } from '../money/ledger/entry.ts';
import { findNewestEntryId } from '../money/ledger/entry-page-store.ts';
import { type LockedAccount, lockBalances, post } from '../money/ledger/ledger-store.ts';
import { formatMicros, maxMicros } from '../money/ledger/money.ts';
import { livingAccountOf } from './account-of.ts';
import type { Account } from './account-store.ts';
import { findKeyedCredit, insertKeyedCredit, type KeyedCredit } from './credit-key-store.ts';
import { assertReason, findPosted, readReference } from './references.ts';
import type { TellBalances } from './tell-balances.ts';

export interface Credit {
  account: string;
  amountMicros: bigint;
  /** Optional if there is a reference. */
  reason?: string;
  /** A repeat with the same key does not credit the account again. */
  idempotencyKey?: string | null;
  /** The payment's id at the payment provider or operator. Each payment is credited once. */
  reference?: string;
}

export interface Moved extends Account {
  /** The entry of the credit; null if the request repeats a credit without a reference, under its Idempotency-Key. */
  entryId: number | null;
  isReplay: boolean;
}

/** @throws AppError `not_found`, `invalid_request`, `idempotency_key_reused`, `reference_reused` */
export function creditAccount(
  { database, tellBalances }: { database: Database; tellBalances: TellBalances },
  credit: Credit,
  by?: Actor,
): Promise<Moved> {
  return database.transaction((tx) => addCredit(tx, credit, { by, tellBalances }));
}

export async function addCredit(
  tx: Tx,
  { account: idOrName, amountMicros, reason = '', idempotencyKey: key, ...named }: Credit,
  { by, tellBalances }: { by: Actor | undefined; tellBalances: TellBalances },
): Promise<Moved> {
  if (amountMicros <= 0n) throw new AppError('invalid_request', 'A credit must be more than zero.');
  const reference = readReference(named.reference);
  if (reference === null) assertReason('A credit needs a reference, or a reason', reason);
  const { account, locked } = await lockAccount(tx, idOrName);
  const { id: accountId } = account;
  // The account is locked, so any concurrent request with the same key or reference has committed.
  const keyed = key ? { accountId, key, amountMicros, reason } : undefined;
  const movement = { accountId, kind: 'credit', amountMicros, reference } as const;
  const isKnown = keyed !== undefined && (await isGiven(tx, keyed));
  const postedId = await findPosted(tx, movement);
  if (isKnown || postedId !== undefined)
    return { ...account, ...locked, entryId: postedId ?? null, isReplay: true };
  const balanceMicros = locked.balanceMicros + amountMicros;
  if (balanceMicros > maxMicros)
    throw new AppError('invalid_request', 'The balance would be larger than the ledger can store.');
  if (keyed) await insertKeyedCredit(tx, keyed);
  const credited: Entry = { ...movement, jobId: null, reason };
  await post(tx, [credited]);
  const available = balanceMicros - locked.reservedMicros;
  const debits = locked.debtMicros > 0n ? await payOwed(tx, locked, available) : [];
  const paidMicros = debits.reduce((sum, { amountMicros: paid }) => sum + paid, 0n);
  // Debts take all available money, so the balance may fall.
  await tellBalances(tx, [locked], [credited, ...debits]);
  const detail = {
    amount: formatMicros(amountMicros),
    reason,
    ...(reference !== null && { reference }),
    balance_before: formatMicros(locked.balanceMicros),
    ...(paidMicros > 0n && { debt_paid: formatMicros(paidMicros) }),
    balance_after: formatMicros(balanceMicros - paidMicros),
  };
  if (by)
    await insertAuditEntry(tx, by, { action: 'account.credited', accountId, subject: accountId, detail });
  const entryId = await findNewestEntryId(tx, accountId, 'credit');
  const after = { balanceMicros: balanceMicros - paidMicros, debtMicros: locked.debtMicros - paidMicros };
  return { ...account, ...locked, ...after, entryId, isReplay: false };
}

/**
 * Pays debts with all available money, which includes what jobs have released since the debts arose. Returns the debits.
 */
async function payOwed(tx: Tx, { id: accountId }: LockedAccount, mostMicros: bigint): Promise<Entry[]> {
  const paid = await payDebts(tx, accountId, mostMicros);
  const debits = paid.map((debt): Entry => ({ accountId, kind: 'debit', jobId: null, ...debt }));
  await post(tx, debits);
  return debits;
}

/** @throws AppError `not_found`, `invalid_request` for an erased account */
export async function lockAccount(
  tx: Tx,
  idOrName: string,
): Promise<{ account: Account; locked: LockedAccount }> {
  const account = await livingAccountOf(tx, idOrName);
  const [locked] = await lockBalances(tx, [account.id]);
  if (!locked) throw new Error('the account that was just found cannot be locked');
  return { account, locked };
}

/** @throws AppError `idempotency_key_reused` if the key was used for another credit */
export async function isGiven(tx: Tx, credit: KeyedCredit): Promise<boolean> {
  const given = await findKeyedCredit(tx, credit);
  if (!given) return false;
  if (given.amountMicros === credit.amountMicros && given.reason === credit.reason) return true;
  throw new AppError(
    'idempotency_key_reused',
    'This Idempotency-Key was used for another credit of this account. Use a new key for a new credit.',
  );
}
