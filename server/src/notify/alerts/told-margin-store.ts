import { sql } from 'kysely';
import type { EmailTopic } from '../../accounts/people/email-topics.ts';
import { nowMs } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import type { MarginAlert } from './margin-alerts.ts';

export function findOperatorsWanting(
  queries: Queries,
  topic: EmailTopic,
): Promise<{ personId: string; email: string }[]> {
  return queries
    .selectFrom('operators')
    .innerJoin('people', 'people.id', 'operators.person_id')
    .select(['people.id as personId', 'people.email'])
    .where('people.email_verified', '=', 1)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('email_opt_outs')
            .select('person_id')
            .whereRef('person_id', '=', 'people.id')
            .where('topic', '=', topic),
        ),
      ),
    )
    .orderBy('people.email')
    .execute();
}

export async function isAnyMarginTold(queries: Queries): Promise<boolean> {
  return (await queries.selectFrom('told_margins').select('model').limit(1).executeTakeFirst()) !== undefined;
}

/** Records that these alerts are current, and removes alerts that were absent for too long. */
export async function keepToldMargins(
  tx: Tx,
  standing: readonly MarginAlert[],
  forgetAfterMs: number,
): Promise<void> {
  for (const { model, alert } of standing)
    await tx
      .updateTable('told_margins')
      .set({ seen_at: nowMs })
      .where('model', '=', model)
      .where('alert', '=', alert)
      .execute();
  await tx
    .deleteFrom('told_margins')
    .where('seen_at', '<', sql<number>`${nowMs} - ${sql.lit(forgetAfterMs)}`)
    .execute();
}

/** Inserts alerts, and returns the new ones. A concurrent transaction with the same alerts waits, and gets none. */
export async function insertToldMargins(tx: Tx, standing: readonly MarginAlert[]): Promise<MarginAlert[]> {
  if (standing.length === 0) return [];
  const rows = await tx
    .insertInto('told_margins')
    .values(standing.map(({ model, alert }) => ({ model, alert, seen_at: nowMs })))
    .onConflict((conflict) => conflict.doNothing())
    .returning(['model', 'alert'])
    .execute();
  return standing.filter((one) =>
    rows.some(({ model, alert }) => model === one.model && alert === one.alert),
  );
}
