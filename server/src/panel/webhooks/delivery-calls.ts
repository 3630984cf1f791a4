import Type from 'typebox';
import { readDeliveries, readDelivery, replayDelivery, replayFailed } from '../../api/delivery-calls.ts';
import { closed, oneOf, pageLimit } from '../../http/schemas.ts';
import { deliveryStatuses } from '../../webhooks/deliveries/delivery.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';

const defaultPageSize = 50;

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

    panelCall('POST /panel/accounts/:account_id/deliveries/replay-failed', {
      body: closed({ since: Type.String({ maxLength: 40 }) }),
      handle: ({ params, body, viewer }) => replayFailed(deps, params.account_id, body.since, viewer),
    }),
  ];
}
