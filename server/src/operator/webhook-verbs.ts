import type { BodyOf } from '../api/account-call.ts';
import { listOwnDeliveries, replayMany } from '../api/nouns/deliveries/delivery-calls.ts';
import { endpointCalls } from '../api/nouns/webhooks/endpoint-calls.ts';
import { webhookCalls } from '../api/nouns/webhooks/webhook-calls.ts';
import type { Actor } from '../audit/audit-store.ts';
import type { Database } from '../db/database.ts';
import type { Guard } from '../guard/guard.ts';
import type { Clock } from '../std/clock.ts';
import type { Sealer } from '../std/sealer.ts';
import type { OpaqueIds } from '../std/sealing/opaque-ids.ts';
import type { DeliveryStatus } from '../webhooks/delivery.ts';
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

type WebhookCalls = ReturnType<typeof webhookCalls>;
type EndpointCalls = ReturnType<typeof endpointCalls>;

export interface DeliveryListJson {
  endpoint_id?: string;
  status?: DeliveryStatus;
  event_id?: string;
  job_id?: string;
  cursor?: string;
  limit?: number;
}

const mostListed = 100;

/** Where the events of accounts go, and what was sent there. */
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
    async listDeliveries(account: string, { limit = mostListed, ...query }: DeliveryListJson = {}) {
      const stored = { database, ids: await deps.openIds() };
      return listOwnDeliveries(stored, await asked(account, undefined), { ...query, limit: String(limit) });
    },
    /** Delivers again what is not on its way, under the same ids. */
    async replayDeliveries(account: string, body: Parameters<typeof replayMany>[2] = {}) {
      return replayMany(deps, await asked(account, undefined), body);
    },
  };
}
