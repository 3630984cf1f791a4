import { livingAccountOf } from '../../accounts/account-of.ts';
import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import { lockBalances } from '../../money/ledger/ledger-store.ts';
import { forgetToldLimits, saveAlerts } from './alert-store.ts';
import type { Alerts } from './alerts.ts';
import { presentAlerts } from './alerts-json.ts';

/**
 * Changes alert settings. A balance that is already below a new threshold is not reported.
 * @throws AppError `not_found`
 */
export async function changeAlerts(
  { database }: { database: Database },
  { account: idOrName, ...changes }: { account: string } & Partial<Alerts>,
  by: Actor,
): Promise<Alerts> {
  return database.transaction(async (tx) => {
    const { id: accountId } = await livingAccountOf(tx, idOrName);
    const [locked] = await lockBalances(tx, [accountId]);
    if (!locked) throw new Error('the account that was just found cannot be locked');
    const alerts = { ...locked.alerts, ...changes };
    await saveAlerts(tx, locked.id, alerts);
    // A changed balance alert must not report the same limits again.
    if (alerts.spendPercent !== locked.alerts.spendPercent) await forgetToldLimits(tx, locked.id);
    const before = presentAlerts(locked.alerts);
    const detail = {
      ...presentAlerts(alerts),
      balance_low_before: before.balance_low,
      spend_near_percent_before: before.spend_near_percent,
    };
    await insertAuditEntry(tx, by, {
      action: 'account.alerts_changed',
      accountId: locked.id,
      subject: locked.id,
      detail,
    });
    return alerts;
  });
}
