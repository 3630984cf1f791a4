import { livingAccountOf } from '../../accounts/account-of.ts';
import { type Actor, insertAuditEntry } from '../../audit/audit-store.ts';
import type { Database } from '../../db/database.ts';
import type { Tx } from '../../db/schema.ts';
import { lockBalances } from '../../ledger/ledger-store.ts';
import type { Clock } from '../../std/clock.ts';
import { newId } from '../../std/ids.ts';
import type { Sealer } from '../../std/sealer.ts';
import { originOf } from '../buckets/bucket-target.ts';
import { ensureSecrets } from '../secrets/secret-store.ts';
import { assertTarget, type CheckTarget } from '../webhook-target.ts';
import { assertNew } from './add-endpoint.ts';
import { addEndpointTo, dropEndpoint, moveEndpoint } from './endpoint-changes.ts';
import { type Endpoint, enableEndpoint, findEndpoints } from './endpoint-store.ts';
import { showWithin, type Webhook } from './show-webhook.ts';

/**
 * The default endpoint of an account: sends its events to `url`, or nowhere for null. Cancels pending deliveries to
 * another URL; the same URL again enables an endpoint that was disabled. Returns how many were cancelled at once; the
 * rest of a very long queue is cancelled when due. Other endpoints of the account stay as they are.
 *
 * @throws AppError `not_found`; `invalid_request` for a URL that may not be called or that another endpoint has
 */
export async function setWebhook(
  deps: { database: Database; clock: Clock; checkTarget: CheckTarget; sealer: Sealer },
  { account, url }: { account: string; url: string | null },
  by: Actor,
): Promise<Webhook & { cancelledDeliveries: number }> {
  const { database, checkTarget } = deps;
  const { id: accountId } = await livingAccountOf(database.read, account);
  if (url !== null) assertTarget(checkTarget, url);
  return database.transaction(async (tx) => {
    await lockBalances(tx, [accountId]);
    await ensureSecrets(tx, deps.sealer, [accountId]);
    const all = await findEndpoints(tx, [accountId]);
    const before = all.find(({ isDefault }) => isDefault);
    const detail = { origin: url && originOf(url), origin_before: before ? originOf(before.url) : null };
    await insertAuditEntry(tx, by, { action: 'webhook.set', accountId, subject: null, detail });
    const others = all.filter((other) => other !== before);
    if (url !== null) assertNew(url, others);
    const cancelledDeliveries = await change(tx, before, url);
    if (url !== null && !before)
      await addEndpointTo(tx, deps.sealer, { id: newId(deps.clock.nowMs()), accountId, url, events: null });
    return { ...(await showWithin(tx, deps.sealer, { accountId })), cancelledDeliveries };
  });
}

async function change(tx: Tx, before: Endpoint | undefined, url: string | null): Promise<number> {
  if (!before) return 0;
  return url === null ? dropEndpoint(tx, before) : changeUrl(tx, before, url);
}

async function changeUrl(tx: Tx, endpoint: Endpoint, url: string): Promise<number> {
  if (endpoint.url !== url) return moveEndpoint(tx, endpoint, url);
  await enableEndpoint(tx, endpoint.id);
  return 0;
}
