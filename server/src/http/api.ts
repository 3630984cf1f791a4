import { modelsEndpoint } from '../catalog/model-routes.ts';
import type { ModelId } from '../catalog/models.ts';
import { createEndpoint, type JobRouteDeps, jobEndpoints } from '../jobs/job-routes.ts';
import { balanceEndpoint } from '../ledger/balance-routes.ts';
import { eventsEndpoint } from '../webhooks/event-routes.ts';
import type { Endpoint } from './endpoint.ts';

export const apiPrefix = '/api/v1';

export interface Route {
  method: 'GET' | 'POST';
  /** Below `/api/v1`. */
  path: string;
  /** Any valid key, or only keys that may use this model. */
  access: 'any key' | ModelId;
  endpoint: Endpoint;
}

export type ApiDeps = JobRouteDeps &
  Parameters<typeof modelsEndpoint>[0] &
  Parameters<typeof eventsEndpoint>[0];

/** The whole public API. */
export function apiRoutes(deps: ApiDeps): Route[] {
  const job = jobEndpoints(deps);
  const rows: [Route['method'], string, Route['access'], Endpoint][] = [
    ['POST', '/text-generations', 'pro', createEndpoint(deps, 'pro', 'text')],
    ['POST', '/url-generations', 'pro', createEndpoint(deps, 'pro', 'url')],
    ['POST', '/nb2/text-generations', 'nb2', createEndpoint(deps, 'nb2', 'text')],
    ['POST', '/nb2/url-generations', 'nb2', createEndpoint(deps, 'nb2', 'url')],
    ['POST', '/nb/text-generations', 'nb', createEndpoint(deps, 'nb', 'text')],
    ['POST', '/nb/url-generations', 'nb', createEndpoint(deps, 'nb', 'url')],
    ['GET', '/jobs/:job_id', 'any key', job.get],
    ['GET', '/jobs', 'any key', job.list],
    ['POST', '/jobs/:job_id/cancel', 'any key', job.cancel],
    ['GET', '/events', 'any key', eventsEndpoint(deps)],
    ['GET', '/balance', 'any key', balanceEndpoint(deps)],
    ['GET', '/models', 'any key', modelsEndpoint(deps)],
  ];
  return rows.map(([method, path, access, endpoint]) => ({ method, path, access, endpoint }));
}
