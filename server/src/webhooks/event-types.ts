/** What an event may be. */
export const eventTypes = ['job.done', 'job.failed'] as const;
export type EventType = (typeof eventTypes)[number];
