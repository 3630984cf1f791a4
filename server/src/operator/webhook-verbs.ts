import type { Actor } from '../accounts/audit-store.ts';
import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import type { Guard } from '../guard/guard.ts';
import type { Clock } from '../std/clock.ts';
import { toIso, toIsoOrNull } from '../std/iso-time.ts';
import type { Sealer } from '../std/sealer.ts';
import type { DeliveryStatus } from '../webhooks/deliveries/delivery.ts';
import { type Delivery, listDeliveries } from '../webhooks/deliveries/delivery-store.ts';
import { type ReplayRequest, replayDeliveries } from '../webhooks/deliveries/replay-deliveries.ts';
import { accountOf } from '../webhooks/endpoints/account-of.ts';
import { addEndpoint, type NewEndpoint } from '../webhooks/endpoints/add-endpoint.ts';
import {
  changeEndpoint,
  type EndpointChange,
  removeEndpoint,
} from '../webhooks/endpoints/change-endpoint.ts';
import { revealWebhook } from '../webhooks/endpoints/reveal-webhook.ts';
import { rotateSecret } from '../webhooks/endpoints/rotate-secret.ts';
import { setWebhook } from '../webhooks/endpoints/set-webhook.ts';
import { type EndpointName, listWebhooks, type Webhook } from '../webhooks/endpoints/show-webhook.ts';
import { testWebhook } from '../webhooks/endpoints/test-webhook.ts';
import type { CheckTarget } from '../webhooks/endpoints/webhook-target.ts';

const maxListed = 100;

/** Webhooks. */
export function webhookVerbs(
  deps: {
    database: Database;
    clock: Clock;
    guard: Pick<Guard, 'agent'>;
    checkTarget: CheckTarget;
    openSealer: () => Promise<Sealer>;
  },
  by: Actor,
) {
  const withSealer = async () => ({ ...deps, sealer: await deps.openSealer() });
  return {
    async setWebhook(webhook: { account: string; url: string | null }) {
      const { cancelledDeliveries, ...set } = await setWebhook(await withSealer(), webhook, by);
      return { ...presentWebhook(set), cancelled_deliveries: cancelledDeliveries };
    },
    async listEndpoints({ account }: { account: string }) {
      const webhooks = await listWebhooks(await withSealer(), { account });
      return webhooks.map((webhook) => presentWebhook({ ...webhook, secrets: [] }));
    },
    async addEndpoint(endpoint: NewEndpoint) {
      return presentWebhook(await addEndpoint(await withSealer(), endpoint, by));
    },
    async changeEndpoint(change: EndpointChange) {
      const { cancelledDeliveries, ...changed } = await changeEndpoint(await withSealer(), change, by);
      return { ...presentWebhook(changed), cancelled_deliveries: cancelledDeliveries };
    },
    async removeEndpoint(endpoint: { account: string; endpointId: string }) {
      return { cancelled_deliveries: await removeEndpoint(deps, endpoint, by) };
    },
    async showWebhook(webhook: EndpointName) {
      return presentWebhook(await revealWebhook(await withSealer(), webhook, by));
    },
    async rotateWebhookSecret(webhook: EndpointName & { leaked?: boolean }) {
      return presentWebhook(await rotateSecret(await withSealer(), webhook, by));
    },
    async testWebhook(webhook: EndpointName & { url?: string }) {
      const { url, webhookId, status, failure, durationMs, answer } = await testWebhook(
        await withSealer(),
        webhook,
      );
      return {
        url,
        webhook_id: webhookId,
        ok: failure === null,
        status,
        failure,
        duration_ms: durationMs,
        answer,
      };
    },
    async listDeliveries({ account, limit = 20, ...filter }: ListRequest) {
      if (!Number.isInteger(limit) || limit < 1 || limit > maxListed) {
        throw new AppError('invalid_request', `A list has 1 to ${maxListed} deliveries.`);
      }
      const { id: accountId } = await accountOf(deps.database.read, account);
      return (await listDeliveries(deps.database.read, { accountId, limit, ...filter })).map(presentDelivery);
    },
    async replayDeliveries(request: ReplayRequest) {
      return { deliveries: await replayDeliveries(deps, request, by) };
    },
  };
}

interface ListRequest {
  account: string;
  status?: DeliveryStatus;
  eventId?: string;
  endpointId?: string;
  before?: number;
  limit?: number;
}

function presentWebhook({ accountId, endpoint, secrets }: Webhook) {
  return {
    account_id: accountId,
    endpoint_id: endpoint?.id ?? null,
    is_default: endpoint?.isDefault ?? false,
    url: endpoint?.url ?? null,
    events: endpoint?.events ?? null,
    failing_since: toIsoOrNull(endpoint?.failingSince ?? null),
    disabled_at: toIsoOrNull(endpoint?.disabledAt ?? null),
    disabled_reason: endpoint?.disabledReason ?? null,
    secrets: secrets.flatMap(({ secret, expiresAt }) =>
      secret === null ? [] : [{ secret, expires_at: toIsoOrNull(expiresAt) }],
    ),
  };
}

function presentDelivery(delivery: Delivery) {
  return {
    delivery_id: delivery.id,
    event_id: delivery.eventId,
    type: delivery.type,
    job_id: delivery.jobId,
    endpoint_id: delivery.endpointId,
    url: delivery.url,
    status: delivery.status,
    failure: delivery.failure,
    created_at: toIso(delivery.createdAt),
    ended_at: toIsoOrNull(delivery.endedAt),
    next_attempt_at: toIsoOrNull(delivery.nextAttemptAt),
    attempts: delivery.attempts.map(({ at, durationMs, ...attempt }) => ({
      ...attempt,
      at: toIso(at),
      duration_ms: durationMs,
    })),
  };
}
