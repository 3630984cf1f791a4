import { AppError } from '../../errors.ts';
import { checkRoute } from '../../routes/check-route.ts';
import { reportedRoutes } from '../../routes/report-routes.ts';
import { tryRoute } from '../../routes/try-route.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import type { RouteCheck } from './contract.ts';
import { readModels } from './read-models.ts';

/** Circuits, for operators. */
export function operatorRouteCalls(deps: PanelDeps): PanelCall[] {
  return [
    panelCall('POST /panel/operator/routes/:route_id/check', {
      handle: ({ params }) => check(deps, params.route_id),
    }),

    panelCall('POST /panel/operator/routes/:route_id/try', {
      async handle({ params, viewer }) {
        const route = reportedRoutes(deps.routes).find(({ id }) => id === params.route_id);
        if (!route) throw new AppError('not_found', 'There is no such route.');
        await tryRoute(deps, route.id, viewer);
        return readModels(deps);
      },
    }),
  ];
}

async function check({ routes }: PanelDeps, routeId: string): Promise<RouteCheck> {
  const route = routes.list().find(({ id }) => id === routeId);
  if (!route) throw new AppError('not_found', 'There is no such route in this process.');
  const begin = performance.now();
  const { ok, detail = null } = await checkRoute(route);
  return { route_id: routeId, ok, detail, ms: Math.round(performance.now() - begin) };
}
