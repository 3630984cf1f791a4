import Type from 'typebox';
import { readDeliveries, readDelivery, readSince, replayDelivery } from '../../api/delivery-calls.ts';
import { closed, oneOf, pageLimit } from '../../http/schemas.ts';
import { deliveryStatuses } from '../../webhooks/deliveries/delivery.ts';
import { replayDeliveries } from '../../webhooks/deliveries/replay-deliveries.ts';
import { countReplayable } from '../../webhooks/deliveries/replay-store.ts';
import { retryDeliveries } from '../../webhooks/deliveries/retry-deliveries.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';

const defaultPageSize = 50;
/** Nobody needs to know a larger number exactly. */
const maxCount = 10_000;

const since = Type.String({ maxLength: 40 });

/** The deliveries of an account. */
export function deliveryCalls(deps: PanelDeps): PanelCall[] {
  return [
    panelCall('GET /panel/accounts/:account_id/deliveries', {
      query: closed({
        status: Type.Optional(oneOf(deliveryStatuses)),
        job_id: Type.Optional(Type.String({ format: 'uuid' })),
        cursor: Type.Optional(Type.String({ maxLength: 100 })),
        limit: pageLimit(defaultPageSize),
      }),
      handle: ({ params, query: { limit, ...query } }) =>
        readDeliveries(deps, params.account_id, { ...query, limit: Number(limit ?? defaultPageSize) }),
    }),

    panelCall('GET /panel/accounts/:account_id/deliveries/:delivery_id', {
      handle: ({ params }) => readDelivery(deps, params.account_id, params.delivery_id),
    }),

    panelCall('POST /panel/accounts/:account_id/deliveries/:delivery_id/replay', {
      handle: ({ params, viewer }) => replayDelivery(deps, params.account_id, params.delivery_id, viewer),
    }),

    panelCall('POST /panel/accounts/:account_id/deliveries/retry', {
      body: closed({ delivery_id: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]) }),
      async handle({ params: { account_id: accountId }, body, viewer }) {
        return { retried: await retryDeliveries(deps, { accountId, deliveryId: body.delivery_id }, viewer) };
      },
    }),

    panelCall('GET /panel/accounts/:account_id/deliveries/failed', {
      query: closed({ since }),
      async handle({ params: { account_id: accountId }, query }) {
        const sinceMs = readSince(deps, query.since);
        const all = { after: 0, limit: maxCount, eventId: null, delivered: false, tried: true };
        return { count: await countReplayable(deps.database.read, { ...all, accountId, sinceMs }) };
      },
    }),

    panelCall('POST /panel/accounts/:account_id/deliveries/replay-failed', {
      body: closed({ since }),
      async handle({ params: { account_id: account }, body, viewer }) {
        const sinceMs = readSince(deps, body.since);
        return { replayed: await replayDeliveries(deps, { account, sinceMs, tried: true }, viewer) };
      },
    }),
  ];
}
