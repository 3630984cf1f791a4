import { type Actor, insertAuditEntry } from '../../accounts/audit-store.ts';
import type { Database } from '../../db/database.ts';
import { lockBalances } from '../../ledger/ledger-store.ts';
import type { Clock } from '../../std/clock.ts';
import { newId } from '../../std/ids.ts';
import type { Sealer } from '../../std/sealer.ts';
import { cancelPendingOf } from '../deliveries/delivery-store.ts';
import { accountOf } from './account-of.ts';
import { deleteEndpoint, enableEndpoint, findEndpoint, putEndpoint } from './endpoint-store.ts';
import { ensureSecrets } from './secret-store.ts';
import { showWebhook, type Webhook } from './show-webhook.ts';
import { assertTarget, type CheckTarget } from './webhook-target.ts';

/**
 * Sends the webhooks of an account to `url`, or nowhere for null. Cancels pending deliveries to another URL;
 * the same URL again enables an endpoint that was disabled. Returns how many were cancelled at once; the rest
 * of a very long queue is cancelled when due.
 *
 * @throws AppError `not_found`; `invalid_request` for a URL that may not be called
 */
export async function setWebhook(
  deps: { database: Database; clock: Clock; checkTarget: CheckTarget; sealer: Sealer },
  { account, url }: { account: string; url: string | null },
  by: Actor,
): Promise<Webhook & { cancelledDeliveries: number }> {
  const { database, clock, checkTarget } = deps;
  const { id: accountId } = await accountOf(database.read, account);
  if (url !== null) assertTarget(checkTarget, url);
  const cancelledDeliveries = await database.transaction(async (tx) => {
    // Jobs that end at this moment insert their deliveries under the same lock, so none goes to the old
    // endpoint.
    await lockBalances(tx, [accountId]);
    await ensureSecrets(tx, deps.sealer, [accountId]);
    // Only the origin is logged: receivers often put a secret in the path.
    const origin = url === null ? null : new URL(url).origin;
    await insertAuditEntry(tx, by, { action: 'webhook.set', accountId, subject: null, detail: { origin } });
    const before = await findEndpoint(tx, accountId);
    if (before && before.url === url) {
      await enableEndpoint(tx, before.id);
      return 0;
    }
    if (url === null) await deleteEndpoint(tx, accountId);
    else await putEndpoint(tx, { id: newId(clock.nowMs()), accountId, url });
    const reason = url === null ? 'endpoint_removed' : 'endpoint_replaced';
    return before ? cancelPendingOf(tx, [before.id], reason) : 0;
  });
  return { ...(await showWebhook(deps, { account: accountId })), cancelledDeliveries };
}
