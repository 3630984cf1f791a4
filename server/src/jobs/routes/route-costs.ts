import type { Database } from '../../base/db/database.ts';
import { readNow } from '../../base/db/rows.ts';
import type { Clock } from '../../base/std/clock.ts';
import { keepReading } from '../../base/std/lateness/keep-reading.ts';
import type { Log } from '../../base/std/log.ts';
import { type MarginSums, sumMargins } from '../costs/margin-store.ts';
import { dayMs } from '../read-days.ts';
import type { Route } from './route.ts';

export type RouteCost = Pick<MarginSums, 'costMicros' | 'wastedMicros' | 'images' | 'uncosted'>;

export interface RouteCosts {
  /** Costs by route id, about a minute old under steady use. */
  latest(): Promise<ReadonlyMap<string, RouteCost>>;
  /** The costs that were read last, if any of these routes is chosen by cost; otherwise empty. */
  current(routes: readonly Route[]): Promise<ReadonlyMap<string, RouteCost>>;
}

/** The number of days to sum: today and the six before. Current prices and failures say more than last month's. */
const days = 7;
/** How long costs are fresh. Claims never wait for new ones: reading can take seconds with many accounts and models. */
const freshMs = 60_000;

export async function readRouteCosts({
  reports,
}: Pick<Database, 'reports'>): Promise<Map<string, RouteCost>> {
  const last = Math.floor((await readNow(reports)) / dayMs);
  const sums = await sumMargins(reports, { first: last - days + 1, last, by: ['route'] });
  return new Map(sums.map((sum) => [sum.groups[0] ?? '', sum]));
}

/** Keeps the costs for a minute. While new costs are read or cannot be read, claims use the previous ones. */
export function keepRouteCosts({
  database,
  clock,
  log,
}: {
  database: Pick<Database, 'reports'>;
  clock: Clock;
  log: Log;
}): RouteCosts {
  const none: ReadonlyMap<string, RouteCost> = new Map();
  const latest = keepReading({
    read: () => readRouteCosts(database),
    none,
    freshMs,
    nowMs: () => clock.monotonicMs(),
    onError: (error) => log.warn('routes.costs_not_read', { reason: String(error) }),
  });
  return {
    latest,
    current: async (routes) => (routes.some(({ byCost }) => byCost) ? latest() : none),
  };
}
