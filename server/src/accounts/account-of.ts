import type { Queries, Tx } from '../base/db/schema.ts';
import { AppError } from '../errors.ts';
import { accountErased } from '../money/ledger/account-erased.ts';
import { lockLiving } from '../money/ledger/lock-living.ts';
import { type Account, type CountedAccount, findAccount, findCountedAccount } from './account-store.ts';

/** Finds an account by id or by name. @throws AppError `not_found` */
export async function accountOf(queries: Queries, idOrName: string): Promise<Account> {
  return (await findAccount(queries, idOrName)) ?? refuse(idOrName);
}

export async function countedAccountOf(queries: Queries, idOrName: string): Promise<CountedAccount> {
  return (await findCountedAccount(queries, idOrName)) ?? refuse(idOrName);
}

/** Finds an account to change. @throws AppError `not_found`, `invalid_request` for an erased account */
export async function livingAccountOf(queries: Queries, idOrName: string): Promise<Account> {
  const account = await accountOf(queries, idOrName);
  if (account.erasedAt !== null) throw accountErased(account.id);
  return account;
}

/** Locks the account until the transaction ends. An erased account is refused; a later erasure waits. */
export async function lockLivingAccountOf(tx: Tx, idOrName: string): Promise<Account> {
  const { id } = await accountOf(tx, idOrName);
  await lockLiving(tx, id);
  return accountOf(tx, id);
}

function refuse(idOrName: string): never {
  throw new AppError('not_found', `There is no account "${idOrName}".`);
}
