import { type Actor, insertAuditEntry } from '../base/audit/audit-store.ts';
import type { Database } from '../base/db/database.ts';
import type { Clock } from '../base/std/clock.ts';
import { newId } from '../base/std/ids.ts';
import { AppError } from '../errors.ts';
import { passOnLimits } from '../money/limits/begin-limits.ts';
import { lockLivingAccountOf } from './account-of.ts';
import { hashApiKey, hintOf, makeApiKey } from './api-key.ts';
import type { NewKey } from './create-key.ts';
import { endKeyAt, endKeyNow, findKey, insertKey, noteSuccessorIfFirst } from './key-store.ts';

/**
 * Creates a key with an old key's settings. The old key works `overlapMs` longer.
 * @throws AppError `not_found`, `invalid_request`
 */
export async function rollKey(
  { database, clock }: { database: Database; clock: Clock },
  { accountId, keyId, overlapMs }: { accountId: string; keyId: string; overlapMs: number },
  by: Actor,
): Promise<NewKey> {
  const key = makeApiKey();
  const now = clock.nowMs();
  const id = newId(now);
  return database.transaction(async (tx) => {
    // Locked, so that no job begins or ends while its limits' use is passed on, and no other roll ends the key.
    await lockLivingAccountOf(tx, accountId);
    const previous = await findKey(tx, keyId);
    if (previous?.accountId !== accountId) throw new AppError('not_found', 'There is no such key.');
    if (previous.disabledAt !== null || (previous.expiresAt !== null && previous.expiresAt <= now)) {
      throw new AppError('invalid_request', 'This key no longer works. Create a new one instead.');
    }
    // A second successor would have the whole rest of the limits again, and end when the old key does.
    if (!(await noteSuccessorIfFirst(tx, keyId, id)))
      throw new AppError('invalid_request', 'This key was rolled before. Roll the key that replaced it.');
    const { name, models, expiresAt, networks } = previous;
    await insertKey(tx, {
      id,
      accountId,
      name,
      hash: hashApiKey(key),
      hint: hintOf(key),
      models,
      expiresAt,
      networks,
    });
    await passOnLimits(tx, keyId, id);
    if (overlapMs === 0) await endKeyNow(tx, keyId);
    else await endKeyAt(tx, keyId, now + overlapMs);
    const detail = { name, new_key: id, overlap_seconds: overlapMs / 1_000 };
    await insertAuditEntry(tx, by, { action: 'key.rolled', accountId, subject: keyId, detail });
    return { key, keyId: id, accountId, models };
  });
}
