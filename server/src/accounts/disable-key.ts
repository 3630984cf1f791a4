import { type Actor, insertAuditEntry } from '../base/audit/audit-store.ts';
import type { Database } from '../base/db/database.ts';
import { isUuid } from '../base/std/ids.ts';
import { AppError } from '../errors.ts';
import { livingAccountOf } from './account-of.ts';
import { endKeyNow, findKey } from './key-store.ts';

/** Disables a key. A repeat changes nothing. @throws AppError `not_found` */
export async function disableKey(
  { database }: { database: Database },
  { keyId }: { keyId: string },
  by: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    const key = isUuid(keyId) ? await findKey(tx, keyId) : undefined;
    if (!key) throw new AppError('not_found', `There is no key with the id "${keyId}".`);
    await livingAccountOf(tx, key.accountId);
    if (!(await endKeyNow(tx, keyId))) return;
    const { accountId, name } = key;
    await insertAuditEntry(tx, by, { action: 'key.disabled', accountId, subject: keyId, detail: { name } });
  });
}
