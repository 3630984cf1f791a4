import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import { probeNow } from './circuit-store.ts';

/** Lets the next job probe a route whose circuit is open. Returns false if the circuit is not open. */
export async function tryRoute(
  { database }: { database: Database },
  routeId: string,
  by: Actor,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const rested = await probeNow(tx, routeId);
    const entry = { action: 'route.tried' as const, accountId: null, subject: routeId, detail: {} };
    if (rested) await insertAuditEntry(tx, by, entry);
    return rested;
  });
}
