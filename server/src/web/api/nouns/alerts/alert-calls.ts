import type { Database } from '../../../../base/db/database.ts';
import { named } from '../../../../base/http/schemas.ts';
import { readAlerts } from '../../../../notify/alerts/alert-store.ts';
import type { Alerts } from '../../../../notify/alerts/alerts.ts';
import { readAlertChanges } from '../../../../notify/alerts/alerts-json.ts';
import { changeAlerts } from '../../../../notify/alerts/change-alerts.ts';
import { sendsEmails } from '../../../../notify/webhooks/mail/email-store.ts';
import { accountCall } from '../../account-call.ts';
import { alertChanges, alertsSchema, presentOwnAlerts } from './alert-json.ts';

const tag = 'Accounts';

export function alertCalls({ database }: { database: Database }) {
  const present = async (alerts: Alerts) => presentOwnAlerts(alerts, await sendsEmails(database.read));
  return {
    get: accountCall({
      tag,
      operationId: 'getAccountAlerts',
      summary: 'Read the alerts of an account about its balance and limits',
      reply: named(alertsSchema),
      handle: async ({ accountId }) => present(await readAlerts(database.read, accountId)),
    }),

    change: accountCall({
      tag,
      operationId: 'changeAccountAlerts',
      summary: 'Change the alerts of an account about its balance and limits',
      description:
        'The alerts are the events `balance.low` and `spend_limit.near`, which are sent to the endpoints that name them. Omitted fields keep their values; null means never.',
      body: alertChanges,
      reply: named(alertsSchema),
      errors: ['not_found'],
      handle: async ({ accountId, by, body }) =>
        present(await changeAlerts({ database }, { account: accountId, ...readAlertChanges(body) }, by)),
    }),
  };
}
