import type { EmailTopic } from '../../accounts/people/email-topics.ts';

/** Endpoints that name no types get these events. */
export const jobEventTypes = ['job.done', 'job.failed'] as const;
/** Only endpoints that name these types get such events. */
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
 * Events that are also emailed, to owners and members who manage billing. People can turn off topics, except `duty`.
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

/** Null for emails that are always sent. */
export function topicOf(type: EventType): EmailTopic | null {
  const topic = mailedTypes[type] ?? 'duty';
  return topic === 'duty' ? null : topic;
}

export const eventTypes = [...jobEventTypes, ...otherEventTypes] as const;
export type EventType = (typeof eventTypes)[number];
export type JobEventType = (typeof jobEventTypes)[number];
export type OtherEventType = (typeof otherEventTypes)[number];
