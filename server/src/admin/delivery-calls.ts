import Type from 'typebox';
import {
  type DeliveryDeps,
  deliveryListQuery,
  readDeliveries,
  replayBody,
  replayDelivery,
  replayFailed,
  replayResult,
} from '../api/webhooks/delivery-calls.ts';
import { deliverySchema } from '../api/webhooks/webhook-schemas.ts';
import { named, page } from '../http/schemas.ts';
import { accountOf } from '../operator/subjects.ts';
import { adminCall } from './admin-call.ts';
import { accountParams, defaultPageSize } from './schemas.ts';

export type DeliveryCallDeps = DeliveryDeps;

const tag = 'Deliveries';

/** What was sent to the webhooks of accounts. */
export function deliveryCalls(deps: DeliveryCallDeps) {
  const idOf = async (account: string) => (await accountOf(deps.database.read, account)).id;
  return {
    list: adminCall({
      tag,
      operationId: 'listDeliveries',
      summary: 'List the deliveries of an account, newest first',
      params: accountParams,
      query: deliveryListQuery,
      status: 200,
      reply: page('DeliveryList', named(deliverySchema)),
      errors: ['invalid_request', 'not_found'],
      handle: async ({ params, query: { limit, ...query } }) =>
        readDeliveries(deps, await idOf(params.account), {
          ...query,
          limit: Number(limit ?? defaultPageSize),
        }),
    }),

    replay: adminCall({
      tag,
      operationId: 'replayDelivery',
      summary: 'Deliver an event again',
      description: 'Makes a new delivery of the same event, under the same `webhook-id`.',
      params: Type.Object({ ...accountParams.properties, delivery_id: Type.String() }),
      status: 200,
      reply: named(deliverySchema),
      errors: ['not_found', 'nothing_to_deliver', 'body_too_large'],
      handle: async ({ params, by }) =>
        replayDelivery(deps, await idOf(params.account), params.delivery_id, by),
    }),

    replayFailed: adminCall({
      tag,
      operationId: 'replayFailedDeliveries',
      summary: 'Deliver again what failed',
      description: 'Every event of the account since then that was not taken and is not on its way.',
      params: accountParams,
      body: replayBody,
      status: 200,
      reply: replayResult,
      errors: ['not_found', 'unsupported_media_type', 'body_too_large'],
      handle: async ({ params, body, by }) => replayFailed(deps, await idOf(params.account), body.since, by),
    }),
  };
}
