import Type from 'typebox';
import { type Actor, keyActor } from '../../../audit/audit-store.ts';
import type { Database } from '../../../db/database.ts';
import { AppError } from '../../../errors.ts';
import { readCursor, toPage, writeCursor } from '../../../http/cursor.ts';
import { closed, cursor, named, oneOf, page, pageLimit } from '../../../http/schemas.ts';
import { assertKnownDeliveries } from '../../../jobs/known-filters.ts';
import type { Clock } from '../../../std/clock.ts';
import { isUuid } from '../../../std/ids.ts';
import type { OpaqueIds } from '../../../std/sealing/opaque-ids.ts';
import { listDeliveries } from '../../../webhooks/deliveries/delivery-store.ts';
import { presentDelivery, presentDeliveryDetails } from '../../../webhooks/deliveries/present-delivery.ts';
import { replayDeliveries } from '../../../webhooks/deliveries/replay-deliveries.ts';
import { type DeliveryStatus, deliveryStatuses } from '../../../webhooks/delivery.ts';
import { findEndpoint } from '../../../webhooks/endpoints/endpoint-store.ts';
import { eventIdOf } from '../../../webhooks/event-store.ts';
import { readMailTarget } from '../../../webhooks/mail/mail-target.ts';
import type { DescribeJobs } from '../../../webhooks/webhook-body.ts';
import { apiCall } from '../../api-call.ts';
import { deliveryDetailSchema, deliverySchema } from './webhook-json.ts';

export interface DeliveryDeps {
  database: Database;
  clock: Clock;
  describeJobs: DescribeJobs;
  ids: OpaqueIds;
}

export interface DeliveryQuery {
  status?: DeliveryStatus;
  job_id?: string;
  endpoint_id?: string;
  cursor?: string;
  limit: number;
}

/** A page of an account's deliveries, newest first. */
export async function readDeliveries(
  { database, ids }: DeliveryDeps,
  accountId: string,
  { status, job_id, endpoint_id, cursor, limit }: DeliveryQuery,
) {
  const [before] = readCursor(cursor, ['number']) ?? [];
  const named = { jobId: job_id, endpointId: endpoint_id };
  await assertKnownDeliveries(database.read, accountId, named);
  const deliveries = await listDeliveries(database.reports, {
    accountId,
    limit: limit + 1,
    ...(status && { status }),
    ...(job_id !== undefined && { eventId: eventIdOf(job_id) }),
    ...(endpoint_id !== undefined && { endpointId: endpoint_id }),
    ...(before !== undefined && { before }),
  });
  const { data, next_cursor } = toPage(deliveries, limit, ({ id }) => writeCursor([id]));
  return { data: data.map((delivery) => presentDelivery(ids, delivery)), next_cursor };
}

/** @throws AppError `not_found` */
export async function readDelivery(deps: DeliveryDeps, accountId: string, deliveryId: string) {
  const [detail] = await presentDeliveryDetails(deps, [await findDelivery(deps, accountId, deliveryId)]);
  if (!detail) throw unknownDelivery();
  return detail;
}

/**
 * Sends the event of a delivery again to where that went, and returns the new delivery.
 *
 * @throws AppError `not_found`, `invalid_request`
 */
export async function replayDelivery(deps: DeliveryDeps, accountId: string, deliveryId: string, by: Actor) {
  const { eventId, endpointId, url } = await findDelivery(deps, accountId, deliveryId);
  if (readMailTarget(url) !== undefined)
    throw new AppError('nothing_to_deliver', 'Letters are not sent again.');
  const endpoint = endpointId === null ? undefined : await endpointNow(deps, accountId, endpointId);
  const request = { account: accountId, eventId, ...(endpoint && { endpointId: endpoint.id }) };
  const isGone = endpointId !== null && !endpoint;
  const made = isGone ? 0 : await replayDeliveries(deps, request, by);
  if (made === 0)
    throw new AppError(
      'nothing_to_deliver',
      'There is nothing to send: it is on its way, or no webhook is set.',
    );
  const [newest] = await listDeliveries(deps.database.read, { accountId, eventId, limit: 1 });
  if (!newest) throw unknownDelivery();
  return presentDelivery(deps.ids, newest);
}

/** Sends again all deliveries that failed since then. @throws AppError `invalid_request` */
export async function replayFailed(deps: DeliveryDeps, accountId: string, since: string, by: Actor) {
  const sinceMs = readSince(deps, since);
  return { replayed: await replayDeliveries(deps, { account: accountId, sinceMs }, by) };
}

/** How long ago that was, in milliseconds. @throws AppError `invalid_request` */
export function readSince({ clock }: Pick<DeliveryDeps, 'clock'>, since: string): number {
  const from = Date.parse(since);
  if (!Number.isFinite(from))
    throw new AppError('invalid_request', 'since must be a time such as 2026-11-20T00:00:00Z.');
  return Math.max(0, clock.nowMs() - from);
}

/** The endpoint of a delivery; the default one when it was removed since. */
async function endpointNow({ database }: DeliveryDeps, accountId: string, endpointId: string) {
  return (
    (await findEndpoint(database.read, accountId, endpointId)) ??
    (await findEndpoint(database.read, accountId))
  );
}

/** @throws AppError `not_found` */
export async function findDelivery({ database, ids }: DeliveryDeps, accountId: string, text: string) {
  const id = ids.open('delivery', text);
  if (id === undefined || !isUuid(accountId)) throw unknownDelivery();
  const [delivery] = await listDeliveries(database.read, { accountId, before: id + 1, limit: 1 });
  if (delivery?.id !== id) throw unknownDelivery();
  return delivery;
}

function unknownDelivery(): AppError {
  return new AppError(
    'not_found',
    'There is no such delivery. Its id begins with dlv_: take it from the deliveries.',
  );
}

const defaultPageSize = 20;
const tag = 'Webhooks';
const deliveryParams = Type.Object({ delivery_id: Type.String() });

export const deliveryListQuery = closed({
  limit: pageLimit(defaultPageSize),
  cursor: Type.Optional(cursor()),
  status: Type.Optional(oneOf(deliveryStatuses, { title: 'DeliveryStatus' })),
  job_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only those of this job.' })),
  endpoint_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only those to this endpoint.' })),
});

export const replayBody = closed(
  {
    since: Type.String({
      format: 'date-time',
      description: 'When the first of these jobs ended.',
      examples: ['2026-11-20T00:00:00Z'],
    }),
  },
  { title: 'ReplayRequest' },
);

export const replayResult = Type.Object(
  { replayed: Type.Integer({ description: 'How many deliveries were made.' }) },
  { title: 'ReplayResult' },
);

export function deliveryCalls(deps: DeliveryDeps) {
  return {
    list: apiCall({
      tag,
      operationId: 'listDeliveries',
      summary: 'List deliveries, newest first',
      description: 'What was sent to endpoints and to `callback_url`s, and what came of it.',
      query: deliveryListQuery,
      status: 200,
      reply: page('DeliveryList', named(deliverySchema)),
      errors: [],
      handle: ({ apiKey, query: { limit, ...query } }) =>
        readDeliveries(deps, apiKey.accountId, { ...query, limit: Number(limit ?? defaultPageSize) }),
    }),

    get: apiCall({
      tag,
      operationId: 'getDelivery',
      summary: 'Read a delivery',
      description: 'With every attempt, and with the body as it would be sent now.',
      params: deliveryParams,
      status: 200,
      reply: named(deliveryDetailSchema),
      errors: ['not_found'],
      handle: ({ apiKey, params }) => readDelivery(deps, apiKey.accountId, params.delivery_id),
    }),

    replay: apiCall({
      tag,
      operationId: 'replayDelivery',
      summary: 'Deliver an event again',
      description:
        'Makes a new delivery of the same event, under the same `webhook-id`: to the `callback_url` of its request, or to the same endpoint; to the default one when that was removed.',
      params: deliveryParams,
      status: 200,
      reply: named(deliverySchema),
      errors: ['not_found', 'nothing_to_deliver', 'body_too_large'],
      handle: ({ apiKey, params }) =>
        replayDelivery(deps, apiKey.accountId, params.delivery_id, keyActor(apiKey)),
    }),

    replayFailed: apiCall({
      tag,
      operationId: 'replayFailedDeliveries',
      summary: 'Deliver again what failed',
      description:
        'Every event since then that an endpoint or `callback_url` did not take and that is not on its way there.',
      body: replayBody,
      status: 200,
      reply: replayResult,
      errors: ['body_too_large', 'unsupported_media_type'],
      handle: ({ apiKey, body }) => replayFailed(deps, apiKey.accountId, body.since, keyActor(apiKey)),
    }),
  };
}
