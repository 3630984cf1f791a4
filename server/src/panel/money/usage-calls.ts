import Type from 'typebox';
import { closed, oneOf } from '../../http/schemas.ts';
import { readUsage, type UsageQuery } from '../../jobs/read-usage.ts';
import { csv } from '../csv.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import type { Usage } from './contract.ts';

const day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' });
const query = closed({
  from: Type.Optional(day),
  to: Type.Optional(day),
  by: Type.Optional(oneOf(['model', 'key'])),
});

/** Jobs and cost of an account per day. */
export function usageCalls(deps: PanelDeps): PanelCall[] {
  return [
    panelCall('GET /panel/accounts/:account_id/usage', {
      query,
      handle: ({ params, query }) => readUsage(deps, params.account_id, query),
    }),
    panelCall('GET /panel/accounts/:account_id/usage.csv', {
      query,
      async handle({ params, query }) {
        const usage = await readUsage(deps, params.account_id, query as UsageQuery);
        return csv(
          'usage.csv',
          ['day_utc', usage.by, 'name', 'cost', 'jobs', 'done', 'failed'],
          rowsOf(usage),
        );
      },
    }),
  ];
}

function* rowsOf({ days, series }: Usage) {
  for (const { day, values } of days) {
    for (const [index, { id, name }] of series.entries()) {
      const value = values[index];
      if (value && value.jobs > 0) yield [day, id, name, value.cost, value.jobs, value.done, value.failed];
    }
  }
}
