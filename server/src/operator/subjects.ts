import { type ApiKey, findKey } from '../accounts/key-store.ts';
import type { Queries } from '../db/schema.ts';
import { AppError } from '../errors.ts';
import { isUuid } from '../std/ids.ts';

/** @throws AppError `not_found` */
export async function keyOf(queries: Queries, keyId: string): Promise<ApiKey> {
  const key = isUuid(keyId) ? await findKey(queries, keyId) : undefined;
  if (!key) throw new AppError('not_found', `There is no key "${keyId}".`);
  return key;
}
