import Type, { type Static } from 'typebox';
import { livingAccountOf } from '../../../../accounts/account-of.ts';
import type { Database } from '../../../../base/db/database.ts';
import { type Page, readCursor, sizeOf, toPage, writeCursor } from '../../../../base/http/cursor.ts';
import { closed, named, oneOf, page, pageQuery } from '../../../../base/http/schemas.ts';
import type { Clock } from '../../../../base/std/clock.ts';
import type { OpaqueIds } from '../../../../base/std/sealing/opaque-ids.ts';
import { AppError, invalidField } from '../../../../errors.ts';
import { assertKnownDeliveries } from '../../../../jobs/known-filters.ts';
import { listDeliveries } from '../../../../notify/webhooks/deliveries/delivery-store.ts';
import {
  presentDelivery,
  presentDeliveryDetails,
} from '../../../../notify/webhooks/deliveries/present-delivery.ts';
import { replayDeliveries } from '../../../../notify/webhooks/deliveries/replay-deliveries.ts';
import { countReplayable } from '../../../../notify/webhooks/deliveries/replay-store.ts';
import { tryDeliveriesNow } from '../../../../notify/webhooks/deliveries/try-deliveries-now.ts';
import { deliveryStatuses } from '../../../../notify/webhooks/delivery.ts';
import { findEndpoint } from '../../../../notify/webhooks/endpoints/endpoint-store.ts';
import { eventIdOf } from '../../../../notify/webhooks/event-store.ts';
import { readMailTarget } from '../../../../notify/webhooks/mail/mail-target.ts';
import type { DescribeJobs } from '../../../../notify/webhooks/webhook-body.ts';
import { accountCall, type Caller } from '../../account-call.ts';
import { type DeliveryJson, deliveryDetailSchema, deliverySchema, hideFrom } from './delivery-json.ts';

export interface DeliveryDeps {
  database: Database;
  clock: Clock;
  describeJobs: DescribeJobs;
  ids: OpaqueIds;
}

type Stored = Pick<DeliveryDeps, 'database' | 'ids'>;

const tag = 'Webhooks';
/** The largest count that is reported. Nobody needs larger counts exactly. */
const maxCount = 10_000;
const deliveryParams = Type.Object({ delivery_id: Type.String() });
const endpointId = Type.Optional(Type.String({ format: 'uuid', description: 'Only to this endpoint.' }));
const eventId = Type.Optional(Type.String({ maxLength: 60, description: 'Only this event.' }));
const from = Type.String({
  format: 'date-time',
  description: 'Only events of this time or later.',
  examples: ['2026-11-20T00:00:00Z'],
});
const listQuery = pageQuery({
  status: Type.Optional(oneOf(deliveryStatuses, { title: 'DeliveryStatus' })),
  job_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only deliveries of this job.' })),
  endpoint_id: endpointId,
  event_id: eventId,
});
const replayBody = closed(
  {
    from: Type.Optional(from),
    event_id: eventId,
    endpoint_id: endpointId,
    delivered: Type.Optional(Type.Boolean({ description: 'Also replays delivered events.' })),
    tried: Type.Optional(
      Type.Boolean({
        description: 'Only events with an attempt, so none from before there was an endpoint.',
      }),
    ),
    pending: Type.Optional(
      Type.Boolean({
        description:
          'Instead, makes the next attempt of waiting deliveries now. Can be combined only with `endpoint_id`.',
      }),
    ),
  },
  { title: 'ReplayRequest' },
);
const replayResult = Type.Object(
  { replayed: Type.Integer({ description: 'The number of deliveries that were created, or are due now.' }) },
  { title: 'ReplayResult' },
);
const written = ['not_found'] as const;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function deliveryCalls(deps: DeliveryDeps) {
  const { database } = deps;
  return {
    list: accountCall({
      tag,
      operationId: 'listDeliveries',
      summary: 'List deliveries, newest first',
      description:
        'Lists deliveries to endpoints and to `callback_url`s, with their outcome. Callers who may not see images get only the origin of an address, and no answers.',
      query: listQuery,
      reply: page('DeliveryList', named(deliverySchema)),
      handle: ({ query, ...caller }) => listOwnDeliveries(deps, caller, query),
    }),

    get: accountCall({
      tag,
      operationId: 'getDelivery',
      summary: 'Read a delivery',
      description: 'Reads a delivery with all its attempts, and with the body as it would be sent now.',
      params: deliveryParams,
      reply: named(deliveryDetailSchema),
      errors: ['not_found'],
      async handle({ accountId, may, params }) {
        const delivery = await findDelivery(deps, accountId, params.delivery_id);
        // Only callers who may see images also see the jobs of events.
        const describeJobs: DescribeJobs = may('see_pictures') ? deps.describeJobs : async () => new Map();
        const [shown] = await presentDeliveryDetails({ ...deps, describeJobs }, [delivery]);
        if (!shown) throw unknownDelivery();
        return hideFrom(may, shown);
      },
    }),

    replay: accountCall({
      tag,
      operationId: 'replayDelivery',
      summary: 'Deliver an event again',
      description:
        'If the delivery waits for its next attempt, that attempt is made now. Otherwise, creates a new delivery of the same event under the same `webhook-id`: to the `callback_url` of its request, or to the same endpoint, or to the default endpoint if that was removed.',
      params: deliveryParams,
      idempotency: 'kept',
      reply: named(deliverySchema),
      errors: ['not_found', 'nothing_to_deliver', 'body_too_large'],
      handle: ({ params, ...caller }) => replayOne(deps, caller, params.delivery_id),
    }),

    replayAll: accountCall({
      tag,
      operationId: 'replayDeliveries',
      summary: 'Replay events that were not delivered',
      description:
        'Replays every event of the account that was not delivered and is not pending. With `pending`, makes the next attempt of waiting deliveries now instead, which sends nothing twice.',
      body: replayBody,
      idempotency: 'kept',
      reply: replayResult,
      errors: written,
      handle: ({ body, ...caller }) => replayMany(deps, caller, body),
    }),

    countReplayable: accountCall({
      tag,
      operationId: 'countReplayableDeliveries',
      summary: 'Count the deliveries of a replay',
      description:
        'The number of deliveries that `POST /deliveries/replay` with `from` and `tried` would create.',
      query: closed({ from, endpoint_id: endpointId }),
      reply: Type.Object(
        { count: Type.Integer({ description: `Up to ${maxCount}.` }) },
        { title: 'ReplayableDeliveries' },
      ),
      handle: async ({ accountId, query }) => ({
        count: await countReplayable(database.read, {
          ...{ after: 0, limit: maxCount, eventId: null, ownTarget: false, delivered: false, tried: true },
          ...{ accountId, endpointId: query.endpoint_id ?? null, sinceMs: agoOf(deps, query.from) },
        }),
      }),
    }),
  };
}

/** @throws AppError `invalid_request` for filters that no delivery can match */
export async function listOwnDeliveries(
  { database, ids }: Stored,
  { accountId, may }: Pick<Caller, 'accountId' | 'may'>,
  { status, event_id, job_id, endpoint_id: endpointId, cursor, limit }: Static<typeof listQuery>,
): Promise<Page<DeliveryJson>> {
  const size = sizeOf(limit);
  const [before] = readCursor(cursor, ['number']) ?? [];
  await assertKnownDeliveries(database.read, accountId, { eventId: event_id, jobId: job_id, endpointId });
  const eventId = job_id === undefined ? event_id : eventIdOf(job_id);
  const deliveries = await listDeliveries(database.reports, {
    accountId,
    limit: size + 1,
    ...(status && { status }),
    ...(eventId !== undefined && { eventId }),
    ...(endpointId !== undefined && { endpointId }),
    ...(before !== undefined && { before }),
  });
  const { data, next_cursor } = toPage(deliveries, size, ({ id }) => writeCursor([id]));
  return { data: data.map((one) => hideFrom(may, presentDelivery(ids, one))), next_cursor };
}

/**
 * Replays deliveries that are not pending, under the same ids. With `pending`, it instead tries the pending ones
 * immediately.
 * @throws AppError `not_found`, `invalid_request`
 */
export async function replayMany(
  deps: Pick<DeliveryDeps, 'database' | 'clock'>,
  { accountId, by }: Pick<Caller, 'accountId' | 'by'>,
  { pending = false, from, event_id, endpoint_id, ...which }: Static<typeof replayBody>,
): Promise<Static<typeof replayResult>> {
  const endpointId = endpoint_id?.toLowerCase(); // as it is stored
  if (pending) {
    if (from !== undefined || event_id !== undefined || which.delivered || which.tried)
      throw invalidField('/pending', 'can be combined only with "endpoint_id".');
    await livingAccountOf(deps.database.read, accountId);
    const waiting = { accountId, endpointId: endpointId ?? null, delivery: null };
    return { replayed: await tryDeliveriesNow(deps, waiting, by) };
  }
  const request = {
    ...{ ...which, account: accountId },
    ...(from !== undefined && { sinceMs: agoOf(deps, from) }),
    ...(event_id !== undefined && { eventId: event_id }),
    ...(endpointId !== undefined && { endpointId }),
  };
  return { replayed: await replayDeliveries(deps, request, by) };
}

async function replayOne(
  deps: DeliveryDeps,
  { accountId, by, may }: Caller,
  deliveryId: string,
): Promise<DeliveryJson> {
  const { database, ids } = deps;
  await livingAccountOf(database.read, accountId);
  const delivery = await findDelivery(deps, accountId, deliveryId);
  const { eventId, endpointId, url } = delivery;
  if (
    delivery.status === 'pending' &&
    (await tryDeliveriesNow(deps, { accountId, endpointId: null, delivery }, by)) > 0
  )
    return hideFrom(may, presentDelivery(ids, await findDelivery(deps, accountId, deliveryId)));
  if (readMailTarget(url) !== undefined)
    throw new AppError('nothing_to_deliver', 'Emails are not sent again.');
  const endpoint = endpointId === null ? undefined : await endpointNow(deps, accountId, endpointId);
  const to = endpoint ? { endpointId: endpoint.id } : { ownTarget: true };
  const request = { account: accountId, eventId, ...to };
  const isGone = endpointId !== null && !endpoint;
  const made = isGone ? 0 : await replayDeliveries(deps, request, by);
  if (made === 0)
    throw new AppError(
      'nothing_to_deliver',
      'There is nothing to send: the event is already pending, or the account has no webhook.',
    );
  const [newest] = await listDeliveries(database.read, { accountId, eventId, limit: 1 });
  if (!newest) throw unknownDelivery();
  return hideFrom(may, presentDelivery(ids, newest));
}

function agoOf({ clock }: Pick<DeliveryDeps, 'clock'>, from: string): number {
  const fromMs = Date.parse(from);
  if (!Number.isFinite(fromMs)) throw invalidField('/from', 'must be a time such as 2026-11-20T00:00:00Z.');
  return Math.max(0, clock.nowMs() - fromMs);
}

/** Finds the endpoint of a delivery, or the default endpoint if that one was removed. */
async function endpointNow({ database }: Stored, accountId: string, endpointId: string) {
  return (
    (await findEndpoint(database.read, accountId, endpointId)) ??
    (await findEndpoint(database.read, accountId))
  );
}

async function findDelivery({ database, ids }: Stored, accountId: string, text: string) {
  const id = ids.open('delivery', text);
  if (id === undefined) throw unknownDelivery();
  const [delivery] = await listDeliveries(database.read, { accountId, before: id + 1, limit: 1 });
  if (delivery?.id !== id) throw unknownDelivery();
  return delivery;
}

function unknownDelivery(): AppError {
  return new AppError(
    'not_found',
    'There is no such delivery. Its id begins with dlv_: use an id from the list of deliveries.',
  );
}
