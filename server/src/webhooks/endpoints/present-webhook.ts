import type { Database } from '../../db/database.ts';
import type { Clock } from '../../std/clock.ts';
import { toIsoOrNull } from '../../std/iso-time.ts';
import { countDeliveries } from '../deliveries/delivery-count-store.ts';
import type { Webhook } from './show-webhook.ts';

const healthMs = 7 * 24 * 60 * 60 * 1000;

/** Leaves out the secrets, with which anyone could sign events that receivers accept. */
export async function presentWebhook(
  { database, clock }: { database: Database; clock: Clock },
  { endpoint, secrets, accountId }: Webhook,
) {
  const health = await countDeliveries(database.read, { accountId, sinceMs: clock.nowMs() - healthMs });
  return {
    url: endpoint?.url ?? null,
    created_at: toIsoOrNull(endpoint?.createdAt ?? null),
    failing_since: toIsoOrNull(endpoint?.failingSince ?? null),
    disabled_at: toIsoOrNull(endpoint?.disabledAt ?? null),
    disabled_reason: endpoint?.disabledReason ?? null,
    secret_hint: `whsec_…${secrets[0]?.secret?.slice(-4) ?? ''}`,
    health,
  };
}

export function presentSecrets({ secrets }: Webhook) {
  return secrets.flatMap(({ secret, expiresAt }) =>
    secret === null ? [] : [{ secret, expires_at: toIsoOrNull(expiresAt) }],
  );
}
