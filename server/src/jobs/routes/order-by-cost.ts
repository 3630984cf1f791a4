import { estimateOf, type Route } from './route.ts';
import type { RouteCost } from './route-costs.ts';
import { type Ordered, ranksOf, shareByWeight } from './share-by-weight.ts';

/** The number of imaginary images without a failure in each route's count, so that one failure changes no order. */
const trustedImages = 10n;

interface Asked {
  accountId: string;
  resolution: string;
}

/**
 * Orders a model's routes: the cheapest first if the model says so, otherwise as listed, with accounts shared among
 * weighted routes. Pure.
 */
export function orderRoutes<One extends Ordered>(
  routes: readonly One[],
  asked: Asked,
  costs: ReadonlyMap<string, RouteCost>,
): readonly One[] {
  return routes.some(({ byCost }) => byCost)
    ? orderByCost(routes, asked, costs)
    : shareByWeight(routes, asked.accountId);
}

/**
 * Orders routes by the mean cost of a delivered image, those with unknown costs last. Adjacent weighted routes stay
 * together. Pure.
 */
export function orderByCost<One extends Ordered>(
  routes: readonly One[],
  { accountId, resolution }: Asked,
  costs: ReadonlyMap<string, RouteCost>,
): readonly One[] {
  const ranks = ranksOf(routes).map((rank) => ({ rank, cost: meanOf(rank, resolution, costs) }));
  return ranks
    .toSorted(({ cost: one }, { cost: other }) => {
      if (one === undefined || other === undefined)
        return Number(one === undefined) - Number(other === undefined);
      return Number(one - other);
    })
    .flatMap(({ rank }) => shareByWeight(rank, accountId));
}

function meanOf(
  rank: readonly Ordered[],
  resolution: string,
  costs: ReadonlyMap<string, RouteCost>,
): bigint | undefined {
  let [sum, weights] = [0n, 0n];
  for (const route of rank) {
    const cost = acceptedCostOf(route, resolution, costs.get(route.id));
    if (cost === undefined) return undefined;
    const weight = BigInt(route.weight ?? 1);
    [sum, weights] = [sum + cost * weight, weights + weight];
  }
  return sum / weights;
}

/** The cost of a delivered image, with its share of failures; undefined if unknown. */
export function acceptedCostOf(
  route: Pick<Route, 'cost'>,
  resolution: string,
  made: RouteCost | undefined,
): bigint | undefined {
  const each = estimateOf(route, resolution) ?? meanCostOf(made);
  if (each === undefined || !made || each === 0n) return each;
  const trusted = each * trustedImages;
  const delivered = made.costMicros - made.wastedMicros + trusted;
  return (each * (made.costMicros + trusted)) / delivered;
}

/** The mean cost of the images whose cost is known, without failures. */
function meanCostOf(made: RouteCost | undefined): bigint | undefined {
  const costed = made ? made.images - made.uncosted : 0;
  return made && costed > 0 ? (made.costMicros - made.wastedMicros) / BigInt(costed) : undefined;
}
