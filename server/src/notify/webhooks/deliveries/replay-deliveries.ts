import { livingAccountOf } from '../../../accounts/account-of.ts';
import { type Actor, insertAuditEntry } from '../../../base/audit/audit-store.ts';
import type { Database } from '../../../base/db/database.ts';
import { readNow } from '../../../base/db/rows.ts';
import type { Tx } from '../../../base/db/schema.ts';
import { toIso } from '../../../base/std/iso-time.ts';
import { lockBalances } from '../../../money/ledger/ledger-store.ts';
import { maxEndpoints } from '../endpoints/endpoint-store.ts';
import { insertDeliveries } from './delivery-store.ts';
import { findReplayable, type Replayable } from './replay-store.ts';

export interface ReplayRequest {
  account: string;
  eventId?: string;
  endpointId?: string;
  /** Only to the target that the request gave. */
  ownTarget?: boolean;
  /** The greatest age of an event; absent for all stored events. */
  sinceMs?: number;
  /** Includes events that were delivered before. */
  delivered?: boolean;
  /** Leaves out events without an attempt, such as those that are older than the webhook. */
  tried?: boolean;
}

// A page is larger than the targets of one event, so that it has at least one whole event.
const pageSize = 50 * maxEndpoints;

/**
 * Sends events again with the same `webhook-id`. Skips pending deliveries, and by default delivered ones.
 * @throws AppError `not_found`
 */
export async function replayDeliveries(
  { database }: { database: Database },
  request: ReplayRequest,
  by: Actor,
): Promise<number> {
  const { eventId, endpointId, ownTarget = false, sinceMs, delivered = false, tried = false } = request;
  const { id: accountId } = await livingAccountOf(database.read, request.account);
  let made = 0;
  for (let after = 0; ; ) {
    const page = await database.transaction(async (tx) => {
      await lockBalances(tx, [accountId]);
      const found = await findReplayable(tx, {
        accountId,
        after,
        limit: pageSize,
        eventId: eventId ?? null,
        endpointId: endpointId ?? null,
        ownTarget,
        sinceMs: sinceMs ?? null,
        delivered: delivered || eventId !== undefined,
        tried,
      });
      const whole = found.length < pageSize ? found : withoutLastEvent(found);
      const deliveries = whole.map(({ seq, ...delivery }) => ({ ...delivery, accountId }));
      await insertDeliveries(tx, deliveries);
      // The first page that changes something writes one audit entry for all pages.
      if (made === 0 && deliveries.length > 0) await noteReplay(tx, by, accountId, request);
      return { made: deliveries.length, last: whole.at(-1)?.seq, full: found.length === pageSize };
    });
    made += page.made;
    if (page.last === undefined || !page.full) break;
    after = page.last;
  }
  if (made > 0) database.notify('deliveries');
  return made;
}

/** Removes the last event of a full page, because some of its targets may be missing. The next page begins with it. */
function withoutLastEvent(found: readonly Replayable[]): Replayable[] {
  const last = found.at(-1)?.seq;
  return found.filter(({ seq }) => seq !== last);
}

async function noteReplay(
  tx: Tx,
  by: Actor,
  accountId: string,
  { eventId, endpointId, sinceMs, delivered = false }: ReplayRequest,
): Promise<void> {
  const to = endpointId === undefined ? {} : { endpoint: endpointId };
  if (eventId !== undefined) {
    const entry = { action: 'delivery.replayed' as const, accountId, subject: eventId, detail: to };
    return insertAuditEntry(tx, by, entry);
  }
  const since = sinceMs === undefined ? null : toIso((await readNow(tx)) - sinceMs);
  const detail = { since, delivered, ...to };
  return insertAuditEntry(tx, by, {
    action: 'deliveries.replayed',
    accountId,
    subject: null,
    detail,
  });
}
