import { type Actor, insertAuditEntry, insertAuditEntryIfNew } from '../../../../base/audit/audit-store.ts';
import type { Database } from '../../../../base/db/database.ts';

/**
 * Jobs are admitted in batches, so the audit entry with the person is written right after the transaction.
 * If that fails, the client's retry of the request writes it.
 */
export async function noteJobs(
  database: Database,
  { accountId, jobIds, replayed }: { accountId: string; jobIds: readonly string[]; replayed: boolean },
  by: Actor,
): Promise<void> {
  const insert = replayed ? insertAuditEntryIfNew : insertAuditEntry;
  await database.transaction(async (tx) => {
    for (const subject of jobIds)
      await insert(tx, by, { action: 'job.created', accountId, subject, detail: {} });
  });
}
