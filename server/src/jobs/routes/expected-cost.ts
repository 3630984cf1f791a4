import type { Model } from '../../upstream/catalog/models.ts';
import { configuredServant, type LiveRoutes } from './live-routes.ts';
import { acceptedCostOf, orderRoutes } from './order-by-cost.ts';
import { planRequest, shapeOf } from './plan-request.ts';
import type { RouteCost } from './route-costs.ts';

/** The expected cost of an image, with its share of failures, on the first route that can make it; null if unknown. */
export function expectedCost(
  routes: Pick<LiveRoutes, 'list' | 'settings'>,
  { model, accountId, ...wanted }: { model: Model; accountId: string } & Parameters<typeof shapeOf>[1],
  costs: ReadonlyMap<string, RouteCost>,
): bigint | null {
  const here = routes.list();
  const all = here.length > 0 ? here : routes.settings().map(configuredServant);
  const own = all.filter((route) => route.model === model.id);
  const shape = shapeOf(model, wanted);
  const { resolution } = shape;
  const first = orderRoutes(own, { accountId, resolution }, costs).find((route) => planRequest(route, shape));
  return (first && acceptedCostOf(first, resolution, costs.get(first.id))) ?? null;
}
