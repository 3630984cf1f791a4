import { type Actor, insertAuditEntry } from '../../accounts/audit-store.ts';
import type { Database } from '../../db/database.ts';
import type { Tx } from '../../db/schema.ts';
import { lockBalances } from '../../ledger/ledger-store.ts';
import type { Sealer } from '../../std/sealer.ts';
import { cancelPendingOf } from '../deliveries/delivery-store.ts';
import type { EventType } from '../event-types.ts';
import { accountOf } from './account-of.ts';
import { assertNew } from './add-endpoint.ts';
import { dropEndpoint, moveEndpoint } from './endpoint-changes.ts';
import {
  disableEndpoints,
  type Endpoint,
  enableEndpoint,
  findEndpoints,
  setEndpointEvents,
} from './endpoint-store.ts';
import { type EndpointWebhook, showEndpoint, unknownEndpoint } from './show-webhook.ts';
import { assertTarget, type CheckTarget } from './webhook-target.ts';

export interface EndpointChange {
  account: string;
  endpointId: string;
  /** What waits for the address before is cancelled. */
  url?: string;
  /** Null: all. */
  events?: EventType[] | null;
  /** A disabled endpoint gets nothing, and what waits for it is cancelled. */
  enabled?: boolean;
}

/**
 * Changes what is given. Returns also how many deliveries were cancelled at once.
 *
 * @throws AppError `not_found`; `invalid_request` for a URL that may not be called or that another endpoint has
 */
export async function changeEndpoint(
  deps: { database: Database; checkTarget: CheckTarget; sealer: Sealer },
  { account, endpointId, ...change }: EndpointChange,
  by: Actor,
): Promise<EndpointWebhook & { cancelledDeliveries: number }> {
  if (change.url !== undefined) assertTarget(deps.checkTarget, change.url);
  const { id: accountId } = await accountOf(deps.database.read, account);
  const cancelledDeliveries = await deps.database.transaction(async (tx) => {
    const { endpoint, others } = await lockEndpoint(tx, accountId, endpointId);
    if (change.url !== undefined) assertNew(change.url, others);
    const cancelled = await apply(tx, endpoint, change);
    const detail = {
      ...(change.url !== undefined && {
        origin: new URL(change.url).origin,
        origin_before: new URL(endpoint.url).origin,
      }),
      ...(change.events !== undefined && {
        events: change.events?.join(', ') ?? 'all',
        events_before: endpoint.events?.join(', ') ?? 'all',
      }),
      ...(change.enabled !== undefined && {
        enabled: change.enabled ? 'yes' : 'no',
        enabled_before: endpoint.disabledAt === null ? 'yes' : 'no',
      }),
    };
    await insertAuditEntry(tx, by, { action: 'webhook.changed', accountId, subject: endpointId, detail });
    return cancelled;
  });
  return { ...(await showEndpoint(deps, { account: accountId, endpointId })), cancelledDeliveries };
}

/** Returns how many deliveries were cancelled at once. @throws AppError `not_found` */
export async function removeEndpoint(
  { database }: { database: Database },
  { account, endpointId }: { account: string; endpointId: string },
  by: Actor,
): Promise<number> {
  const { id: accountId } = await accountOf(database.read, account);
  return database.transaction(async (tx) => {
    const { endpoint } = await lockEndpoint(tx, accountId, endpointId);
    const detail = { origin: new URL(endpoint.url).origin };
    await insertAuditEntry(tx, by, { action: 'webhook.removed', accountId, subject: endpointId, detail });
    return dropEndpoint(tx, endpoint);
  });
}

async function lockEndpoint(tx: Tx, accountId: string, endpointId: string) {
  await lockBalances(tx, [accountId]);
  const all = await findEndpoints(tx, [accountId]);
  const endpoint = all.find(({ id }) => id === endpointId);
  if (!endpoint) throw unknownEndpoint();
  return { endpoint, others: all.filter((other) => other !== endpoint) };
}

async function apply(
  tx: Tx,
  endpoint: Endpoint,
  { url, events, enabled }: Omit<EndpointChange, 'account' | 'endpointId'>,
): Promise<number> {
  const { id } = endpoint;
  let cancelled = 0;
  if (events !== undefined) await setEndpointEvents(tx, id, events);
  if (url !== undefined && url !== endpoint.url) cancelled += await moveEndpoint(tx, endpoint, url);
  if (enabled === true) await enableEndpoint(tx, id);
  if (enabled === false) {
    await disableEndpoints(tx, [{ id, url: url ?? endpoint.url }], 'manual');
    cancelled += await cancelPendingOf(tx, [id], 'endpoint_disabled');
  }
  return cancelled;
}
