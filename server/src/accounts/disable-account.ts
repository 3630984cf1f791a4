import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { type Account, findAccount, putDisabled } from './account-store.ts';

/**
 * Refuses an account's keys and new jobs from its panel. Jobs under way finish and are settled, members may still look.
 *
 * @throws AppError `not_found`, `invalid_request` without a reason
 */
export async function disableAccount(
  { database }: { database: Database },
  { accountId, reason }: { accountId: string; reason: string },
): Promise<Account> {
  if (reason.trim() === '')
    throw new AppError('invalid_request', 'Disabling an account needs a reason, which its members read.');
  return setDisabled(database, accountId, reason.trim());
}

export async function enableAccount(
  { database }: { database: Database },
  { accountId }: { accountId: string },
): Promise<Account> {
  return setDisabled(database, accountId, null);
}

async function setDisabled(database: Database, accountId: string, reason: string | null): Promise<Account> {
  return database.transaction(async (tx) => {
    await putDisabled(tx, accountId, reason);
    const account = await findAccount(tx, accountId);
    if (!account) throw new AppError('not_found', `There is no account "${accountId}".`);
    return account;
  });
}
