import type { FastifyInstance } from 'fastify';
import { maxConnectionsHere } from '../../base/http/connections/limit-connections.ts';
import { problemSchema } from '../../base/http/schemas.ts';
import type { Meter } from '../../base/metrics/meter.ts';
import { apiPrefix } from './api-call.ts';
import { alertsSchema } from './nouns/alerts/alert-json.ts';
import { batchCreatedSchema, batchSchema } from './nouns/batches/batch-schemas.ts';
import { clientTokenSchema, newClientTokenSchema } from './nouns/client-tokens/client-token-json.ts';
import { attemptSchema, deliveryDetailSchema, deliverySchema } from './nouns/deliveries/delivery-json.ts';
import { createCallsOf } from './nouns/jobs/create-calls.ts';
import { createdSchema, jobSchema } from './nouns/jobs/job-schemas.ts';
import { batchQuoteSchema, quoteSchema } from './nouns/jobs/quote-schemas.ts';
import { createStreamPlaces } from './nouns/jobs/stream-job.ts';
import { tagsSchema } from './nouns/jobs/tag-calls.ts';
import { keySchema, newKeySchema } from './nouns/keys/key-json.ts';
import { modelSchema } from './nouns/models/model-json.ts';
import { balanceSchema } from './nouns/money/balance-calls.ts';
import { entrySchema } from './nouns/money/entry-calls.ts';
import { statementSchema } from './nouns/money/statement-calls.ts';
import { usageSchema } from './nouns/money/usage-calls.ts';
import { shareSchema } from './nouns/shares/share-json.ts';
import { uploadSchema } from './nouns/uploads/upload-calls.ts';
import { eventSchema } from './nouns/webhooks/event-calls.ts';
import { endpointDetailSchema, endpointSchema } from './nouns/webhooks/webhook-json.ts';
import { createPublicDescription } from './openapi/describe-public-api.ts';
import { type Description, registerOpenApi } from './openapi/register-openapi.ts';
import { webhookDescriptions } from './openapi/webhook-descriptions.ts';
import { type PlaceAccountDeps, placeOwn } from './place-account.ts';
import { type PlaceApiDeps, placeApi } from './place-api.ts';
import { type RegisterDeps, registerCalls } from './register-calls.ts';
import { type AccountDeps, type ApiDeps, accountRows, apiRows } from './table.ts';

const schemas = [
  ...[uploadSchema, jobSchema, createdSchema, quoteSchema, batchQuoteSchema, eventSchema],
  ...[balanceSchema, entrySchema, usageSchema, batchSchema, batchCreatedSchema, tagsSchema, statementSchema],
  ...[endpointSchema, endpointDetailSchema, deliverySchema, deliveryDetailSchema, attemptSchema],
  ...[modelSchema, clientTokenSchema, newClientTokenSchema, problemSchema],
];

/** Of what keys do not see. */
const ofAccounts = [keySchema, newKeySchema, alertsSchema, shareSchema];

export type OpenApiDeps = Omit<ApiDeps, 'streams'> &
  PlaceApiDeps &
  PlaceAccountDeps &
  AccountDeps &
  RegisterDeps & { meter: Meter; maxConnections: number | null };

/** Everything below `/api/v1`, and its OpenAPI description. */
export async function openApi(
  server: FastifyInstance,
  deps: OpenApiDeps,
): Promise<() => Promise<Description>> {
  for (const schema of [...schemas, ...ofAccounts]) server.addSchema(schema);
  const streams = createStreamPlaces(deps.maxConnections ?? maxConnectionsHere(), deps.meter);
  const calls = apiRows({ ...deps, streams });
  const shared = accountRows(deps);
  await server.register(async (scope) => {
    registerCalls(
      scope,
      [...calls.map((row) => placeApi(row, deps)), ...shared.map((row) => placeOwn(row, deps))],
      deps,
    );
  });
  const others = [
    ...calls.filter(({ access }) => access !== 'its model'),
    ...shared.filter(({ access }) => access.byKeys),
  ];
  const description = createPublicDescription(schemas, {
    catalogue: deps.catalogue,
    callsOf: (models) => [...createCallsOf(models), ...others],
  });
  registerOpenApi(server, apiPrefix, description, webhookDescriptions);
  return description;
}
