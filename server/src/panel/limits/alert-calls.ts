import Type from 'typebox';
import { readAlerts } from '../../alerts/alert-store.ts';
import { presentAlerts, readAlertChanges } from '../../alerts/alerts-json.ts';
import { changeAlerts } from '../../alerts/change-alerts.ts';
import { closed } from '../../http/schemas.ts';
import { sendsLetters } from '../../webhooks/mail/letter-store.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';

const maxLength = 20;

/** When an account is told of its balance and limits. */
export function alertCalls(deps: PanelDeps): PanelCall[] {
  return [
    panelCall('GET /panel/accounts/:account_id/alerts', {
      handle: async ({ params: { account_id: account } }) => ({
        ...presentAlerts(await readAlerts(deps.database.read, account)),
        letters: await sendsLetters(deps.database.read),
      }),
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
