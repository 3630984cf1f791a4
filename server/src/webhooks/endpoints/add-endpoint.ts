import { type Actor, insertAuditEntry } from '../../accounts/audit-store.ts';
import type { Database } from '../../db/database.ts';
import { invalidField } from '../../errors.ts';
import { lockBalances } from '../../ledger/ledger-store.ts';
import type { Clock } from '../../std/clock.ts';
import { newId } from '../../std/ids.ts';
import type { Sealer } from '../../std/sealer.ts';
import type { EventType } from '../event-types.ts';
import { accountOf } from './account-of.ts';
import { addEndpointTo } from './endpoint-changes.ts';
import { type Endpoint, findEndpoints, maxEndpoints } from './endpoint-store.ts';
import { type EndpointWebhook, showEndpoint } from './show-webhook.ts';
import { assertTarget, type CheckTarget } from './webhook-target.ts';

export interface NewEndpoint {
  account: string;
  url: string;
  /** The types that it wants; all when left out or null. */
  events?: EventType[] | null;
}

/**
 * Sends the events of an account to one more address.
 *
 * @throws AppError `not_found`; `invalid_request` for a URL that may not be called or that is one already, and for one
 * endpoint too many
 */
export async function addEndpoint(
  deps: { database: Database; clock: Clock; checkTarget: CheckTarget; sealer: Sealer },
  { account, url, events = null }: NewEndpoint,
  by: Actor,
): Promise<EndpointWebhook> {
  const { id: accountId } = await accountOf(deps.database.read, account);
  assertTarget(deps.checkTarget, url);
  const id = newId(deps.clock.nowMs());
  await deps.database.transaction(async (tx) => {
    await lockBalances(tx, [accountId]);
    const others = await findEndpoints(tx, [accountId]);
    if (others.length >= maxEndpoints)
      throw invalidField('/url', `is one too many: an account has at most ${maxEndpoints} endpoints.`);
    assertNew(url, others);
    await addEndpointTo(tx, deps.sealer, { id, accountId, url, events });
    // Only the origin is logged: receivers often put a secret in the path.
    const detail = { origin: new URL(url).origin, events: events?.join(', ') ?? 'all' };
    await insertAuditEntry(tx, by, { action: 'webhook.added', accountId, subject: id, detail });
  });
  return showEndpoint(deps, { account: accountId, endpointId: id });
}

/** Two endpoints at one address would get every event twice. @throws AppError `invalid_request` */
export function assertNew(url: string, others: readonly Endpoint[]): void {
  if (others.some((other) => other.url === url))
    throw invalidField('/url', 'is the address of another endpoint of this account already.');
}
