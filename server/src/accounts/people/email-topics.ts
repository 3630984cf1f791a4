/** Emails that people may turn off. All others are always sent: requested ones, security, and receipts. */
export const accountTopics = ['balance', 'limits', 'keys'] as const;
/** Operators alone get emails about `margins`. */
export const emailTopics = [...accountTopics, 'margins'] as const;
export type EmailTopic = (typeof emailTopics)[number];
