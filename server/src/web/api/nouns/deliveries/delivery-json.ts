import Type, { type Static } from 'typebox';
import { named, nullable, numberedId, oneOf, time } from '../../../../base/http/schemas.ts';
import { hideTarget } from '../../../../notify/webhooks/buckets/bucket-target.ts';
import { deliveryStatuses } from '../../../../notify/webhooks/delivery.ts';
import { eventTypes } from '../../../../notify/webhooks/event-types.ts';
import type { Caller } from '../../account-call.ts';

export const attemptSchema = Type.Object(
  {
    attempt: Type.Integer({ description: 'Counts from 1.' }),
    at: time('When it began.'),
    duration_ms: Type.Integer(),
    status: nullable(Type.Integer(), { description: 'The status of the answer; null if none came.' }),
    failure: nullable(
      Type.String({
        description: 'A word such as `timed_out` or `connect_refused`; null after a success.',
      }),
    ),
    answer: nullable(Type.String(), {
      description: 'The beginning of the answer; null for callers who may not see it.',
    }),
  },
  { $id: 'DeliveryAttempt' },
);

export const deliverySchema = Type.Object(
  {
    delivery_id: numberedId('delivery'),
    event_id: Type.String({ description: 'The `webhook-id`.' }),
    type: oneOf(eventTypes, { title: 'EventType' }),
    job_id: nullable(Type.String({ format: 'uuid' }), {
      description: 'Null if the event is not about a job.',
    }),
    endpoint_id: nullable(Type.String({ format: 'uuid' }), {
      description: 'The endpoint; null for a `callback_url`.',
    }),
    url: Type.String({
      description: 'The address; without its path for callers who may not see images.',
    }),
    status: oneOf(deliveryStatuses, { title: 'DeliveryStatus' }),
    attempts: Type.Integer({ description: 'How many were made.' }),
    created_at: time('When it was made.'),
    next_attempt_at: nullable(time('The time of the next attempt; null unless it waits for one.')),
    last_status_code: nullable(Type.Integer(), {
      description: 'The status of the last answer; null if none came.',
    }),
    last_failure: nullable(
      Type.String({ description: 'Why it failed or was cancelled; null after a success.' }),
    ),
    history: Type.Array(named(attemptSchema), { description: 'All attempts, oldest first.' }),
  },
  { $id: 'Delivery' },
);

export const deliveryDetailSchema = Type.Object(
  {
    ...deliverySchema.properties,
    body: Type.String({ description: 'The body as it would be sent now, JSON text.' }),
  },
  { $id: 'DeliveryDetail' },
);

export type DeliveryJson = Static<typeof deliverySchema>;

/** Hides the receiver's answers and address, which may contain secrets, from callers who may not see images. */
export function hideFrom<One extends DeliveryJson>(may: Caller['may'], delivery: One): One {
  if (may('see_pictures')) return delivery;
  const history = delivery.history.map((attempt) => ({ ...attempt, answer: null }));
  return { ...delivery, url: hideTarget(delivery.url), history };
}
