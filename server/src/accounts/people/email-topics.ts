/** Topics that people can turn off. Other emails are always sent: requested emails, receipts and security emails. */
export const accountTopics = ['balance', 'limits', 'keys'] as const;
/** Only operators get emails about `margins`. */
export const emailTopics = [...accountTopics, 'margins'] as const;
export type EmailTopic = (typeof emailTopics)[number];
