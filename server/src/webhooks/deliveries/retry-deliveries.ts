import { type Actor, insertAuditEntry } from '../../audit/audit-store.ts';
import type { Database } from '../../db/database.ts';
import { makeDueNow } from '../endpoints/pending-delivery-store.ts';

export interface Waiting {
  accountId: string;
  deliveryId: number | null;
  endpointId: string | null;
}

/**
 * Makes the next attempt of waiting deliveries now, for example once their receiver is mended: of all of an
 * account, of those to an endpoint, or of one. Their schedule goes on from there. Returns how many.
 */
export async function retryDeliveries(
  { database }: { database: Database },
  { accountId, deliveryId, endpointId }: Waiting,
  by: Actor,
): Promise<number> {
  const retried = await database.transaction(async (tx) => {
    const count = await makeDueNow(tx, { accountId, id: deliveryId, endpointId });
    if (count > 0) {
      const subject = deliveryId === null ? endpointId : String(deliveryId);
      await insertAuditEntry(tx, by, { action: 'deliveries.retried', accountId, subject, detail: { count } });
    }
    return count;
  });
  if (retried > 0) database.notify('deliveries');
  return retried;
}
