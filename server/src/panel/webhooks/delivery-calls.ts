import Type from 'typebox';
import {
  findDelivery,
  readDeliveries,
  readDelivery,
  readSince,
  replayDelivery,
} from '../../api/nouns/webhooks/delivery-calls.ts';
import { closed, nullable, numberedId, oneOf, pageLimit } from '../../http/schemas.ts';
import { replayDeliveries } from '../../webhooks/deliveries/replay-deliveries.ts';
import { countReplayable } from '../../webhooks/deliveries/replay-store.ts';
import { retryDeliveries } from '../../webhooks/deliveries/retry-deliveries.ts';
import { deliveryStatuses } from '../../webhooks/delivery.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import { targetsFor } from './hide-targets.ts';

const defaultPageSize = 50;
/** Nobody needs to know a larger number exactly. */
const maxCount = 10_000;

const since = Type.String({ maxLength: 40 });
const endpointId = Type.Union([Type.String({ format: 'uuid' }), Type.Null()]);

/** The deliveries of an account. */
export function deliveryCalls(deps: PanelDeps): PanelCall[] {
  return [
    panelCall('GET /panel/accounts/:account_id/deliveries', {
      query: closed({
        status: Type.Optional(oneOf(deliveryStatuses)),
        job_id: Type.Optional(Type.String({ format: 'uuid' })),
        endpoint_id: Type.Optional(Type.String({ format: 'uuid' })),
        cursor: Type.Optional(Type.String({ maxLength: 100 })),
        limit: pageLimit(defaultPageSize),
      }),
      async handle({ params: { account_id: accountId }, query: { limit, ...query }, viewer }) {
        const shown = await readDeliveries(deps, accountId, {
          ...query,
          limit: Number(limit ?? defaultPageSize),
        });
        const target = await targetsFor(deps, viewer, accountId);
        return { ...shown, data: shown.data.map((one) => ({ ...one, url: target(one.url) })) };
      },
    }),

    panelCall('GET /panel/accounts/:account_id/deliveries/:delivery_id', {
      handle: ({ params }) => readDelivery(deps, params.account_id, params.delivery_id),
    }),

    panelCall('POST /panel/accounts/:account_id/deliveries/:delivery_id/replay', {
      handle: ({ params, viewer }) => replayDelivery(deps, params.account_id, params.delivery_id, viewer),
    }),

    panelCall('POST /panel/accounts/:account_id/deliveries/retry', {
      body: closed({
        delivery_id: nullable(numberedId('delivery')),
        endpoint_id: endpointId,
      }),
      async handle({ params: { account_id: accountId }, body, viewer }) {
        const { delivery_id: id, endpoint_id: endpointId } = body;
        const deliveryId = id === null ? null : (await findDelivery(deps, accountId, id)).id;
        const which = { accountId, deliveryId, endpointId };
        return { retried: await retryDeliveries(deps, which, viewer) };
      },
    }),

    panelCall('GET /panel/accounts/:account_id/deliveries/failed', {
      query: closed({ since, endpoint_id: Type.Optional(Type.String({ format: 'uuid' })) }),
      async handle({ params: { account_id: accountId }, query }) {
        const sinceMs = readSince(deps, query.since);
        const filter = {
          ...{ after: 0, limit: maxCount, eventId: null, delivered: false, tried: true },
          ...{ accountId, endpointId: query.endpoint_id ?? null, sinceMs },
        };
        return { count: await countReplayable(deps.database.read, filter) };
      },
    }),

    panelCall('POST /panel/accounts/:account_id/deliveries/replay-failed', {
      body: closed({ since, endpoint_id: endpointId }),
      async handle({ params: { account_id: account }, body, viewer }) {
        const sinceMs = readSince(deps, body.since);
        const { endpoint_id: to } = body;
        const request = { account, sinceMs, tried: true, ...(to !== null && { endpointId: to }) };
        return { replayed: await replayDeliveries(deps, request, viewer) };
      },
    }),
  ];
}
