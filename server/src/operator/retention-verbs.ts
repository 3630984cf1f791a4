import { findAccount } from '../accounts/account-store.ts';
import { commandLine } from '../accounts/audit-store.ts';
import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { changeRetention, type RetentionChanges } from '../retention/change-retention.ts';
import { parts, type RetentionDays, retentionOf } from '../retention/retention.ts';
import { readOwnRetention } from '../retention/retention-store.ts';

/** For how long accounts keep what they have, as JSON. */
export function retentionVerbs({
  database,
  retention,
}: {
  database: Database;
  /** The installation's. */
  retention: RetentionDays;
}) {
  const find = async (idOrName: string) => {
    const account = await findAccount(database.read, idOrName);
    if (!account) throw new AppError('not_found', `There is no account "${idOrName}".`);
    return account;
  };
  return {
    /** What holds for an account, in days; null: for good. `own`: whether it is set for the account. */
    async listRetention(account: string) {
      const { id } = await find(account);
      const own = await readOwnRetention(database.read, id);
      const holds = retentionOf(retention, own);
      return parts.map((part) => ({ part, days: holds[part], own: own[part] !== undefined }));
    },
    async changeRetention(account: string, changes: RetentionChanges) {
      const { id: accountId } = await find(account);
      await changeRetention({ database }, { accountId, changes }, commandLine);
    },
  };
}
