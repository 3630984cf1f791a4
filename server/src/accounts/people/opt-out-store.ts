import { nowMs } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import { type EmailTopic, emailTopics } from './email-topics.ts';

export async function listOptOuts(queries: Queries, personId: string): Promise<EmailTopic[]> {
  const rows = await queries
    .selectFrom('email_opt_outs')
    .select('topic')
    .where('person_id', '=', personId)
    .execute();
  return emailTopics.filter((topic) => rows.some((row) => row.topic === topic));
}

export async function insertOptOuts(tx: Tx, personId: string, topics: readonly EmailTopic[]): Promise<void> {
  if (topics.length === 0) return;
  await tx
    .insertInto('email_opt_outs')
    .values(topics.map((topic) => ({ person_id: personId, topic, since: nowMs })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Turns off these topics, and turns on all others. */
export async function replaceOptOuts(tx: Tx, personId: string, topics: readonly EmailTopic[]): Promise<void> {
  await tx
    .deleteFrom('email_opt_outs')
    .where('person_id', '=', personId)
    .$if(topics.length > 0, (query) => query.where('topic', 'not in', topics))
    .execute();
  await insertOptOuts(tx, personId, topics);
}
