import { findAccount } from '../accounts/account-store.ts';
import { type Actor, insertAuditEntry } from '../accounts/audit-store.ts';
import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { lockBalances } from '../ledger/ledger-store.ts';
import { saveAlerts } from './alert-store.ts';
import type { Alerts } from './alerts.ts';
import { presentAlerts } from './alerts-json.ts';

/**
 * Changes when an account, given by id or by name, is told; what is left out stays. A balance that is below already is
 * told once it was above and fell again.
 *
 * @throws AppError `not_found`
 */
export async function changeAlerts(
  { database }: { database: Database },
  { account: idOrName, ...changes }: { account: string } & Partial<Alerts>,
  by: Actor,
): Promise<Alerts> {
  return database.transaction(async (tx) => {
    const account = await findAccount(tx, idOrName);
    const [locked] = account ? await lockBalances(tx, [account.id]) : [];
    if (!locked) throw new AppError('not_found', `There is no account "${idOrName}".`);
    const alerts = { ...locked.alerts, ...changes };
    await saveAlerts(tx, locked.id, alerts);
    const before = presentAlerts(locked.alerts);
    const detail = {
      ...presentAlerts(alerts),
      balance_low_before: before.balance_low,
      spend_near_percent_before: before.spend_near_percent,
    };
    const entry = {
      action: 'account.alerts_changed' as const,
      accountId: locked.id,
      subject: locked.id,
      detail,
    };
    await insertAuditEntry(tx, by, entry);
    return alerts;
  });
}
