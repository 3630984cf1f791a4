import type { EmailTopic } from '../../accounts/people/email-topics.ts';

/** The events for ended jobs. Endpoints that name no types get these. */
export const jobEventTypes = ['job.done', 'job.failed'] as const;
/** The other events, for endpoints that name their type. */
export const otherEventTypes = [
  'batch.completed',
  'balance.low',
  'spend_limit.near',
  'spend_limit.reached',
  'key.expiring',
  'payment.received',
  'top_up.stopped',
  'policy.strike',
] as const;

/**
 * The events that are also sent by email, to owners and members who manage billing. Each has the topic by which people
 * turn it off, or `duty` if they cannot.
 */
export const mailedTypes: Partial<Record<EventType, EmailTopic | 'duty'>> = {
  'balance.low': 'balance',
  'spend_limit.near': 'limits',
  'spend_limit.reached': 'limits',
  'key.expiring': 'keys',
  'payment.received': 'duty',
  'top_up.stopped': 'duty',
  'policy.strike': 'duty',
};

/** The topic of an event's emails; null for emails that are always sent. */
export function topicOf(type: EventType): EmailTopic | null {
  const topic = mailedTypes[type] ?? 'duty';
  return topic === 'duty' ? null : topic;
}

export const eventTypes = [...jobEventTypes, ...otherEventTypes] as const;
export type EventType = (typeof eventTypes)[number];
export type JobEventType = (typeof jobEventTypes)[number];
export type OtherEventType = (typeof otherEventTypes)[number];
