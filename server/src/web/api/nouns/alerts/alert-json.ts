import Type, { type Static } from 'typebox';
import { closed, nullable } from '../../../../base/http/schemas.ts';
import type { Alerts } from '../../../../notify/alerts/alerts.ts';
import { presentAlerts } from '../../../../notify/alerts/alerts-json.ts';

const fields = {
  balance_low: nullable(Type.String(), {
    description: 'The balance below which the alert is sent; null: never.',
    examples: ['5.00'],
  }),
  spend_near_percent: nullable(Type.Integer({ minimum: 1, maximum: 100 }), {
    description:
      'The share of a spend limit, of the account or of one of its keys, at which the alert is sent; null: never.',
    examples: [80],
  }),
};

export const alertsSchema = Type.Object(
  {
    ...fields,
    by_email: Type.Boolean({
      description:
        'Whether the alert is also sent by email to owners and billing members: true if the installation sends emails.',
    }),
  },
  { $id: 'Alerts' },
);

export const alertChanges = closed(
  {
    balance_low: Type.Optional(fields.balance_low),
    spend_near_percent: Type.Optional(fields.spend_near_percent),
  },
  { title: 'AlertChanges' },
);

export function presentOwnAlerts(alerts: Alerts, byEmail: boolean): Static<typeof alertsSchema> {
  return { ...presentAlerts(alerts), by_email: byEmail };
}
