import { insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import { isUuid } from '../../base/std/ids.ts';
import { AppError } from '../../errors.ts';
import { deletePasskey, hasPasskeysAlone, listPasskeys, lockOwner } from '../people/passkey-store.ts';
import { proveOneself } from '../sign-in/assert-oneself.ts';
import type { Viewer } from '../sign-in/sessions.ts';

/**
 * Removes a passkey and ends the sessions that it opened, except this one.
 * @throws AppError `sign_in_refused`, `too_many_requests`, `not_found`; `invalid_request` for the only way to sign in
 */
export async function removePasskey(
  database: Database,
  { viewer, address }: { viewer: Viewer; address: string },
  { id, password }: { id: string; password: string | undefined },
): Promise<void> {
  await proveOneself(database, { viewer, address }, password);
  const { personId, token: except } = viewer;
  await database.transaction(async (tx) => {
    await lockOwner(tx, personId);
    const known = await listPasskeys(tx, personId);
    // Without this passkey, the person would have neither a passkey nor a password, and no email could set a password.
    if (known.length === 1 && known[0]?.id === id && (await hasPasskeysAlone(tx, personId))) throw lastWay();
    const removed = isUuid(id) && (await deletePasskey(tx, { id, personId }, { except }));
    if (!removed) throw new AppError('not_found', 'There is no such passkey; it may have been removed.');
    const entry = { action: 'passkey.removed' as const, accountId: null, subject: personId, detail: removed };
    await insertAuditEntry(tx, viewer, entry);
  });
}

function lastWay(): AppError {
  const message = 'This passkey is your only way to sign in. Set a password or add another passkey first.';
  return new AppError('invalid_request', message);
}
