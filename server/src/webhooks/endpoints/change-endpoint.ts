import { livingAccountOf } from '../../accounts/account-of.ts';
import { type Actor, insertAuditEntry } from '../../audit/audit-store.ts';
import type { Database } from '../../db/database.ts';
import type { Tx } from '../../db/schema.ts';
import { invalidField } from '../../errors.ts';
import { lockBalances } from '../../ledger/ledger-store.ts';
import type { Sealer } from '../../std/sealer.ts';
import { assertKeyFits, type BucketKeyJson, writeBucketKey } from '../buckets/bucket-key.ts';
import { isBucket, originOf, reachedAt } from '../buckets/bucket-target.ts';
import type { EventType } from '../event-types.ts';
import { assertTarget, type CheckTarget } from '../webhook-target.ts';
import { assertNew, copiedEvents } from './add-endpoint.ts';
import { dropEndpoint, moveEndpoint } from './endpoint-changes.ts';
import {
  disableEndpoints,
  type Endpoint,
  enableEndpoint,
  findEndpoints,
  setEndpointEvents,
} from './endpoint-store.ts';
import { cancelPendingOf } from './pending-delivery-store.ts';
import { type EndpointWebhook, showEndpointWithin, unknownEndpoint } from './show-webhook.ts';

export interface EndpointChange {
  account: string;
  endpointId: string;
  /** What waits for the address before is cancelled. */
  url?: string;
  /** Null: all. */
  events?: EventType[] | null;
  /** A disabled endpoint gets nothing, and what waits for it is cancelled. */
  enabled?: boolean;
  /** Of a bucket, instead of those before. */
  credentials?: BucketKeyJson;
}

/**
 * Changes what is given. Returns also how many deliveries were cancelled at once.
 *
 * @throws AppError `not_found`; `invalid_request` for a URL that may not be called or that another endpoint has,
 * and for a bucket that would become a webhook or the other way round
 */
export async function changeEndpoint(
  deps: { database: Database; checkTarget: CheckTarget; sealer: Sealer },
  { account, endpointId, ...change }: EndpointChange,
  by: Actor,
): Promise<EndpointWebhook & { cancelledDeliveries: number }> {
  if (change.url !== undefined) assertTarget(deps.checkTarget, reachedAt(change.url));
  const { id: accountId } = await livingAccountOf(deps.database.read, account);
  return deps.database.transaction(async (tx) => {
    const { endpoint, others } = await lockEndpoint(tx, accountId, endpointId);
    if (change.url !== undefined) assertNew(change.url, others);
    assertSameKind(endpoint, change);
    const { credentials } = change;
    if (credentials) await writeBucketKey(tx, deps.sealer, endpointId, credentials);
    const cancelledDeliveries = await apply(tx, endpoint, change);
    const detail = {
      ...(change.url !== undefined && {
        origin: originOf(change.url),
        origin_before: originOf(endpoint.url),
      }),
      ...(change.events !== undefined && {
        events: change.events?.join(', ') ?? 'all',
        events_before: endpoint.events?.join(', ') ?? 'all',
      }),
      ...(change.enabled !== undefined && {
        enabled: change.enabled ? 'yes' : 'no',
        enabled_before: endpoint.disabledAt === null ? 'yes' : 'no',
      }),
      ...(credentials && { credentials: 'replaced' }),
    };
    await insertAuditEntry(tx, by, { action: 'webhook.changed', accountId, subject: endpointId, detail });
    return { ...(await showEndpointWithin(tx, deps.sealer, { accountId, endpointId })), cancelledDeliveries };
  });
}

/** Returns how many deliveries were cancelled at once. @throws AppError `not_found` */
export async function removeEndpoint(
  { database }: { database: Database },
  { account, endpointId }: { account: string; endpointId: string },
  by: Actor,
): Promise<number> {
  const { id: accountId } = await livingAccountOf(database.read, account);
  return database.transaction(async (tx) => {
    const { endpoint } = await lockEndpoint(tx, accountId, endpointId);
    const detail = { origin: originOf(endpoint.url) };
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

/** A bucket stays one, and so does a webhook: what is kept and wanted differs. @throws AppError `invalid_request` */
function assertSameKind(endpoint: Endpoint, { url = endpoint.url, credentials }: Partial<EndpointChange>) {
  if (isBucket(url) !== isBucket(endpoint.url))
    throw invalidField('/url', 'cannot turn a webhook into a bucket or back: add another endpoint.');
  assertKeyFits(url, credentials, false);
}

async function apply(
  tx: Tx,
  endpoint: Endpoint,
  { url, events, enabled }: Omit<EndpointChange, 'account' | 'endpointId' | 'credentials'>,
): Promise<number> {
  const { id } = endpoint;
  let cancelled = 0;
  if (events !== undefined)
    await setEndpointEvents(tx, id, isBucket(endpoint.url) ? copiedEvents(events) : events);
  if (url !== undefined && url !== endpoint.url) cancelled += await moveEndpoint(tx, endpoint, url);
  if (enabled === true) await enableEndpoint(tx, id);
  if (enabled === false) {
    await disableEndpoints(tx, [{ id, url: url ?? endpoint.url }], 'manual');
    cancelled += await cancelPendingOf(tx, [id], 'endpoint_disabled');
  }
  return cancelled;
}
