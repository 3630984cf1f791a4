import { accountOf } from '../accounts/account-of.ts';
import { readAlerts } from '../alerts/alert-store.ts';
import { type AlertsJson, presentAlerts, readAlertChanges } from '../alerts/alerts-json.ts';
import { changeAlerts } from '../alerts/change-alerts.ts';
import type { Actor } from '../audit/audit-store.ts';
import type { Database } from '../db/database.ts';

/** When accounts are told of their balance and of their limits. */
export function alertVerbs(deps: { database: Database }, by: Actor) {
  return {
    async accountAlerts(account: string) {
      const { id } = await accountOf(deps.database.read, account);
      return presentAlerts(await readAlerts(deps.database.read, id));
    },
    /** What is not named stays as it is. */
    async changeAccountAlerts(account: string, alerts: AlertsJson) {
      return presentAlerts(await changeAlerts(deps, { account, ...readAlertChanges(alerts) }, by));
    },
  };
}
