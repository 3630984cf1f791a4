/** What people may turn off. All else is a duty: what somebody asked for, their security, and receipts. */
export const accountTopics = ['balance', 'limits', 'keys'] as const;
/** Operators alone get emails about `margins`. */
export const emailTopics = [...accountTopics, 'margins'] as const;
export type EmailTopic = (typeof emailTopics)[number];
