import Type from 'typebox';
import { AppError } from '../errors.ts';
import { type PanelRoute, panelCall } from '../http/panel-call.ts';
import { oneOf } from '../http/schemas.ts';
import { isUuid } from '../std/ids.ts';
import { type DeliveryFilter, listDeliveries } from '../webhooks/delivery-store.ts';
import { replayDeliveries } from '../webhooks/replay-deliveries.ts';
import { readCursor, toPage, writeCursor } from './cursor.ts';
import type { PanelDeps } from './panel-deps.ts';
import { eventIdOf, presentDelivery, presentDeliveryDetails } from './present-delivery.ts';

const defaultPageSize = 50;
const closed = { additionalProperties: false };
const object = (fields: Parameters<typeof Type.Object>[0]) => Type.Object(fields, closed);

/** What was sent to the endpoint of an account. */
export function deliveryRoutes(deps: PanelDeps): PanelRoute[] {
  const { database, clock } = deps;
  return [
    panelCall('GET /panel/accounts/:account_id/deliveries', {
      query: object({
        status: Type.Optional(oneOf(['pending', 'delivered', 'failed', 'cancelled'])),
        job_id: Type.Optional(Type.String({ maxLength: 50 })),
        cursor: Type.Optional(Type.String({ maxLength: 100 })),
        limit: Type.Optional(Type.String({ pattern: '^([1-9]|[1-9][0-9]|100)$' })),
      }),
      async handle({ params, query }) {
        const limit = Number(query.limit ?? defaultPageSize);
        const [before] = readCursor(query.cursor, 'number') ?? [];
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
      async handle({ params, audited }) {
        const { eventId } = await findDelivery(deps, params.account_id, params.delivery_id);
        const entry = {
          action: 'delivery.replayed',
          accountId: params.account_id,
          subject: eventId,
          detail: {},
        };
        const made = await replayDeliveries(
          { database: audited(() => entry) },
          { account: params.account_id, eventId },
        );
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
      body: object({ since: Type.String({ maxLength: 40 }) }),
      async handle({ params, body, audited }) {
        const since = Date.parse(body.since);
        if (!Number.isFinite(since))
          throw new AppError('invalid_request', 'since must be a time such as 2026-11-20T00:00:00Z.');
        const entry = {
          action: 'deliveries.replayed',
          accountId: params.account_id,
          subject: null,
          detail: { since: body.since },
        };
        const sinceMs = Math.max(0, clock.nowMs() - since);
        const replayed = await replayDeliveries(
          { database: audited(() => entry) },
          { account: params.account_id, sinceMs },
        );
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
