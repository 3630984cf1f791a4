import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { lockBalances, post } from '../ledger/ledger-store.ts';
import { formatMicros, maxMicros } from '../ledger/money.ts';
import { type Account, findAccount } from './account-store.ts';
import { type Actor, insertAuditEntry } from './audit-store.ts';

/**
 * Adds money to an account, named by id or by name.
 *
 * @throws AppError `not_found`; `invalid_request` for an amount of zero, an empty reason or a balance out of range
 */
export async function creditAccount(
  { database }: { database: Database },
  { account: idOrName, amountMicros, reason }: { account: string; amountMicros: bigint; reason: string },
  by?: Actor,
): Promise<Account> {
  if (amountMicros <= 0n) throw new AppError('invalid_request', 'A credit is more than zero.');
  if (reason.trim() === '')
    throw new AppError('invalid_request', 'A credit needs a reason, for whoever reads the ledger.');
  return database.transaction(async (tx) => {
    const account = await findAccount(tx, idOrName);
    if (!account) throw new AppError('not_found', `There is no account "${idOrName}".`);
    const [locked] = await lockBalances(tx, [account.id]);
    if (!locked || locked.balanceMicros + amountMicros > maxMicros) {
      throw new AppError('invalid_request', 'The balance would be larger than the ledger can hold.');
    }
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
