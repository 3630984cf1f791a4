import { type Actor, insertAuditEntry } from '../base/audit/audit-store.ts';
import type { Database } from '../base/db/database.ts';
import type { Queries } from '../base/db/schema.ts';
import { AppError } from '../errors.ts';
import { accountOf, lockLivingAccountOf } from './account-of.ts';
import { type Account, findAccount, putDisabled } from './account-store.ts';

/** @throws AppError `account_disabled`, `not_found` */
export async function assertAccountEnabled(queries: Queries, accountId: string): Promise<void> {
  if ((await accountOf(queries, accountId)).disabledAt !== null) throw accountDisabled();
}

/**
 * Disables an account. Its members can still read, and its unfinished jobs are settled.
 * @throws AppError `not_found`, `invalid_request`
 */
export async function disableAccount(
  { database }: { database: Database },
  { accountId, reason }: { accountId: string; reason: string },
  by: Actor,
): Promise<Account> {
  if (reason.trim() === '')
    throw new AppError('invalid_request', 'Disabling an account needs a reason, which its members will see.');
  return setDisabled(database, { accountId, reason: reason.trim() }, by);
}

export async function enableAccount(
  { database }: { database: Database },
  { accountId }: { accountId: string },
  by: Actor,
): Promise<Account> {
  return setDisabled(database, { accountId, reason: null }, by);
}

async function setDisabled(
  database: Database,
  { accountId, reason }: { accountId: string; reason: string | null },
  by: Actor,
): Promise<Account> {
  return database.transaction(async (tx) => {
    const before = await lockLivingAccountOf(tx, accountId);
    await putDisabled(tx, accountId, reason);
    const account = await findAccount(tx, accountId);
    if (!account) throw new Error('the account that was just written cannot be read');
    await insertAuditEntry(tx, by, {
      action: reason === null ? 'account.enabled' : 'account.disabled',
      accountId,
      subject: accountId,
      detail: { ...(reason !== null && { reason }), reason_before: before.disabledReason },
    });
    return account;
  });
}

export function accountDisabled(): AppError {
  return new AppError(
    'account_disabled',
    'This account is disabled: it can be read, but not changed, and its secrets cannot be shown. Ask the operator.',
  );
}
