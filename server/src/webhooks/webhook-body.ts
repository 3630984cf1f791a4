import { toIso } from '../std/iso-time.ts';
import type { DeliveredEvent } from './deliveries/delivery.ts';

/** The job as clients see it, with a link signed now; made by whoever knows jobs. */
export type DescribeJobs = (jobIds: readonly string[]) => Promise<Map<string, object>>;

/** What is sent, and what `GET /events` lists: the same words for the same thing. */
export function presentEvent({ type, createdAt }: Pick<DeliveredEvent, 'type' | 'createdAt'>, data: object) {
  return { type, timestamp: toIso(createdAt), data };
}
