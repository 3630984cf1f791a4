import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import { isUuid } from '../../base/std/ids.ts';
import { AppError } from '../../errors.ts';
import { endToken } from './client-token-store.ts';

/** Ends a token before it expires. @throws AppError `not_found`, also for a token that has already ended */
export async function revokeClientToken(
  database: Database,
  { accountId, id }: { accountId: string; id: string },
  by?: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    if (!isUuid(id) || !(await endToken(tx, { accountId, id }))) throw noSuchToken();
    const entry = { action: 'client_token.revoked' as const, accountId, subject: id, detail: {} };
    if (by) await insertAuditEntry(tx, by, entry);
  });
}

export function noSuchToken(): AppError {
  return new AppError('not_found', 'There is no such client token, or it has expired or was revoked.');
}
