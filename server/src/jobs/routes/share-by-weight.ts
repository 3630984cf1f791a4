import { hash } from 'node:crypto';
import type { Route } from './route.ts';

export type Ordered = Pick<Route, 'id' | 'model' | 'weight' | 'cost' | 'byCost'>;

/** Adjacent weighted routes share the accounts by weighted rendezvous hashing, so that an account keeps its route. */
export function shareByWeight<One extends Ordered>(
  routes: readonly One[],
  accountId: string,
): readonly One[] {
  if (routes.every(({ weight }) => weight === undefined)) return routes;
  return ranksOf(routes).flatMap((rank) =>
    rank.toSorted((a, b) => scoreOf(b, accountId) - scoreOf(a, accountId)),
  );
}

/** Groups routes that are tried one after another. Adjacent routes with a weight form one group. */
export function ranksOf<One extends Ordered>(routes: readonly One[]): One[][] {
  const ranks: One[][] = [];
  for (const route of routes) {
    const rank = ranks.at(-1);
    const [first] = rank ?? [];
    const shares = first?.weight !== undefined && route.weight !== undefined && first.model === route.model;
    if (rank && shares) rank.push(route);
    else ranks.push([route]);
  }
  return ranks;
}

/** Scores a route for an account, so that each route has the highest score for its share of the accounts. */
function scoreOf({ id, weight = 1 }: Ordered, accountId: string): number {
  const digits = hash('sha256', `${id} ${accountId}`, 'hex').slice(0, 12);
  const uniform = (Number.parseInt(digits, 16) + 1) / (2 ** 48 + 1);
  return -weight / Math.log(uniform);
}
