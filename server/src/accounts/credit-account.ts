import type { Database } from '../db/database.ts';
import type { Tx } from '../db/schema.ts';
import { AppError } from '../errors.ts';
import { lockBalances, post } from '../ledger/ledger-store.ts';
import { formatMicros, maxMicros } from '../ledger/money.ts';
import { type Account, findAccount } from './account-store.ts';
import { type Actor, insertAuditEntry } from './audit-store.ts';
import { findKeyedCredit, insertKeyedCredit, type KeyedCredit } from './credit-key-store.ts';

export interface Credit {
  account: string;
  amountMicros: bigint;
  reason: string;
  /** Repeating a credit with the same key credits the account once. */
  idempotencyKey?: string | null;
}

/**
 * Adds money to an account, given by id or by name.
 *
 * @throws AppError `not_found`; `invalid_request` for an amount of zero, an empty reason or a balance out of
 *   range; `idempotency_key_reused`
 */
export async function creditAccount(
  { database }: { database: Database },
  { account: idOrName, amountMicros, reason, idempotencyKey: key }: Credit,
  by?: Actor,
): Promise<Account> {
  if (amountMicros <= 0n) throw new AppError('invalid_request', 'A credit is more than zero.');
  if (reason.trim() === '')
    throw new AppError('invalid_request', 'A credit needs a reason, for whoever reads the ledger.');
  return database.transaction(async (tx) => {
    const account = await findAccount(tx, idOrName);
    if (!account) throw new AppError('not_found', `There is no account "${idOrName}".`);
    const [locked] = await lockBalances(tx, [account.id]);
    const keyed = key ? { accountId: account.id, key, amountMicros, reason } : undefined;
    // Checked again under the account's lock: a concurrent request with the same key has committed by now.
    if (keyed && locked && (await isGiven(tx, keyed))) return { ...account, ...locked };
    if (!locked || locked.balanceMicros + amountMicros > maxMicros) {
      throw new AppError('invalid_request', 'The balance would be larger than the ledger can hold.');
    }
    if (keyed) await insertKeyedCredit(tx, keyed);
    await post(tx, [{ accountId: account.id, kind: 'credit', amountMicros, jobId: null, reason }]);
    const { id } = account;
    const detail = { amount: formatMicros(amountMicros), reason };
    if (by)
      await insertAuditEntry(tx, by, { action: 'account.credited', accountId: id, subject: id, detail });
    return {
      ...account,
      balanceMicros: locked.balanceMicros + amountMicros,
      reservedMicros: locked.reservedMicros,
    };
  });
}

/** @throws AppError `idempotency_key_reused` when the key was used for another credit */
export async function isGiven(tx: Tx, credit: KeyedCredit): Promise<boolean> {
  const given = await findKeyedCredit(tx, credit);
  if (!given) return false;
  if (given.amountMicros === credit.amountMicros && given.reason === credit.reason) return true;
  throw new AppError(
    'idempotency_key_reused',
    'This Idempotency-Key was used for another credit of this account. Use a new key for a new credit.',
  );
}
