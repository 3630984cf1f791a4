import { type Account, findAccount } from '../../accounts/account-store.ts';
import { assertNotErased } from '../../accounts/disable-account.ts';
import type { Queries } from '../../db/schema.ts';
import { AppError } from '../../errors.ts';

/** By id or name. @throws AppError `not_found` */
export async function accountOf(queries: Queries, idOrName: string): Promise<Account> {
  const account = await findAccount(queries, idOrName);
  if (!account) throw new AppError('not_found', `There is no account "${idOrName}".`);
  return account;
}

/** One that may get what it did not have. @throws AppError `not_found`, `invalid_request` for one that was erased */
export async function livingAccountOf(queries: Queries, idOrName: string): Promise<Account> {
  const account = await accountOf(queries, idOrName);
  assertNotErased(account);
  return account;
}
