import { SettingError } from '../../errors.ts';
import type { ModelDefinition, RouteDefinition } from '../../upstream/catalog/model-definition.ts';
import type { ModelId } from '../../upstream/catalog/models.ts';
import type { ModelVersion } from '../../upstream/catalog/version-store.ts';
import type { Connection } from '../../upstream/connections/connection.ts';
import {
  addressVariable,
  connectable,
  type ProviderChoice,
  type ProviderKind,
  providerSettings,
  providers,
} from '../../upstream/providers/providers.ts';
import type { RouteSettings } from './open-routes.ts';
import type { RouteEntry } from './route-definition.ts';

/** A model with its routes; `undefined` for those implied by the environment. */
export interface RoutedModel {
  id: ModelId;
  routes: readonly RouteDefinition[] | undefined;
  order?: ModelDefinition['order'];
}

export function routedModels(newest: readonly Pick<ModelVersion, 'definition'>[]): RoutedModel[] {
  return newest.flatMap(({ definition }) =>
    definition
      ? [
          {
            id: definition.id,
            routes: definition.routes,
            ...(definition.order && { order: definition.order }),
          },
        ]
      : [],
  );
}

export interface RouteEnvironment {
  /** The routes of the specified models if no setting names any. */
  implied: Readonly<Record<ModelId, readonly RouteEntry[]>>;
  /** Default addresses of providers, for routes without one. */
  addresses: Readonly<Partial<Record<ProviderKind, string>>>;
}

/** A route that cannot be resolved, with the reason. */
export interface Unresolved {
  id: string;
  model: ModelId;
  reason: string;
}

/**
 * Resolves routes to settings that can be opened.
 * @param leaveOut is called for each route with a mistake, which is then left out
 * @throws SettingError that names the first mistake and its place, without `leaveOut`
 */
export function resolveRoutes(
  models: readonly RoutedModel[],
  environment: RouteEnvironment,
  connections: ReadonlyMap<string, Connection>,
  leaveOut?: (route: Unresolved) => void,
): RouteSettings[] {
  let isReal = false;
  const found = models.flatMap((model) => {
    const ids = new Set<string>();
    const routes: readonly RouteDefinition[] = model.routes ?? environment.implied[model.id] ?? [];
    return routes.flatMap((route, index) => {
      const place = placeOf(model, index);
      const wanted = `${model.id}/${route.name ?? route.connection ?? route.provider}`;
      const resolved = orLeftOut({ id: wanted, model: model.id }, leaveOut, () => ({
        // Taken even if the route is left out, so that the routes after it keep their ids.
        id: takeId(wanted, ids, { isNamed: route.name !== undefined, place }),
        ...{ model: model.id, byCost: model.order === 'cost', place },
        ...withProvider(route, connections, place),
      }));
      // A route that is left out may be of any provider.
      isReal ||= resolved[0]?.entry.provider !== 'sketch';
      return resolved;
    });
  });
  return found.flatMap(({ entry, connection, place, ...route }) =>
    orLeftOut(route, leaveOut, () => {
      const safe = isReal ? withoutDirectives(entry, place) : entry;
      const address = connection
        ? { ...(connection.baseUrl !== undefined && { baseUrl: connection.baseUrl }) }
        : withAddress(entry, environment, place);
      return toSettings({ ...route, connection: connection?.name }, safe, address);
    }),
  );
}

function orLeftOut<Resolved>(
  { id, model }: Pick<Unresolved, 'id' | 'model'>,
  leaveOut: ((route: Unresolved) => void) | undefined,
  resolve: () => Resolved,
): Resolved[] {
  try {
    return [resolve()];
  } catch (error) {
    if (!leaveOut || !(error instanceof SettingError)) throw error;
    leaveOut({ id, model, reason: error.message });
    return [];
  }
}

function placeOf({ id, routes }: RoutedModel, index: number): string {
  return routes ? `/routes/${id}/${index}` : `the default route of ${id}`;
}

/** Adds the provider of a route's connection, which may have changed since the definition was checked. */
function withProvider(
  definition: RouteDefinition,
  connections: ReadonlyMap<string, Connection>,
  place: string,
): { entry: RouteEntry; connection?: Connection } {
  const { connection: name, ...rest } = definition;
  if (name === undefined) return { entry: definition as RouteEntry };
  const connection = connections.get(String(name));
  if (!connection) {
    const known = [...connections.keys()].join(', ') || 'none';
    throw new SettingError(`${place}/connection is "${name}", which does not exist (there are: ${known})`);
  }
  const { provider } = connection;
  const { required = [] } = providerSettings[provider];
  const missing = required.find((field) => field !== 'baseUrl' && !Object.hasOwn(rest, field));
  if (missing !== undefined)
    throw new SettingError(`${place} needs "${missing}", because the connection "${name}" is of ${provider}`);
  return { entry: { ...rest, provider } as RouteEntry, connection };
}

/**
 * Turns off the simulator's directives in prompts, for installations where another provider costs money.
 * @throws SettingError
 */
function withoutDirectives(entry: RouteEntry, place: string): RouteEntry {
  if (entry.provider !== 'sketch') return entry;
  if (entry.directives || entry.crash)
    throw new SettingError(`${place}: orders in prompts are for tests, with no other provider than sketch`);
  return { ...entry, directives: false };
}

function withAddress(
  entry: RouteEntry,
  { addresses }: RouteEnvironment,
  place: string,
): { baseUrl?: string } {
  if (entry.provider === 'sketch') return {};
  if (entry.baseUrl !== undefined) {
    const url = URL.parse(entry.baseUrl);
    if (!url)
      throw new SettingError(`${place}/baseUrl must be an address such as https://images.example.com`);
    if (url.password)
      throw new SettingError(
        `${place}/baseUrl carries a password; addresses with one belong in the environment`,
      );
    return { baseUrl: entry.baseUrl };
  }
  const address = addresses[entry.provider];
  if (address !== undefined) return { baseUrl: address };
  if (connectable[entry.provider].connection.needsAddress)
    throw new SettingError(
      `${place} needs a baseUrl, or ${addressVariable(entry.provider)} in the environment`,
    );
  return {};
}

function takeId(
  wanted: string,
  taken: Set<string>,
  { isNamed, place }: { isNamed: boolean; place: string },
): string {
  if (isNamed && taken.has(wanted)) {
    const [model, name] = wanted.split('/');
    throw new SettingError(`${place}/name is "${name}", as that of another route of ${model}`);
  }
  let id = wanted;
  for (let number = 2; taken.has(id); number += 1) id = `${wanted}-${number}`;
  taken.add(id);
  return id;
}

function toSettings(
  {
    id,
    model,
    byCost,
    connection,
  }: { id: string; model: ModelId; byCost: boolean; connection: string | undefined },
  entry: RouteEntry,
  address: { baseUrl?: string },
): RouteSettings {
  const { provider, name: _name, slots, timeoutSeconds, perMinute, fit, upscale, ...more } = entry;
  const { parameters, weight, cost, ...settings } = more;
  const { usual } = providers[provider];
  return {
    id,
    model,
    ...(connection !== undefined && { connection }),
    slots: slots ?? usual.slots,
    timeoutMs: (timeoutSeconds ?? usual.timeoutSeconds) * 1000,
    ...(perMinute !== undefined && { perMinute }),
    ...(fit !== undefined && { fit }),
    ...(upscale !== undefined && { upscale }),
    ...(parameters !== undefined && { parameters }),
    ...(weight !== undefined && { weight }),
    ...(cost !== undefined && { cost }),
    ...(byCost && { byCost }),
    // The cast is right, because a route's schema, including its address, is the schema of the provider's settings.
    ...({ provider, settings: { ...settings, ...address } } as ProviderChoice),
  };
}
