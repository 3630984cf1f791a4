import { accountOf } from '../accounts/account-of.ts';
import type { Actor } from '../audit/audit-store.ts';
import type { Database } from '../db/database.ts';
import { invalidField } from '../errors.ts';
import type { Guard } from '../guard/guard.ts';
import { readCursor, toPage, writeCursor } from '../http/cursor.ts';
import { assertKnownDeliveries } from '../jobs/known-filters.ts';
import type { Clock } from '../std/clock.ts';
import { toIsoOrNull } from '../std/iso-time.ts';
import type { Sealer } from '../std/sealer.ts';
import type { OpaqueIds } from '../std/sealing/opaque-ids.ts';
import type { BucketKeyJson } from '../webhooks/buckets/bucket-key.ts';
import { listDeliveries } from '../webhooks/deliveries/delivery-store.ts';
import { presentAttempt, presentDelivery } from '../webhooks/deliveries/present-delivery.ts';
import { replayDeliveries } from '../webhooks/deliveries/replay-deliveries.ts';
import type { DeliveryStatus } from '../webhooks/delivery.ts';
import { addEndpoint, type NewEndpoint } from '../webhooks/endpoints/add-endpoint.ts';
import { changeEndpoint, removeEndpoint } from '../webhooks/endpoints/change-endpoint.ts';
import { presentSecrets } from '../webhooks/endpoints/present-webhook.ts';
import { revealWebhook } from '../webhooks/endpoints/reveal-webhook.ts';
import { rotateSecret } from '../webhooks/endpoints/rotate-secret.ts';
import { setWebhook } from '../webhooks/endpoints/set-webhook.ts';
import { listWebhooks, type Webhook } from '../webhooks/endpoints/show-webhook.ts';
import { testWebhook } from '../webhooks/endpoints/test-webhook.ts';
import { eventIdOf } from '../webhooks/event-store.ts';
import type { EventType } from '../webhooks/event-types.ts';
import type { CheckTarget } from '../webhooks/webhook-target.ts';

export interface WebhookVerbDeps {
  database: Database;
  clock: Clock;
  guard: Pick<Guard, 'agent'>;
  checkTarget: CheckTarget;
  openSealer(): Promise<Sealer>;
  openIds(): Promise<OpaqueIds>;
}

/** One endpoint of the account; the default one when it is left out. */
export interface EndpointJson {
  endpoint_id?: string;
}

export interface EndpointChangeJson {
  /** What waits for the address before is cancelled. */
  url?: string;
  /** Null: all. */
  events?: EventType[] | null;
  /** A disabled endpoint gets nothing, and what waits for it is cancelled. */
  enabled?: boolean;
  /** Of a bucket, instead of those before. */
  credentials?: BucketKeyJson;
}

export interface DeliveryListJson extends EndpointJson {
  status?: DeliveryStatus;
  event_id?: string;
  job_id?: string;
  cursor?: string;
  limit?: number;
}

export interface ReplayJson extends EndpointJson {
  /** ISO 8601: only events since then; all stored events when left out. */
  since?: string;
  /** Only this event, delivered or not. */
  event_id?: string;
  /** Also what was delivered before. */
  delivered?: boolean;
}

const mostListed = 100;

/** Where the events of accounts go, and what was sent there. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of verbs
export function webhookVerbs(deps: WebhookVerbDeps, by: Actor) {
  const { database } = deps;
  const withSealer = async () => ({ ...deps, sealer: await deps.openSealer() });
  return {
    /** The default endpoint; null removes it. */
    async setWebhook(account: string, { url }: { url: string | null }) {
      const { cancelledDeliveries, ...set } = await setWebhook(await withSealer(), { account, url }, by);
      return { ...presentWebhook(set), cancelled_deliveries: cancelledDeliveries };
    },
    async listEndpoints(account: string) {
      const webhooks = await listWebhooks(await withSealer(), { account });
      return webhooks.map((webhook) => presentWebhook({ ...webhook, secrets: [] }));
    },
    async addEndpoint(account: string, endpoint: Omit<NewEndpoint, 'account'>) {
      return presentWebhook(await addEndpoint(await withSealer(), { account, ...endpoint }, by));
    },
    async changeEndpoint(account: string, endpointId: string, change: EndpointChangeJson) {
      const request = { account, endpointId, ...change };
      const { cancelledDeliveries, ...changed } = await changeEndpoint(await withSealer(), request, by);
      const shown = presentWebhook({ ...changed, secrets: [] });
      return { ...shown, cancelled_deliveries: cancelledDeliveries };
    },
    async removeEndpoint(account: string, endpointId: string) {
      return { cancelled_deliveries: await removeEndpoint(deps, { account, endpointId }, by) };
    },
    /** With its secrets, which the audit log notes. */
    async showWebhook(account: string, { endpoint_id: endpointId }: EndpointJson = {}) {
      return presentWebhook(await revealWebhook(await withSealer(), { account, endpointId }, by));
    },
    async rotateWebhookSecret(
      account: string,
      { endpoint_id: endpointId, leaked = false }: EndpointJson & { leaked?: boolean } = {},
    ) {
      return presentWebhook(await rotateSecret(await withSealer(), { account, endpointId, leaked }, by));
    },
    async testWebhook(
      account: string,
      { endpoint_id: endpointId, url: other }: EndpointJson & { url?: string } = {},
    ) {
      const name = { account, endpointId, ...(other !== undefined && { url: other }) };
      const { url, webhookId, status, failure, durationMs, answer } = await testWebhook(
        await withSealer(),
        name,
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
    /** The newest first, each with its attempts. */
    async listDeliveries(account: string, query: DeliveryListJson = {}) {
      const { status, event_id, job_id, endpoint_id, cursor, limit = mostListed } = query;
      const [before] = readCursor(cursor, ['number']) ?? [];
      const { id: accountId } = await accountOf(database.read, account);
      const named = { eventId: event_id, jobId: job_id, endpointId: endpoint_id };
      await assertKnownDeliveries(database.read, accountId, named);
      const eventId = job_id === undefined ? event_id : eventIdOf(job_id);
      const deliveries = await listDeliveries(database.reports, {
        accountId,
        limit: limit + 1,
        ...(status && { status }),
        ...(eventId !== undefined && { eventId }),
        ...(endpoint_id !== undefined && { endpointId: endpoint_id }),
        ...(before !== undefined && { before }),
      });
      const { data, next_cursor } = toPage(deliveries, limit, ({ id }) => writeCursor([id]));
      const ids = await deps.openIds();
      const shown = data.map((delivery) => ({
        ...presentDelivery(ids, delivery),
        history: delivery.attempts.map(presentAttempt),
      }));
      return { data: shown, next_cursor };
    },
    /** Delivers again what is not on its way, under the same ids. */
    async replayDeliveries(account: string, { since, event_id, endpoint_id, delivered }: ReplayJson = {}) {
      const request = {
        account,
        ...(since !== undefined && { sinceMs: agoOf(since, deps.clock) }),
        ...(event_id !== undefined && { eventId: event_id }),
        ...(endpoint_id !== undefined && { endpointId: endpoint_id }),
        ...(delivered !== undefined && { delivered }),
      };
      return { replayed: await replayDeliveries(deps, request, by) };
    },
  };
}

/** @throws AppError `invalid_request` */
function agoOf(since: string, clock: Clock): number {
  const from = Date.parse(since);
  if (!Number.isFinite(from)) throw invalidField('/since', 'must be a time such as 2026-11-20T00:00:00Z.');
  return Math.max(0, clock.nowMs() - from);
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
    secrets: presentSecrets({ secrets }),
  };
}
