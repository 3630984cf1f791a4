import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../std/clock.ts';
import { newId } from '../std/ids.ts';
import { hashApiKey, hintOf, makeApiKey } from './api-key.ts';
import { type ApiKey, disableKey, endKeyAt, findKey, insertKey } from './key-store.ts';

/**
 * A new secret with the name, models and expiry of a key, which itself works for `overlapMs` more.
 *
 * @throws AppError `not_found`; `invalid_request` for a key that works no more
 */
export async function rollKey(
  { database, clock }: { database: Database; clock: Clock },
  { accountId, keyId, overlapMs }: { accountId: string; keyId: string; overlapMs: number },
): Promise<{ secret: string; key: ApiKey; previous: ApiKey }> {
  const secret = makeApiKey();
  const now = clock.nowMs();
  const id = newId(now);
  return database.transaction(async (tx) => {
    const previous = await findKey(tx, keyId);
    if (previous?.accountId !== accountId) throw new AppError('not_found', 'There is no such key.');
    if (previous.disabledAt !== null || (previous.expiresAt !== null && previous.expiresAt <= now)) {
      throw new AppError('invalid_request', 'This key works no more. Create a new one instead.');
    }
    const { name, models, expiresAt } = previous;
    await insertKey(tx, {
      id,
      accountId,
      name,
      hash: hashApiKey(secret),
      hint: hintOf(secret),
      models,
      expiresAt,
    });
    if (overlapMs === 0) await disableKey(tx, keyId);
    else await endKeyAt(tx, keyId, now + overlapMs);
    const key = await findKey(tx, id);
    if (!key) throw new Error('the key that was just written cannot be read');
    return { secret, key, previous };
  });
}
