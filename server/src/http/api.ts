import { modelsCall } from '../catalog/model-routes.ts';
import type { ModelId } from '../catalog/models.ts';
import { createCall, type JobRouteDeps, jobCalls } from '../jobs/job-routes.ts';
import { usageCall } from '../jobs/usage-routes.ts';
import { balanceCall } from '../ledger/balance-routes.ts';
import { entriesCall } from '../ledger/entry-routes.ts';
import { deliveryCalls } from '../webhooks/delivery-routes.ts';
import { eventsCall } from '../webhooks/event-routes.ts';
import { type WebhookDeps, webhookCalls } from '../webhooks/webhook-routes.ts';
import type { ApiCall } from './api-call.ts';

/** A call and the place where it is made. */
export interface PlacedCall {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/api/v1`. */
  path: string;
  /** Any valid key, or only keys that may use this model. */
  access: 'any key' | ModelId;
  call: ApiCall;
}

export type ApiDeps = JobRouteDeps &
  WebhookDeps &
  Parameters<typeof modelsCall>[0] &
  Parameters<typeof eventsCall>[0];

/** The whole public API. */
export function apiCalls(deps: ApiDeps): PlacedCall[] {
  const job = jobCalls(deps);
  const webhook = webhookCalls(deps);
  const delivery = deliveryCalls(deps);
  const rows: [PlacedCall['method'], string, PlacedCall['access'], ApiCall][] = [
    ['POST', '/text-generations', 'pro', createCall(deps, 'pro', 'text')],
    ['POST', '/url-generations', 'pro', createCall(deps, 'pro', 'url')],
    ['POST', '/nb2/text-generations', 'nb2', createCall(deps, 'nb2', 'text')],
    ['POST', '/nb2/url-generations', 'nb2', createCall(deps, 'nb2', 'url')],
    ['POST', '/nb/text-generations', 'nb', createCall(deps, 'nb', 'text')],
    ['POST', '/nb/url-generations', 'nb', createCall(deps, 'nb', 'url')],
    ['GET', '/jobs/:job_id', 'any key', job.get],
    ['GET', '/jobs', 'any key', job.list],
    ['POST', '/jobs/:job_id/cancel', 'any key', job.cancel],
    ['GET', '/events', 'any key', eventsCall(deps)],
    ['GET', '/webhook', 'any key', webhook.show],
    ['PUT', '/webhook', 'any key', webhook.set],
    ['DELETE', '/webhook', 'any key', webhook.remove],
    ['POST', '/webhook/rotate', 'any key', webhook.rotate],
    ['POST', '/webhook/test', 'any key', webhook.test],
    ['POST', '/webhook/replay', 'any key', delivery.replayFailed],
    ['GET', '/deliveries', 'any key', delivery.list],
    ['GET', '/deliveries/:delivery_id', 'any key', delivery.get],
    ['POST', '/deliveries/:delivery_id/replay', 'any key', delivery.replay],
    ['GET', '/balance', 'any key', balanceCall(deps)],
    ['GET', '/entries', 'any key', entriesCall(deps)],
    ['GET', '/usage', 'any key', usageCall(deps)],
    ['GET', '/models', 'any key', modelsCall(deps)],
  ];
  return rows.map(([method, path, access, call]) => ({ method, path, access, call }));
}
