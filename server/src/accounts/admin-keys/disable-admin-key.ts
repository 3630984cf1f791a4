import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import { AppError } from '../../errors.ts';
import { type AdminKey, endAdminKey, findAdminKey } from './admin-key-store.ts';

/** Disables a key. A repeat changes nothing. @throws AppError `not_found` */
export async function disableAdminKey(
  { database }: { database: Database },
  { key: idOrName }: { key: string },
  by: Actor,
): Promise<AdminKey> {
  return database.transaction(async (tx) => {
    const key = await findAdminKey(tx, idOrName);
    if (!key) throw new AppError('not_found', `There is no admin key "${idOrName}".`);
    const { id: subject, name } = key;
    if (await endAdminKey(tx, subject))
      await insertAuditEntry(tx, by, {
        action: 'admin_key.disabled',
        accountId: null,
        subject,
        detail: { name },
      });
    return key;
  });
}
