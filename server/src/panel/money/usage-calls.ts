import Type from 'typebox';
import { csv } from '../../api/csv.ts';
import { closed, oneOf } from '../../http/schemas.ts';
import { assertKnownFilters } from '../../jobs/known-filters.ts';
import { readActivity, splits } from '../../jobs/read-activity.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import type { Activity, ActivityQuery } from './contract.ts';

const day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' });
const query = closed({
  from: Type.Optional(day),
  to: Type.Optional(day),
  by: Type.Optional(oneOf(splits)),
  key_id: Type.Optional(Type.String({ format: 'uuid' })),
});

/** Jobs, cost and speed of an account per day or hour. */
export function usageCalls(deps: PanelDeps): PanelCall[] {
  return [
    panelCall('GET /panel/accounts/:account_id/usage', {
      query,
      handle: ({ params, query }) => readOf(deps, params.account_id, query),
    }),
    panelCall('GET /panel/accounts/:account_id/usage.csv', {
      query,
      async handle({ params, query }) {
        const activity = await readOf(deps, params.account_id, query as ActivityQuery);
        return csv(
          'usage.csv',
          [`${activity.slot}_utc`, activity.by, 'name', 'cost', 'jobs', 'done', 'failed'],
          rowsOf(activity),
        );
      },
    }),
  ];
}

async function readOf(deps: PanelDeps, accountId: string, query: ActivityQuery): Promise<Activity> {
  const { key_id: keyId } = query;
  await assertKnownFilters(deps.database.read, deps.catalogue, { accountId, ...(keyId && { keyId }) });
  return readActivity(deps, accountId, query);
}

const beginning = { day: 10, hour: 16 } as const;

function* rowsOf({ slot, slots, series }: Activity) {
  for (const { at, values } of slots) {
    for (const [index, { id, name }] of series.entries()) {
      const value = values[index];
      if (!value || value.jobs === 0) continue;
      yield [at.slice(0, beginning[slot]), id, name, value.cost, value.jobs, value.done, value.failed];
    }
  }
}
