import { type ApiKey, findKey } from '../../accounts/key-store.ts';
import type { Queries } from '../../db/schema.ts';
import { AppError } from '../../errors.ts';
import { isUuid } from '../../std/ids.ts';

/** A key of another account looks like one that does not exist. @throws AppError `not_found` */
export async function findOwnKey(
  queries: Queries,
  { account_id: accountId, key_id: keyId }: { account_id: string; key_id: string },
): Promise<ApiKey> {
  const key = isUuid(keyId) ? await findKey(queries, keyId) : undefined;
  if (key?.accountId !== accountId) throw new AppError('not_found', 'There is no such key.');
  return key;
}
