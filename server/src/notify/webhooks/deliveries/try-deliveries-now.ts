import { type Actor, insertAuditEntry } from '../../../base/audit/audit-store.ts';
import type { Database } from '../../../base/db/database.ts';
import { makeDueNow } from '../endpoints/pending-delivery-store.ts';

export interface Waiting {
  accountId: string;
  endpointId: string | null;
  /** Null for all waiting deliveries. */
  delivery: { id: number; eventId: string } | null;
}

/** Makes the next attempts now, for example once a receiver is fixed. The schedule continues from there. */
export async function tryDeliveriesNow(
  { database }: { database: Database },
  { accountId, endpointId, delivery }: Waiting,
  by: Actor,
): Promise<number> {
  const tried = await database.transaction(async (tx) => {
    const count = await makeDueNow(tx, { accountId, id: delivery?.id ?? null, endpointId });
    const which = delivery
      ? ({ action: 'delivery.replayed', subject: delivery.eventId } as const)
      : ({ action: 'deliveries.replayed', subject: endpointId } as const);
    if (count > 0) await insertAuditEntry(tx, by, { ...which, accountId, detail: { pending: true, count } });
    return count;
  });
  if (tried > 0) database.notify('deliveries');
  return tried;
}
