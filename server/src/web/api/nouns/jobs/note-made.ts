import { type Actor, insertAuditEntry, insertAuditEntryIfNew } from '../../../../base/audit/audit-store.ts';
import type { Database } from '../../../../base/db/database.ts';

interface Made {
  action: 'job.created' | 'batch.created';
  accountId: string;
  subject: string;
  replayed: boolean;
}

/**
 * Jobs are admitted in batches, so the audit entry with the person is written right after the transaction.
 * If that fails, the client's retry of the request writes it.
 */
export async function noteMade(database: Database, { replayed, ...made }: Made, by: Actor): Promise<void> {
  const insert = replayed ? insertAuditEntryIfNew : insertAuditEntry;
  await database.transaction((tx) => insert(tx, by, { ...made, detail: {} }));
}
