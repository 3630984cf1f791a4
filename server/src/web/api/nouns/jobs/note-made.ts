import { type Actor, insertAuditEntry, insertAuditEntryIfNew } from '../../../../base/audit/audit-store.ts';
import type { Database } from '../../../../base/db/database.ts';

interface Made {
  action: 'job.created' | 'batch.created';
  accountId: string;
  subject: string;
  replayed: boolean;
}

/**
 * Writes the audit entry after the jobs' transaction, because other clients' jobs share that transaction. If the entry
 * is lost, the client's retry writes it.
 */
export async function noteMade(database: Database, { replayed, ...made }: Made, by: Actor): Promise<void> {
  const insert = replayed ? insertAuditEntryIfNew : insertAuditEntry;
  await database.transaction((tx) => insert(tx, by, { ...made, detail: {} }));
}
