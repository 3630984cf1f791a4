import type { Database } from '../../base/db/database.ts';
import { toIso } from '../../base/std/iso-time.ts';
import { formatMicros } from '../../money/ledger/money.ts';
import { endOf, type ModelEnd } from '../../upstream/calendar/model-end.ts';
import { isOwnAddress } from '../../upstream/providers/given-credentials.ts';
import { readCircuits } from './circuit-store.ts';
import type { OpenState } from './decide-circuit.ts';
import type { LiveRoutes } from './live-routes.ts';
import { type RouteSettings, upstreamOf } from './open-routes.ts';
import type { Route } from './route.ts';
import { type RouteCost, readRouteCosts } from './route-costs.ts';
import { countRunning, readRouteStats } from './route-stats-store.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** A route to report, which may run in another process. */
export type ReportedRoute = Pick<
  Route,
  'id' | 'model' | 'slots' | 'timeoutMs' | 'perMinute' | 'weight' | 'cost' | 'byCost'
> & {
  provider: string;
  /** The model's name at the upstream; null if the settings leave it to the provider. */
  upstream: string | null;
  /** True if the route's address is not the provider's own. */
  isElsewhere?: boolean;
};

export interface RouteState {
  route: string;
  model: string;
  provider: string;
  upstream_model: string | null;
  slots: number;
  running: number;
  /** `half_open`: the next job probes the route. An `OpenState` tells why the circuit is open. */
  state: 'closed' | 'half_open' | OpenState;
  /** The time (ISO 8601) before which the route gets no job. */
  until: string | null;
  /** A failure kind. */
  reason: string | null;
}

export interface RouteReport extends RouteState {
  /** When the upstream model ends, if it has ended or will within 30 days. */
  upstream_end: ModelEnd | null;
  timeout_seconds: number;
  per_minute: number | null;
  /** The weight by which adjacent routes share the jobs. */
  weight: number | null;
  by_cost: boolean;
  /** The operator's estimate of the cost per image, by resolution, or under `any` for all. */
  cost_estimate: Record<string, string> | null;
  detail: string | null;
  /** The number of jobs of the last 24 hours, by the route of their last attempt, without cancelled jobs. */
  done: number;
  failed: number;
  /** The number of attempts of the last 24 hours that failed upstream, even if their job succeeded. */
  failures: number;
  p50_seconds: number | null;
  p95_seconds: number | null;
  /** The mean cost of images in the last 24 hours; null if unknown. */
  cost_per_image: string | null;
  /** The cost of all attempts of the last seven days, including failures, per delivered image. */
  cost_with_failures: string | null;
  last_error: string | null;
}

export function configuredRoute(settings: RouteSettings): ReportedRoute {
  const address = 'baseUrl' in settings.settings ? settings.settings.baseUrl : undefined;
  const isElsewhere = address !== undefined && !isOwnAddress(settings.provider, address);
  return { ...settings, upstream: upstreamOf(settings), isElsewhere };
}

export function reportedRoutes(routes: LiveRoutes): ReportedRoute[] {
  const configured = routes.settings().map(configuredRoute);
  const here = routes.list();
  if (here.length === 0) return configured;
  const elsewhere = new Set(configured.flatMap(({ id, isElsewhere }) => (isElsewhere ? [id] : [])));
  return here.map((route) => ({
    ...route,
    provider: route.provider.id,
    upstream: route.provider.model,
    isElsewhere: elsewhere.has(route.id),
  }));
}

export async function readRouteStates(
  database: Database,
  routes: readonly ReportedRoute[],
): Promise<RouteState[]> {
  const now = await readNow(database);
  return routes.map((route) => presentState(route, now));
}

export async function reportRoutes(
  database: Database,
  routes: readonly ReportedRoute[],
): Promise<RouteReport[]> {
  const now = await readNow(database);
  const [stats, costs] = await Promise.all([
    readRouteStats(database.read, now.nowMs - dayMs),
    readRouteCosts(database),
  ]);
  return routes.map((route): RouteReport => {
    const own = stats.get(route.id);
    return {
      ...presentState(route, now),
      upstream_end: endOf(route, now.nowMs),
      timeout_seconds: route.timeoutMs / 1000,
      per_minute: route.perMinute ?? null,
      weight: route.weight ?? null,
      by_cost: route.byCost ?? false,
      cost_estimate: typeof route.cost === 'string' ? { any: route.cost } : (route.cost ?? null),
      detail: now.circuits.get(route.id)?.detail ?? null,
      done: own?.done ?? 0,
      failed: own?.failed ?? 0,
      failures: own?.failures ?? 0,
      p50_seconds: toSeconds(own?.medianMs),
      p95_seconds: toSeconds(own?.p95Ms),
      cost_per_image: own && own.costed > 0 ? formatMicros(own.costMicros / BigInt(own.costed)) : null,
      cost_with_failures: withFailures(costs.get(route.id)),
      last_error: own?.lastError ?? null,
    };
  });
}

type Now = Awaited<ReturnType<typeof readNow>>;

async function readNow({ read }: Database) {
  return { ...(await readCircuits(read)), running: await countRunning(read) };
}

function presentState(route: ReportedRoute, { nowMs: now, circuits, running }: Now): RouteState {
  const circuit = circuits.get(route.id);
  return {
    route: route.id,
    model: route.model,
    provider: route.provider,
    upstream_model: route.upstream,
    slots: route.slots,
    running: running.get(route.id) ?? 0,
    state: circuit === undefined ? 'closed' : circuit.until > now ? circuit.state : 'half_open',
    until: circuit && circuit.until > now ? toIso(circuit.until) : null,
    reason: circuit?.reason ?? null,
  };
}

function withFailures(made: RouteCost | undefined): string | null {
  const isKnown = made && made.images > 0 && made.uncosted < made.images;
  return isKnown ? formatMicros(made.costMicros / BigInt(made.images - made.uncosted)) : null;
}

function toSeconds(ms: number | null | undefined): number | null {
  return ms == null ? null : ms / 1000;
}
