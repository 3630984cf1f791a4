import Type from 'typebox';
import { AppError } from '../errors.ts';
import { readCursor, toPage, writeCursor } from '../http/cursor.ts';
import { type PanelRoute, panelCall } from '../http/panel-call.ts';
import { closed, oneOf, pageLimit } from '../http/schemas.ts';
import { isUuid } from '../std/ids.ts';
import { type DeliveryFilter, listDeliveries } from '../webhooks/delivery-store.ts';
import { eventIdOf } from '../webhooks/event-store.ts';
import { replayDeliveries } from '../webhooks/replay-deliveries.ts';
import type { PanelDeps } from './panel-deps.ts';
import { presentDelivery, presentDeliveryDetails } from './present-delivery.ts';

const defaultPageSize = 50;

/** What was sent to the endpoint of an account. */
export function deliveryRoutes(deps: PanelDeps): PanelRoute[] {
  const { database, clock } = deps;
  return [
    panelCall('GET /panel/accounts/:account_id/deliveries', {
      query: closed({
        status: Type.Optional(oneOf(['pending', 'delivered', 'failed', 'cancelled'])),
        job_id: Type.Optional(Type.String({ maxLength: 50 })),
        cursor: Type.Optional(Type.String({ maxLength: 100 })),
        limit: pageLimit(defaultPageSize),
      }),
      async handle({ params, query }) {
        const limit = Number(query.limit ?? defaultPageSize);
        const [before] = readCursor(query.cursor, ['number']) ?? [];
        const filter: DeliveryFilter = {
          accountId: params.account_id,
          limit: limit + 1,
          ...(query.status && { status: query.status }),
          ...(query.job_id !== undefined && { eventId: eventIdOf(query.job_id) }),
          ...(before !== undefined && { before }),
        };
        const deliveries = (await listDeliveries(database.read, filter)).map(presentDelivery);
        return toPage(deliveries, limit, (last) => writeCursor([last.delivery_id]));
      },
    }),

    panelCall('GET /panel/accounts/:account_id/deliveries/:delivery_id', {
      async handle({ params }) {
        const [detail] = await presentDeliveryDetails(deps, [
          await findDelivery(deps, params.account_id, params.delivery_id),
        ]);
        if (!detail) throw unknownDelivery();
        return detail;
      },
    }),

    panelCall('POST /panel/accounts/:account_id/deliveries/:delivery_id/replay', {
      async handle({ params, viewer }) {
        const { eventId } = await findDelivery(deps, params.account_id, params.delivery_id);
        const made = await replayDeliveries(deps, { account: params.account_id, eventId }, viewer);
        if (made === 0)
          throw new AppError(
            'invalid_request',
            'There is nothing to send: it is on its way, or no endpoint is set.',
          );
        const [newest] = await listDeliveries(database.read, {
          accountId: params.account_id,
          eventId,
          limit: 1,
        });
        if (!newest) throw unknownDelivery();
        return presentDelivery(newest);
      },
    }),

    panelCall('POST /panel/accounts/:account_id/deliveries/replay-failed', {
      body: closed({ since: Type.String({ maxLength: 40 }) }),
      async handle({ params, body, viewer }) {
        const since = Date.parse(body.since);
        if (!Number.isFinite(since))
          throw new AppError('invalid_request', 'since must be a time such as 2026-11-20T00:00:00Z.');
        const sinceMs = Math.max(0, clock.nowMs() - since);
        const replayed = await replayDeliveries(deps, { account: params.account_id, sinceMs }, viewer);
        return { replayed };
      },
    }),
  ];
}

async function findDelivery({ database }: PanelDeps, accountId: string, text: string) {
  const id = /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  if (id === undefined || !isUuid(accountId)) throw unknownDelivery();
  const [delivery] = await listDeliveries(database.read, { accountId, before: id + 1, limit: 1 });
  if (delivery?.id !== id) throw unknownDelivery();
  return delivery;
}

function unknownDelivery(): AppError {
  return new AppError('not_found', 'There is no such delivery.');
}
