import { accountOf } from '../accounts/account-of.ts';
import type { BodyOf } from '../api/account-call.ts';
import { endpointCalls } from '../api/nouns/webhooks/endpoint-calls.ts';
import { webhookCalls } from '../api/nouns/webhooks/webhook-calls.ts';
import type { Actor } from '../audit/audit-store.ts';
import type { Database } from '../db/database.ts';
import { invalidField } from '../errors.ts';
import type { Guard } from '../guard/guard.ts';
import { readCursor, toPage, writeCursor } from '../http/cursor.ts';
import { assertKnownDeliveries } from '../jobs/known-filters.ts';
import type { Clock } from '../std/clock.ts';
import type { Sealer } from '../std/sealer.ts';
import type { OpaqueIds } from '../std/sealing/opaque-ids.ts';
import { listDeliveries } from '../webhooks/deliveries/delivery-store.ts';
import { presentAttempt, presentDelivery } from '../webhooks/deliveries/present-delivery.ts';
import { replayDeliveries } from '../webhooks/deliveries/replay-deliveries.ts';
import type { DeliveryStatus } from '../webhooks/delivery.ts';
import { eventIdOf } from '../webhooks/event-store.ts';
import type { CheckTarget } from '../webhooks/webhook-target.ts';
import { askedOf } from './asked.ts';

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

type WebhookCalls = ReturnType<typeof webhookCalls>;
type EndpointCalls = ReturnType<typeof endpointCalls>;

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
  const asked = <Body>(account: string, body: Body) => askedOf(database, by, { account, body });
  const calls = async () => {
    const withSealer = { ...deps, sealer: await deps.openSealer() };
    return { webhook: webhookCalls(withSealer), endpoint: endpointCalls(withSealer) };
  };
  return {
    /** The default endpoint; null removes it. */
    async setWebhook(account: string, body: BodyOf<WebhookCalls['set']>) {
      const { webhook } = await calls();
      return webhook.set.handle(await asked(account, body));
    },
    async listEndpoints(account: string) {
      const { endpoint } = await calls();
      return (await endpoint.list.handle(await asked(account, undefined))).data;
    },
    async addEndpoint(account: string, body: BodyOf<EndpointCalls['add']>) {
      const { endpoint } = await calls();
      return endpoint.add.handle(await asked(account, body));
    },
    async changeEndpoint(account: string, endpoint_id: string, body: BodyOf<EndpointCalls['change']>) {
      const { endpoint } = await calls();
      return endpoint.change.handle({ ...(await asked(account, body)), params: { endpoint_id } });
    },
    async removeEndpoint(account: string, endpoint_id: string) {
      const { endpoint } = await calls();
      return endpoint.remove.handle({ ...(await asked(account, undefined)), params: { endpoint_id } });
    },
    /** With its secrets, which the audit log notes. */
    async showWebhook(account: string, body: BodyOf<WebhookCalls['reveal']> = {}) {
      const { webhook } = await calls();
      return webhook.reveal.handle(await asked(account, body));
    },
    async rotateWebhookSecret(account: string, body: BodyOf<WebhookCalls['rotate']> = {}) {
      const { webhook } = await calls();
      return webhook.rotate.handle(await asked(account, body));
    },
    async testWebhook(account: string, body: BodyOf<WebhookCalls['test']> = {}) {
      const { webhook } = await calls();
      return webhook.test.handle(await asked(account, body));
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
