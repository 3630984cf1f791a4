import { type Actor, insertAuditEntry } from '../../accounts/audit-store.ts';
import type { Database } from '../../db/database.ts';
import { readNow } from '../../db/rows.ts';
import type { Tx } from '../../db/schema.ts';
import { lockBalances } from '../../ledger/ledger-store.ts';
import { toIso } from '../../std/iso-time.ts';
import { accountOf } from '../endpoints/account-of.ts';
import { findEndpoint } from '../endpoints/endpoint-store.ts';
import { insertDeliveries } from './delivery-store.ts';
import { findReplayable } from './replay-store.ts';

export interface ReplayRequest {
  account: string;
  /** Only this event, delivered or not. */
  eventId?: string;
  /** Events of the last so many milliseconds; all stored events when left out. */
  sinceMs?: number;
  /** Includes events that were delivered before. */
  delivered?: boolean;
  /** Leaves out events that nobody tried to deliver, such as those from before a webhook was set. */
  tried?: boolean;
}

// Limits the transaction.
const pageSize = 500;

/**
 * Delivers events again under their old `webhook-id`, to the `callback_url` of their request, else to the
 * account's current endpoint. Leaves out pending events, and delivered ones unless included. Returns the
 * number of deliveries made.
 *
 * @throws AppError `not_found`
 */
export async function replayDeliveries(
  { database }: { database: Database },
  request: ReplayRequest,
  by: Actor,
): Promise<number> {
  const { eventId, sinceMs, delivered = false, tried = false } = request;
  const { id: accountId } = await accountOf(database.read, request.account);
  let made = 0;
  for (let after = 0; ; ) {
    const page = await database.transaction(async (tx) => {
      await lockBalances(tx, [accountId]);
      const found = await findEndpoint(tx, accountId);
      const endpoint = found?.disabledAt === null ? found : undefined;
      const events = await findReplayable(tx, {
        accountId,
        after,
        limit: pageSize,
        eventId: eventId ?? null,
        sinceMs: sinceMs ?? null,
        delivered: delivered || eventId !== undefined,
        tried,
      });
      const deliveries = events.flatMap(({ id, callbackUrl }) => {
        const url = callbackUrl ?? endpoint?.url;
        if (url === undefined) return [];
        return [
          { eventId: id, accountId, endpointId: callbackUrl === null ? (endpoint?.id ?? null) : null, url },
        ];
      });
      await insertDeliveries(tx, deliveries);
      // One audit entry for all pages, written with the first page that changes something.
      if (made === 0 && deliveries.length > 0) await noteReplay(tx, by, accountId, request);
      return { made: deliveries.length, last: events.at(-1)?.seq, full: events.length === pageSize };
    });
    made += page.made;
    if (page.last === undefined || !page.full) break;
    after = page.last;
  }
  if (made > 0) database.notify('deliveries');
  return made;
}

async function noteReplay(
  tx: Tx,
  by: Actor,
  accountId: string,
  { eventId, sinceMs, delivered = false }: ReplayRequest,
): Promise<void> {
  if (eventId !== undefined) {
    const entry = { action: 'delivery.replayed', accountId, subject: eventId, detail: {} };
    return insertAuditEntry(tx, by, entry);
  }
  const since = sinceMs === undefined ? null : toIso((await readNow(tx)) - sinceMs);
  const entry = { action: 'deliveries.replayed', accountId, subject: null, detail: { since, delivered } };
  return insertAuditEntry(tx, by, entry);
}
