import { type Actor, insertAuditEntry, insertAuditEntryIfNew } from '../../../../base/audit/audit-store.ts';
import type { Database } from '../../../../base/db/database.ts';

interface Made {
  action: 'job.created' | 'batch.created';
  accountId: string;
  subject: string;
  replayed: boolean;
}

/**
 * Writes the audit entry after the jobs' transaction, which other clients' jobs share. A client's retry writes a lost
 * entry.
 */
export async function noteMade(database: Database, { replayed, ...made }: Made, by: Actor): Promise<void> {
  const insert = replayed ? insertAuditEntryIfNew : insertAuditEntry;
  await database.transaction((tx) => insert(tx, by, { ...made, detail: {} }));
}
