import { toIso, toIsoOrNull } from '../../../base/std/iso-time.ts';
import type { OpaqueIds } from '../../../base/std/sealing/opaque-ids.ts';
import type { EventType } from '../event-types.ts';
import { hideMailTarget } from '../mail/mail-target.ts';
import { type DescribeJobs, describeEvents, presentEvent } from '../webhook-body.ts';
import type { Delivery, DeliveryAttempt } from './delivery-store.ts';

export function presentDelivery(ids: OpaqueIds, delivery: Delivery) {
  const last = delivery.attempts.at(-1);
  return {
    delivery_id: ids.seal('delivery', delivery.id),
    event_id: delivery.eventId,
    type: delivery.type as EventType, // as `recordEvents` and `recordNotices` write it
    job_id: delivery.jobId,
    endpoint_id: delivery.endpointId,
    url: hideMailTarget(delivery.url),
    status: delivery.status,
    attempts: delivery.attempts.length,
    created_at: toIso(delivery.createdAt),
    next_attempt_at: toIsoOrNull(delivery.nextAttemptAt),
    last_status_code: last?.status ?? null,
    last_failure: delivery.failure ?? last?.failure ?? null,
    history: delivery.attempts.map(presentAttempt),
  };
}

/** Includes the body as it would be sent now. Earlier bodies had other links: links are signed for each attempt. */
export async function presentDeliveryDetails(
  { describeJobs, ids }: { describeJobs: DescribeJobs; ids: OpaqueIds },
  deliveries: readonly Delivery[],
) {
  if (deliveries.length === 0) return [];
  const dataOf = await describeEvents(describeJobs, deliveries);
  return deliveries.map((delivery) => {
    const { type, eventAt } = delivery;
    const event = presentEvent({ type, createdAt: eventAt }, dataOf(delivery) ?? {});
    return { ...presentDelivery(ids, delivery), body: JSON.stringify(event) };
  });
}

export function presentAttempt({ attempt, at, durationMs, status, failure, answer }: DeliveryAttempt) {
  return { attempt, at: toIso(at), duration_ms: durationMs, status, failure, answer };
}
