import type { FastifyInstance } from 'fastify';
import type { Brand } from '../../base/brand/brand.ts';
import { maxConnectionsHere } from '../../base/http/connections/limit-connections.ts';
import type { Meter } from '../../base/metrics/meter.ts';
import { apiPrefix } from './api-call.ts';
import { type BindAccountDeps, bindOwn } from './bind-account.ts';
import { type BindApiDeps, bindApi } from './bind-api.ts';
import { createCallsOf } from './nouns/jobs/create-calls.ts';
import { createStreamSlots } from './nouns/jobs/stream-job.ts';
import { createPublicDescription } from './openapi/public-description.ts';
import { type Description, registerOpenApi } from './openapi/register-openapi.ts';
import { webhookDescriptions } from './openapi/webhook-descriptions.ts';
import { type RegisterDeps, registerCalls } from './register-calls.ts';
import { type AccountDeps, type ApiDeps, accountRows, apiRows } from './table.ts';

export type OpenApiDeps = Omit<ApiDeps, 'streams'> &
  BindApiDeps &
  BindAccountDeps &
  AccountDeps &
  RegisterDeps & { meter: Meter; maxConnections: number | null; brand: { now(): Brand } };

export async function openApi(
  server: FastifyInstance,
  deps: OpenApiDeps,
): Promise<() => Promise<Description>> {
  const streams = createStreamSlots(deps.maxConnections ?? maxConnectionsHere(), deps.meter);
  const calls = apiRows({ ...deps, streams });
  const shared = accountRows(deps);
  await server.register(async (scope) => {
    registerCalls(
      scope,
      [...calls.map((row) => bindApi(row, deps)), ...shared.map((row) => bindOwn(row, deps))],
      deps,
    );
  });
  const others = [
    ...calls.filter(({ access }) => access !== 'its model'),
    ...shared.filter(({ access }) => access.byKeys),
  ];
  const description = createPublicDescription(deps.catalogue, deps.brand, (models) => [
    ...createCallsOf(models),
    ...others,
  ]);
  registerOpenApi(server, apiPrefix, description, webhookDescriptions);
  return description;
}
