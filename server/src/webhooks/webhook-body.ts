import { toIso } from '../std/iso-time.ts';
import type { DeliveredEvent } from './deliveries/delivery.ts';

/**
 * Presents jobs as clients see them, with freshly signed links. Passed in, because this folder cannot import
 * `jobs`.
 */
export type DescribeJobs = (jobIds: readonly string[]) => Promise<Map<string, object>>;

/** What is sent, and what `GET /events` lists. */
export function presentEvent({ type, createdAt }: Pick<DeliveredEvent, 'type' | 'createdAt'>, data: object) {
  return { type, timestamp: toIso(createdAt), data };
}
