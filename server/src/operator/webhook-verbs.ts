import type { BodyOf } from '../api/account-call.ts';
import { listOwnDeliveries, replayMany } from '../api/nouns/deliveries/delivery-calls.ts';
import { endpointCalls } from '../api/nouns/webhooks/endpoint-calls.ts';
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
  const calls = async () => endpointCalls(deps);
  const askedOfOne = async <Body>(account: string, endpoint_id: string, body: Body) => ({
    ...(await asked(account, body)),
    params: { endpoint_id },
  });
  return {
    async listEndpoints(account: string) {
      return (await (await calls()).list.handle(await asked(account, undefined))).data;
    },
    async addEndpoint(account: string, body: BodyOf<EndpointCalls['add']>) {
      return (await calls()).add.handle(await asked(account, body));
    },
    async getEndpoint(account: string, endpointId: string) {
      return (await calls()).get.handle(await askedOfOne(account, endpointId, undefined));
    },
    /** The default one is added where there is none. */
    async replaceEndpoint(account: string, endpointId: string, body: BodyOf<EndpointCalls['replace']>) {
      return (await calls()).replace.handle(await askedOfOne(account, endpointId, body));
    },
    async changeEndpoint(account: string, endpointId: string, body: BodyOf<EndpointCalls['change']>) {
      return (await calls()).change.handle(await askedOfOne(account, endpointId, body));
    },
    async removeEndpoint(account: string, endpointId: string) {
      await (await calls()).remove.handle(await askedOfOne(account, endpointId, undefined));
    },
    /** The audit log notes that they were shown. */
    async revealEndpointSecret(account: string, endpointId: string) {
      return (await calls()).reveal.handle(await askedOfOne(account, endpointId, undefined));
    },
    async rotateEndpointSecret(
      account: string,
      endpointId: string,
      body: BodyOf<EndpointCalls['rotate']> = {},
    ) {
      return (await calls()).rotate.handle(await askedOfOne(account, endpointId, body));
    },
    async testEndpoint(account: string, endpointId: string, body: BodyOf<EndpointCalls['test']> = {}) {
      return (await calls()).test.handle(await askedOfOne(account, endpointId, body));
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
