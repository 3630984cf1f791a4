import Type from 'typebox';
import { readAlerts } from '../../alerts/alert-store.ts';
import { presentAlerts, readAlertChanges } from '../../alerts/alerts-json.ts';
import { changeAlerts } from '../../alerts/change-alerts.ts';
import { closed } from '../../http/schemas.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';

const maxLength = 20;

/** When an account is told of its balance and limits. */
export function alertCalls(deps: PanelDeps): PanelCall[] {
  return [
    panelCall('GET /panel/accounts/:account_id/alerts', {
      handle: async ({ params }) => presentAlerts(await readAlerts(deps.database.read, params.account_id)),
    }),

    panelCall('POST /panel/accounts/:account_id/alerts', {
      body: closed({
        balance_low: Type.Union([Type.String({ maxLength }), Type.Null()]),
        spend_near_percent: Type.Union([Type.Integer(), Type.Null()]),
      }),
      async handle({ params: { account_id: account }, body, viewer }) {
        const changes = readAlertChanges(body);
        return presentAlerts(await changeAlerts(deps, { account, ...changes }, viewer));
      },
    }),
  ];
}
