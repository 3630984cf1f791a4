import { livingAccountOf } from '../../../accounts/account-of.ts';
import { type Actor, insertAuditEntry } from '../../../base/audit/audit-store.ts';
import type { Database } from '../../../base/db/database.ts';
import type { Tx } from '../../../base/db/schema.ts';
import type { Clock } from '../../../base/std/clock.ts';
import { newId } from '../../../base/std/ids.ts';
import type { Sealer } from '../../../base/std/sealer.ts';
import { invalidField } from '../../../errors.ts';
import { lockBalances } from '../../../money/ledger/ledger-store.ts';
import { assertKeyFits, type BucketKeyJson, writeBucketKey } from '../buckets/bucket-key.ts';
import { isBucket, originOf, reachedAt } from '../buckets/bucket-target.ts';
import type { EventType } from '../event-types.ts';
import { assertTarget, type CheckTarget } from '../webhook-target.ts';
import { addWithin, assertNew, copiedEvents } from './add-endpoint.ts';
import { dropEndpoint, moveEndpoint } from './endpoint-changes.ts';
import {
  disableEndpoints,
  type Endpoint,
  enableEndpoint,
  findEndpoints,
  isNamed,
  setEndpointEvents,
} from './endpoint-store.ts';
import { cancelPendingOf } from './pending-delivery-store.ts';
import {
  type EndpointName,
  type EndpointWebhook,
  showEndpointWithin,
  unknownEndpoint,
} from './show-webhook.ts';

export interface EndpointChange extends EndpointName {
  /** A new URL cancels deliveries that are waiting for the old one. */
  url?: string;
  /** Null: all. */
  events?: EventType[] | null;
  /** A disabled endpoint gets nothing, and its waiting deliveries are cancelled. */
  enabled?: boolean;
  credentials?: BucketKeyJson;
}

interface WriteDeps {
  database: Database;
  checkTarget: CheckTarget;
  sealer: Sealer;
}

type ChangedEndpoint = EndpointWebhook & { cancelledDeliveries: number };

/** @throws AppError `not_found`; `invalid_request` for a bad or repeated URL, or a webhook that becomes a bucket */
export async function changeEndpoint(
  deps: WriteDeps,
  change: EndpointChange,
  by: Actor,
): Promise<ChangedEndpoint> {
  return write(deps, change, by, () => Promise.reject(unknownEndpoint()));
}

/** Replaces an endpoint, or adds the default one if there is none. @throws AppError as `changeEndpoint` */
export async function replaceEndpoint(
  deps: WriteDeps & { clock: Clock },
  { url, events = null, enabled = true, ...given }: EndpointChange & { url: string },
  by: Actor,
): Promise<ChangedEndpoint> {
  const whole = { ...given, url, events, enabled };
  return write(deps, whole, by, async (tx, accountId) => {
    if (given.endpointId !== undefined) throw unknownEndpoint();
    if (isBucket(url))
      throw invalidField(
        '/url',
        'of the default endpoint cannot be a bucket: add the bucket as another endpoint.',
      );
    const id = newId(deps.clock.nowMs());
    await addWithin(tx, deps.sealer, { id, accountId, url, events }, by);
    if (!enabled) await disableEndpoints(tx, [{ id, url }], 'manual');
    return showEndpointWithin(tx, deps.sealer, { accountId, endpointId: id });
  });
}

/**
 * Removes an endpoint and cancels its waiting deliveries; the audit entry says how many.
 * @throws AppError `not_found`
 */
export async function removeEndpoint(
  { database }: { database: Database },
  { account, endpointId }: EndpointName,
  by: Actor,
): Promise<void> {
  const { id: accountId } = await livingAccountOf(database.read, account);
  await database.transaction(async (tx) => {
    const { endpoint } = await lockEndpoint(tx, accountId, endpointId);
    if (!endpoint) throw unknownEndpoint();
    const cancelled_deliveries = await dropEndpoint(tx, endpoint);
    const detail = { origin: originOf(endpoint.url), cancelled_deliveries };
    await insertAuditEntry(tx, by, { action: 'webhook.removed', accountId, subject: endpoint.id, detail });
  });
}

async function write(
  { database, checkTarget, sealer }: WriteDeps,
  { account, endpointId, ...change }: EndpointChange,
  by: Actor,
  orElse: (tx: Tx, accountId: string) => Promise<EndpointWebhook>,
): Promise<ChangedEndpoint> {
  if (change.url !== undefined) assertTarget(checkTarget, reachedAt(change.url));
  const { id: accountId } = await livingAccountOf(database.read, account);
  return database.transaction(async (tx) => {
    const { endpoint, others } = await lockEndpoint(tx, accountId, endpointId);
    if (!endpoint) return { ...(await orElse(tx, accountId)), cancelledDeliveries: 0 };
    if (change.url !== undefined) assertNew(change.url, others);
    assertSameKind(endpoint, change);
    const { id } = endpoint;
    if (change.credentials) await writeBucketKey(tx, sealer, id, change.credentials);
    const cancelledDeliveries = await apply(tx, endpoint, change);
    const detail = describe(endpoint, change);
    await insertAuditEntry(tx, by, { action: 'webhook.changed', accountId, subject: id, detail });
    return { ...(await showEndpointWithin(tx, sealer, { accountId, endpointId: id })), cancelledDeliveries };
  });
}

async function lockEndpoint(tx: Tx, accountId: string, endpointId: string | undefined) {
  await lockBalances(tx, [accountId]);
  const all = await findEndpoints(tx, [accountId]);
  const endpoint = all.find(isNamed(endpointId));
  return { endpoint, others: all.filter((other) => other !== endpoint) };
}

function describe(before: Endpoint, { url, events, enabled, credentials }: Omit<EndpointChange, 'account'>) {
  return {
    ...(url !== undefined && { origin: originOf(url), origin_before: originOf(before.url) }),
    ...(events !== undefined && {
      events: events?.join(', ') ?? 'all',
      events_before: before.events?.join(', ') ?? 'all',
    }),
    ...(enabled !== undefined && {
      enabled: enabled ? 'yes' : 'no',
      enabled_before: before.disabledAt === null ? 'yes' : 'no',
    }),
    ...(credentials && { credentials: 'replaced' }),
  };
}

/** A webhook cannot become a bucket, nor a bucket a webhook, because their keys and events differ. */
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
