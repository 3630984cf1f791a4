import { toIso } from '../../base/std/iso-time.ts';
import type { DeliveredEvent } from './delivery.ts';
import type { EventSubject } from './event-subject.ts';

/** Presents jobs as clients see them, with fresh links. It is passed in, because this folder cannot import `jobs`. */
export type DescribeJobs = (jobIds: readonly string[]) => Promise<Map<string, object>>;

/** Returns a function that gives an event's data, or undefined if the job was removed. */
export async function describeEvents(
  describeJobs: DescribeJobs,
  events: readonly EventSubject[],
): Promise<(event: EventSubject) => object | undefined> {
  const jobIds = new Set(events.flatMap(({ jobId }) => jobId ?? []));
  const jobs = jobIds.size > 0 ? await describeJobs([...jobIds]) : undefined;
  return ({ jobId, data }) => data ?? (jobId === null ? undefined : jobs?.get(jobId));
}

export function presentEvent({ type, createdAt }: Pick<DeliveredEvent, 'type' | 'createdAt'>, data: object) {
  return { type, timestamp: toIso(createdAt), data };
}
