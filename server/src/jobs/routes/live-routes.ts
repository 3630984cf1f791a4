import type { Guard } from '../../base/guard/guard.ts';
import type { Log } from '../../base/std/log.ts';
import { SettingError } from '../../errors.ts';
import type { LiveCatalogue } from '../../upstream/catalog/catalogue.ts';
import type { ModelId } from '../../upstream/catalog/models.ts';
import type { ModelVersion } from '../../upstream/catalog/version-store.ts';
import { addressMistake } from '../../upstream/connections/address.ts';
import type { Connection } from '../../upstream/connections/connection.ts';
import { CredentialsWithheld } from '../../upstream/providers/given-credentials.ts';
import { capabilitiesOf } from '../../upstream/providers/providers.ts';
import type { FindSource, RouteSource } from '../costs/cost-of-taken.ts';
import { openRoute, type ProviderKeys, type RouteSettings, upstreamOf } from './open-routes.ts';
import type { ModelServant } from './plan-request.ts';
import {
  type RoutedModel,
  type RouteEnvironment,
  resolveRoutes,
  routedModels,
  type Unresolved,
} from './resolve-routes.ts';
import { estimateOf, type Route } from './route.ts';
import type { Ordered } from './share-by-weight.ts';

/** The routes of the catalogue's models. They follow changes without a restart. */
export interface LiveRoutes {
  /** The routes with their providers; empty in a process without workers. */
  list(): readonly Route[];
  /** The routes as configured, even without workers. */
  settings(): readonly RouteSettings[];
  /** The model's routes in this process, or else those configured. Undefined if only other processes know them. */
  servantsOf(model: ModelId): readonly ModelServant[] | undefined;
  /** Finds a route's provider, upstream model and cost, even without workers; undefined once the route is gone. */
  sourceOf: FindSource;
}

export interface LiveRoutesDeps {
  catalogue: LiveCatalogue;
  environment: RouteEnvironment;
  keys: ProviderKeys;
  readConnections(): Promise<ReadonlyMap<string, Connection>>;
  guard: Guard;
  log: Log;
  /** Whether this process runs jobs. Only then does it open providers. */
  works: boolean;
}

// The time that an attempt needs after its provider's answer.
const retireSlackMs = 10_000;

interface OpenRoute {
  /** The settings with which the route was opened. If they change, the route is opened again. */
  likeness: string;
  route: Route;
}

interface Followed {
  newest: readonly ModelVersion[];
  connections: ReadonlyMap<string, Connection>;
  /** Whether a mistake of the environment or the file is an error. */
  strict: boolean;
}

/** Opens routes, and follows the catalogue. @throws SettingError for a route of the environment or the file */
export async function openLiveRoutes(deps: LiveRoutesDeps): Promise<LiveRoutes & AsyncDisposable> {
  const { catalogue, log, works } = deps;
  let open = new Map<string, OpenRoute>();
  let list: Route[] = [];
  let settings: RouteSettings[] = [];
  let servants = new Map<ModelId, readonly ModelServant[]>();
  let unknown = new Set<ModelId>();
  const retired = new Set<Route>();

  function follow({ newest, connections, strict }: Followed): void {
    const unresolved = new Set<ModelId>();
    const leaveOut = ({ id, model, reason }: Unresolved) => {
      unresolved.add(model);
      log.warn('route.unusable', { route: id, reason });
    };
    settings = resolveAll(routedModels(newest), { ...deps, connections, strict, leaveOut });
    if (strict) warnOfAddresses(newest, log);
    if (!works) {
      servants = Map.groupBy(settings.map(configuredServant), ({ model }) => model);
      unknown = unresolved;
      return;
    }
    const next = new Map<string, OpenRoute>();
    for (const one of settings) {
      const likeness = JSON.stringify([one, one.connection && connections.get(one.connection)]);
      const known = open.get(one.id);
      if (known?.likeness === likeness) {
        next.set(one.id, known);
        continue;
      }
      try {
        const route = openRoute(one, { keys: deps.keys, connections }, deps.guard);
        next.set(one.id, { likeness, route });
        for (const warning of route.provider.warnings ?? [])
          log.warn('route.warning', { route: one.id, warning });
      } catch (error) {
        if (!(error instanceof SettingError) || (strict && !mayStayOut(one, error))) throw error;
        log.warn('route.unusable', { route: one.id, reason: error.message });
      }
    }
    for (const one of open.values()) if (next.get(one.route.id) !== one) retire(one.route, retired);
    open = next;
    list = [...open.values()].map(({ route }) => route);
    servants = Map.groupBy(list, ({ model }) => model);
  }

  const connections = await deps.readConnections();
  follow({ newest: catalogue.newest(), connections, strict: true });
  let following = Promise.resolve();
  // The catalogue waits for the callback, so that it lists no model whose routes are not open yet.
  const stop = catalogue.onChange((newest) => {
    // If the connections cannot be read, the catalogue reads the change again. Any other error would only recur.
    const followed = deps.readConnections().then((connections) => {
      try {
        follow({ newest, connections, strict: false });
      } catch (error) {
        log.warn('routes.not_followed', { reason: String(error) });
      }
    });
    following = followed.catch(() => {}); // the catalogue gets the error
    return followed;
  });
  return {
    list: () => list,
    settings: () => settings,
    servantsOf: (model) => (unknown.has(model) ? undefined : (servants.get(model) ?? [])),
    sourceOf: (id) => sourceOf(settings.find((one) => one.id === id)),
    async [Symbol.asyncDispose]() {
      stop();
      await following;
      await Promise.all([...list, ...retired].map(({ provider }) => provider[Symbol.asyncDispose]?.()));
    },
  };
}

function sourceOf(route: RouteSettings | undefined): RouteSource | undefined {
  if (!route) return undefined;
  const estimateMicros = (resolution: string) => estimateOf(route, resolution);
  return { provider: route.provider, upstreamModel: upstreamOf(route), estimateMicros };
}

/** Keeps a provider until the longest of its running attempts must have ended. */
function retire(route: Route, retired: Set<Route>): void {
  retired.add(route);
  const close = () => {
    if (retired.delete(route)) void route.provider[Symbol.asyncDispose]?.();
  };
  setTimeout(close, route.timeoutMs + retireSlackMs).unref();
}

/** Warns about addresses that new definitions may not have, because older definitions and files may still have them. */
function warnOfAddresses(newest: readonly Pick<ModelVersion, 'model' | 'definition'>[], log: Log): void {
  for (const { model, definition } of newest)
    for (const [index, { baseUrl }] of (definition?.routes ?? []).entries()) {
      const mistake = typeof baseUrl === 'string' ? addressMistake(baseUrl) : undefined;
      if (mistake === undefined) continue;
      const warning = `Its baseUrl, which everyone who may read models can see, ${mistake}`;
      log.warn('route.warning', { route: `/routes/${model}/${index}`, warning });
    }
}

/** Describes what a route can serve, even if it cannot be opened here. */
export function configuredServant(settings: RouteSettings): ModelServant & Ordered {
  return { ...settings, provider: { capabilities: capabilitiesOf(settings) } };
}

/** Asserts that the server could start with the models' routes. Leaves none of them open. @throws SettingError */
export async function assertRoutable(
  models: readonly RoutedModel[],
  deps: Pick<LiveRoutesDeps, 'environment' | 'keys' | 'guard' | 'works'> & {
    connections: ReadonlyMap<string, Connection>;
  },
): Promise<void> {
  const settings = resolveAll(models, { ...deps, strict: true, leaveOut: () => {} });
  if (!deps.works) return;
  for (const one of settings) {
    try {
      const { provider } = openRoute(one, deps, deps.guard);
      await provider[Symbol.asyncDispose]?.();
    } catch (error) {
      if (!(error instanceof SettingError) || !mayStayOut(one, error)) throw error;
    }
  }
}

/**
 * Whether the server starts without this route. A mistake that an operator made outside the environment and the file
 * must not stop the start.
 */
function mayStayOut({ connection }: RouteSettings, { cause }: SettingError): boolean {
  return connection !== undefined || cause instanceof CredentialsWithheld;
}

interface Resolving {
  environment: RouteEnvironment;
  connections: ReadonlyMap<string, Connection>;
  strict: boolean;
  leaveOut(route: Unresolved): void;
}

/** Resolves all routes together, so that a mistake affects only its own route. */
function resolveAll(
  models: readonly RoutedModel[],
  { environment, connections, strict, leaveOut }: Resolving,
): RouteSettings[] {
  const mayLeaveOut =
    !strict || models.some(({ routes }) => routes?.some(({ connection }) => connection !== undefined));
  return resolveRoutes(models, environment, connections, mayLeaveOut ? leaveOut : undefined);
}
