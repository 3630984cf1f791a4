import { accountOf } from '../accounts/account-of.ts';
import type { Actor } from '../audit/audit-store.ts';
import type { Database } from '../db/database.ts';
import { changeRetention, type RetentionChanges } from '../retention/change-retention.ts';
import { parts, type RetentionDays, retentionOf } from '../retention/retention.ts';
import { readOwnRetention } from '../retention/retention-store.ts';

export interface RetentionVerbDeps {
  database: Database;
  /** The installation's. */
  retention: RetentionDays;
}

/** For how long accounts keep what they have. */
export function retentionVerbs({ database, retention }: RetentionVerbDeps, by: Actor) {
  /** In days; null: for good. `own`: whether it is set for the account. */
  const list = async (account: string) => {
    const { id } = await accountOf(database.read, account);
    const own = await readOwnRetention(database.read, id);
    const holds = retentionOf(retention, own);
    return parts.map((part) => ({ part, days: holds[part], own: own[part] !== undefined }));
  };
  return {
    listRetention: list,
    /** Those that are not named stay as they are; null takes one back to that of the installation. */
    async changeRetention(account: string, changes: RetentionChanges) {
      const { id: accountId } = await accountOf(database.read, account);
      await changeRetention({ database }, { accountId, changes }, by);
      return list(account);
    },
  };
}
