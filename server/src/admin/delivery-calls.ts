import Type from 'typebox';
import { livingAccountOf } from '../accounts/account-of.ts';
import {
  type DeliveryDeps,
  deliveryListQuery,
  replayDelivery,
  replayResult,
} from '../api/nouns/webhooks/delivery-calls.ts';
import { attemptSchema, deliverySchema } from '../api/nouns/webhooks/webhook-json.ts';
import { closed, named, page } from '../http/schemas.ts';
import { retryDeliveries } from '../webhooks/deliveries/retry-deliveries.ts';
import { adminCall } from './admin-call.ts';
import { hideUrl, seesSecrets } from './hide-targets.ts';
import { accountParams, pageOf } from './schemas.ts';

export type DeliveryCallDeps = DeliveryDeps;

const tag = 'Webhooks';
const endpointId = Type.Optional(Type.String({ format: 'uuid', description: 'Only to this endpoint.' }));
const eventId = Type.Optional(Type.String({ maxLength: 60, description: 'Only this event.' }));

export const accountDeliverySchema = Type.Object(
  { ...deliverySchema.properties, history: Type.Array(named(attemptSchema)) },
  { $id: 'AccountDelivery' },
);

/** What was sent to the webhooks of accounts. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function deliveryCalls(deps: DeliveryCallDeps) {
  const idOf = async (account: string) => (await livingAccountOf(deps.database.read, account)).id;
  return {
    list: adminCall({
      tag,
      operationId: 'listDeliveries',
      summary: 'List the deliveries of an account, newest first',
      description:
        'Each with its attempts. Keys without the scope `accounts` see of an address only where it leads, and no answers.',
      params: accountParams,
      query: closed({ ...deliveryListQuery.properties, event_id: eventId }),
      status: 200,
      reply: page('DeliveryList', named(accountDeliverySchema)),
      errors: ['not_found'],
      async handle({ verbs, params, query, ...caller }) {
        const shown = await verbs.listDeliveries(params.account, pageOf(query));
        if (seesSecrets(caller)) return shown;
        const data = shown.data.map(({ history, ...one }) => ({
          ...hideUrl(one),
          history: history.map((attempt) => ({ ...attempt, answer: null })),
        }));
        return { ...shown, data };
      },
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

    replayAll: adminCall({
      tag,
      operationId: 'replayDeliveries',
      summary: 'Deliver again what was not delivered',
      description: 'Every event of the account that was not taken and is not on its way.',
      params: accountParams,
      body: closed(
        {
          since: Type.Optional(
            Type.String({
              format: 'date-time',
              description: 'Only events since then.',
              examples: ['2026-11-20T00:00:00Z'],
            }),
          ),
          event_id: eventId,
          endpoint_id: endpointId,
          delivered: Type.Optional(Type.Boolean({ description: 'Also what was delivered before.' })),
        },
        { title: 'ReplayRequest' },
      ),
      status: 200,
      reply: replayResult,
      errors: ['not_found', 'unsupported_media_type', 'body_too_large'],
      handle: ({ verbs, params, body }) => verbs.replayDeliveries(params.account, body),
    }),

    retry: adminCall({
      tag,
      operationId: 'retryDeliveries',
      summary: 'Try now what waits for its next attempt',
      params: accountParams,
      body: closed({ endpoint_id: endpointId }, { title: 'RetryRequest' }),
      status: 200,
      reply: Type.Object(
        { retried: Type.Integer({ description: 'How many deliveries.' }) },
        { title: 'RetryResult' },
      ),
      errors: ['not_found', 'unsupported_media_type', 'body_too_large'],
      async handle({ params, body: { endpoint_id: endpointId = null }, by }) {
        const waiting = { accountId: await idOf(params.account), deliveryId: null, endpointId };
        return { retried: await retryDeliveries(deps, waiting, by) };
      },
    }),
  };
}
