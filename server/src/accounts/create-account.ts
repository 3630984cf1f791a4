import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { post } from '../ledger/ledger-store.ts';
import { formatMicros } from '../ledger/money.ts';
import type { Clock } from '../std/clock.ts';
import { newId } from '../std/ids.ts';
import { type Account, findAccount, insertAccountIfNew } from './account-store.ts';
import { type Actor, insertAuditEntry } from './audit-store.ts';
import { maxNameLength } from './name.ts';

/** @throws AppError `invalid_request` when the name is empty, too long or taken */
export async function createAccount(
  { database, clock }: { database: Database; clock: Clock },
  { name, creditMicros = 0n, reason }: { name: string; creditMicros?: bigint; reason?: string },
  by?: Actor,
): Promise<Account> {
  if (name.trim() === '' || name.length > maxNameLength) {
    throw new AppError('invalid_request', `An account's name has 1 to ${maxNameLength} characters.`);
  }
  const id = newId(clock.nowMs());
  return database.transaction(async (tx) => {
    if (!(await insertAccountIfNew(tx, { id, name }))) {
      throw new AppError('invalid_request', `There is already an account named "${name}".`);
    }
    if (creditMicros > 0n) {
      const credit = {
        kind: 'credit',
        amountMicros: creditMicros,
        reason: reason ?? 'first credit',
      } as const;
      await post(tx, [{ accountId: id, jobId: null, ...credit }]);
    }
    const detail = { name, credit: formatMicros(creditMicros), reason: reason ?? null };
    if (by) await insertAuditEntry(tx, by, { action: 'account.created', accountId: id, subject: id, detail });
    const account = await findAccount(tx, id);
    if (!account) throw new Error('the account that was just written cannot be read');
    return account;
  });
}
