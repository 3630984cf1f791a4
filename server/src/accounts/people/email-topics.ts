/** What people may turn off. All else is a duty: what somebody asked for, their security, and receipts. */
export const emailTopics = ['balance', 'limits', 'keys'] as const;
export type EmailTopic = (typeof emailTopics)[number];
