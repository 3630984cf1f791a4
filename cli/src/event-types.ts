import { InvalidArgumentError } from 'commander';
import type { Answer } from './operator.ts';

export type EventType = NonNullable<Answer<'addEndpoint'>['events']>[number];

// This list repeats the server's list, because importing that list would load the server.
const types = [
  'job.done',
  'job.failed',
  'batch.completed',
  'balance.low',
  'spend_limit.near',
  'spend_limit.reached',
  'key.expiring',
  'payment.received',
  'top_up.stopped',
  'policy.strike',
] as const satisfies EventType[];

/** Parses `job.failed`, `job.failed,balance.low`, or `all`, which means every event about the end of a job. */
export function parseEvents(text: string): EventType[] | 'all' {
  if (text === 'all') return text;
  const wanted = new Set(text.split(',').map((part) => part.trim()));
  const known = types.filter((type) => wanted.has(type));
  if (known.length > 0 && known.length === wanted.size) return known;
  throw new InvalidArgumentError(`Events are ${types.join(', ')}, or all: every end of a job.`);
}

export function filterOf(events: EventType[] | 'all' | undefined): { events?: EventType[] | null } {
  return events === undefined ? {} : { events: events === 'all' ? null : events };
}
