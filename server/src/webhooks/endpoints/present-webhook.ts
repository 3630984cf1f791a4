import type { Database } from '../../db/database.ts';
import type { Clock } from '../../std/clock.ts';
import { toIso, toIsoOrNull } from '../../std/iso-time.ts';
import { isBucket } from '../buckets/bucket-target.ts';
import { countDeliveries, type DeliveryCounts } from './delivery-count-store.ts';
import type { EndpointWebhook, Webhook } from './show-webhook.ts';

const healthMs = 7 * 24 * 60 * 60 * 1000;
const none: DeliveryCounts = { delivered: 0, failed: 0, pending: 0 };

interface Deps {
  database: Database;
  clock: Clock;
}

/**
 * The default endpoint of an account. Leaves out the secrets, with which anyone could sign events that receivers accept.
 */
export async function presentWebhook(deps: Deps, webhook: Webhook) {
  const { endpoint, accountId } = webhook;
  const health = endpoint ? (await readCounts(deps, accountId)).get(endpoint.id) : undefined;
  return {
    url: endpoint?.url ?? null,
    created_at: toIsoOrNull(endpoint?.createdAt ?? null),
    failing_since: toIsoOrNull(endpoint?.failingSince ?? null),
    disabled_at: toIsoOrNull(endpoint?.disabledAt ?? null),
    disabled_reason: endpoint?.disabledReason ?? null,
    secret_hint: hintOf(webhook),
    health: health ?? none,
  };
}

/** An endpoint, without its secrets. */
export async function presentEndpoint(deps: Deps, webhook: EndpointWebhook) {
  return describe(webhook, await readCounts(deps, webhook.accountId));
}

/** All endpoints of an account, without their secrets. */
export async function presentEndpoints(deps: Deps, accountId: string, webhooks: readonly EndpointWebhook[]) {
  if (webhooks.length === 0) return [];
  const counts = await readCounts(deps, accountId);
  return webhooks.map((webhook) => describe(webhook, counts));
}

function describe(webhook: EndpointWebhook, counts: ReadonlyMap<string, DeliveryCounts>) {
  const { endpoint } = webhook;
  return {
    endpoint_id: endpoint.id,
    is_default: endpoint.isDefault,
    url: endpoint.url,
    events: endpoint.events,
    enabled: endpoint.disabledAt === null,
    created_at: toIso(endpoint.createdAt),
    failing_since: toIsoOrNull(endpoint.failingSince),
    disabled_at: toIsoOrNull(endpoint.disabledAt),
    disabled_reason: endpoint.disabledReason,
    secret_hint: hintOf(webhook),
    health: counts.get(endpoint.id) ?? none,
  };
}

export function presentSecrets({ secrets }: Pick<Webhook, 'secrets'>) {
  return secrets.flatMap(({ secret, expiresAt }) =>
    secret === null ? [] : [{ secret, expires_at: toIsoOrNull(expiresAt) }],
  );
}

function readCounts({ database, clock }: Deps, accountId: string): Promise<Map<string, DeliveryCounts>> {
  return countDeliveries(database.reports, { accountId, sinceMs: clock.nowMs() - healthMs });
}

function hintOf({ endpoint, secrets }: Webhook): string {
  if (endpoint && isBucket(endpoint.url)) return '';
  return `whsec_…${secrets[0]?.secret?.slice(-4) ?? ''}`;
}
