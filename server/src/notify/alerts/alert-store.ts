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

export async function saveAlerts(tx: Tx, accountId: string, alerts: Alerts): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ alert_balance_micros: alerts.balanceMicros, alert_spend_percent: alerts.spendPercent })
    .where('id', '=', accountId)
    .execute();
}

/** Lets limits whose near-limit alert was already sent be reported again. */
export async function forgetToldLimits(tx: Tx, accountId: string): Promise<void> {
  await sql`update limits set told = 0 where told = 1 and (subject_id = ${accountId}
    or subject_id in (select id from api_keys where account_id = ${accountId}))`.execute(tx);
}
