import { sql } from 'kysely';
import type { Queries, Tx } from '../../base/db/schema.ts';
import type { Alerts } from './alerts.ts';

export async function readAlerts(queries: Queries, accountId: string): Promise<Alerts> {
  const row = await queries
    .selectFrom('accounts')
    .select(['alert_balance_micros', 'alert_spend_percent'])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  return { balanceMicros: row.alert_balance_micros, spendPercent: row.alert_spend_percent };
}

/** Saves alert settings. Limits whose near-limit alert was already sent can then be reported again. */
export async function saveAlerts(tx: Tx, accountId: string, alerts: Alerts): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ alert_balance_micros: alerts.balanceMicros, alert_spend_percent: alerts.spendPercent })
    .where('id', '=', accountId)
    .execute();
  await sql`update limits set told = 0 where told = 1 and (subject_id = ${accountId}
    or subject_id in (select id from api_keys where account_id = ${accountId}))`.execute(tx);
}
