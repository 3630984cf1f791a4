import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { post } from '../ledger/ledger-store.ts';
import type { Clock } from '../std/clock.ts';
import { newId } from '../std/ids.ts';
import { type Account, findAccount, insertAccountIfNew } from './account-store.ts';

const maxNameLength = 100;

/** @throws AppError `invalid_request` when the name is empty, too long or taken */
export async function createAccount(
  { database, clock }: { database: Database; clock: Clock },
  {
    name,
    creditMicros = 0n,
    reason = 'first credit',
  }: { name: string; creditMicros?: bigint; reason?: string },
): Promise<Account> {
  if (name.trim() === '' || name.length > maxNameLength) {
    throw new AppError('invalid_request', `An account's name has 1 to ${maxNameLength} characters.`);
  }
  const id = newId(clock.nowMs());
  return database.transaction(async (tx) => {
    if (!(await insertAccountIfNew(tx, { id, name }))) {
      throw new AppError('invalid_request', `There is already an account named "${name}".`);
    }
    if (creditMicros > 0n)
      await post(tx, [{ accountId: id, kind: 'credit', amountMicros: creditMicros, jobId: null, reason }]);
    const account = await findAccount(tx, id);
    if (!account) throw new Error('the account that was just written cannot be read');
    return account;
  });
}
