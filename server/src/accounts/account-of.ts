import type { Queries } from '../db/schema.ts';
import { AppError } from '../errors.ts';
import { type Account, findAccount } from './account-store.ts';

/** By id or by name. @throws AppError `not_found` */
export async function accountOf(queries: Queries, idOrName: string): Promise<Account> {
  const account = await findAccount(queries, idOrName);
  if (!account) throw new AppError('not_found', `There is no account "${idOrName}".`);
  return account;
}

/** One that is to be changed, or of which something is. @throws AppError `not_found`, `invalid_request` for one that was erased */
export async function livingAccountOf(queries: Queries, idOrName: string): Promise<Account> {
  const account = await accountOf(queries, idOrName);
  assertNotErased(account);
  return account;
}

/** What was erased never comes back; the database keeps it so as well. @throws AppError `invalid_request` */
export function assertNotErased({ id, erasedAt }: Account): void {
  if (erasedAt !== null) throw accountErased(id);
}

export function accountErased(id: string): AppError {
  return new AppError('invalid_request', `The account ${id} was erased, for good. Make a new one.`);
}
