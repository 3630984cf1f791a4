import { activityQuery, readOwnActivity } from '../../api/nouns/money/usage-table-call.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';

/** Jobs, cost and speed of an account per day or hour. */
export function usageCalls(deps: PanelDeps): PanelCall[] {
  return [
    panelCall('GET /panel/accounts/:account_id/usage', {
      query: activityQuery,
      handle: ({ params, query }) => readOwnActivity(deps, params.account_id, query),
    }),
  ];
}
