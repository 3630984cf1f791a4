import { type Account, findAccount } from '../accounts/account-store.ts';
import { type ApiKey, findKey } from '../accounts/key-store.ts';
import type { Queries } from '../db/schema.ts';
import { AppError } from '../errors.ts';
import { isUuid } from '../std/ids.ts';

/** By id or by name. @throws AppError `not_found` */
export async function accountOf(queries: Queries, idOrName: string): Promise<Account> {
  const account = await findAccount(queries, idOrName);
  if (!account) throw new AppError('not_found', `There is no account "${idOrName}".`);
  return account;
}

/** @throws AppError `not_found` */
export async function keyOf(queries: Queries, keyId: string): Promise<ApiKey> {
  const key = isUuid(keyId) ? await findKey(queries, keyId) : undefined;
  if (!key) throw new AppError('not_found', `There is no key "${keyId}".`);
  return key;
}
