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
import { addEndpointTo } from './endpoint-changes.ts';
import { type Endpoint, findEndpoints, maxEndpoints } from './endpoint-store.ts';
import { type EndpointWebhook, showEndpointWithin } from './show-webhook.ts';

export interface NewEndpoint {
  account: string;
  url: string;
  /** The types of events to send; absent or null for all. */
  events?: EventType[] | null;
  credentials?: BucketKeyJson;
}

/** @throws AppError `not_found`; `invalid_request` for a bad or repeated URL, a missing key or too many endpoints */
export async function addEndpoint(
  deps: { database: Database; clock: Clock; checkTarget: CheckTarget; sealer: Sealer },
  { account, url, events = null, credentials }: NewEndpoint,
  by: Actor,
): Promise<EndpointWebhook> {
  const { id: accountId } = await livingAccountOf(deps.database.read, account);
  assertTarget(deps.checkTarget, reachedAt(url));
  assertKeyFits(url, credentials, true);
  const wanted = isBucket(url) ? copiedEvents(events) : events;
  const id = newId(deps.clock.nowMs());
  return deps.database.transaction(async (tx) => {
    await lockBalances(tx, [accountId]);
    await addWithin(tx, deps.sealer, { id, accountId, url, events: wanted }, by);
    if (credentials) await writeBucketKey(tx, deps.sealer, id, credentials);
    return showEndpointWithin(tx, deps.sealer, { accountId, endpointId: id });
  });
}

/** Adds an endpoint to a locked account. @throws AppError `invalid_request` */
export async function addWithin(
  tx: Tx,
  sealer: Sealer,
  endpoint: Pick<Endpoint, 'id' | 'accountId' | 'url' | 'events'>,
  by: Actor,
): Promise<void> {
  const { id, accountId, url, events } = endpoint;
  const others = await findEndpoints(tx, [accountId]);
  if (others.length >= maxEndpoints)
    throw invalidField('/url', `is one too many: an account has at most ${maxEndpoints} endpoints.`);
  assertNew(url, others);
  await addEndpointTo(tx, sealer, endpoint);
  const detail = { origin: originOf(url), events: events?.join(', ') ?? 'all' };
  await insertAuditEntry(tx, by, { action: 'webhook.added', accountId, subject: id, detail });
}

/** Returns the events whose images a bucket can copy. @throws AppError `invalid_request` for other events */
export function copiedEvents(events: EventType[] | null): EventType[] {
  if (events?.some((type) => type !== 'job.done'))
    throw invalidField('/events', 'of a bucket can only be "job.done", whose images are copied there.');
  return ['job.done'];
}

/** Refuses a second endpoint at the same address, because the address would get every event twice. */
export function assertNew(url: string, others: readonly Endpoint[]): void {
  if (others.some((other) => other.url === url))
    throw invalidField('/url', 'is the address of another endpoint of this account already.');
}
