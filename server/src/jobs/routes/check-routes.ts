import type { Guard } from '../../base/guard/guard.ts';
import { SettingError } from '../../errors.ts';
import type { Mistake } from '../../upstream/catalog/check-definition.ts';
import {
  type ModelDefinition,
  type RouteDefinition,
  toModel,
} from '../../upstream/catalog/model-definition.ts';
import { addressMistake } from '../../upstream/connections/address.ts';
import { describeGap, findGaps, whyUseless } from './coverage.ts';
import { configuredServant } from './live-routes.ts';
import { type Credentials, openRoute } from './open-routes.ts';
import { type RouteEnvironment, resolveRoutes } from './resolve-routes.ts';
import { findRouteMistake } from './route-definition.ts';

export interface RouteCheckDeps extends Credentials {
  environment: RouteEnvironment;
  guard: Guard;
}

/** Finds settings that no provider accepts, and routes that cannot be opened. Connects to nothing. */
export function checkRoutes(definition: ModelDefinition, deps: RouteCheckDeps): Mistake[] {
  const { routes = [], parameters = {}, resolutions } = definition;
  const mistakes = routes.flatMap((route, index) => {
    const found = checkRoute(route, deps.connections) ?? checkNames(route, { parameters, resolutions });
    return found ? [{ ...found, pointer: `/routes/${index}${found.pointer}` }] : [];
  });
  if (mistakes.length > 0) return mistakes;
  try {
    return checkOpened(definition, routes, deps);
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    return [{ pointer: '/routes', detail: `cannot be used: ${error.message}` }];
  }
}

/** Describes combinations that the definition's routes, or those implied by the environment, cannot make. */
export function gapsOfDefinition(
  definition: ModelDefinition,
  { environment, connections }: Pick<RouteCheckDeps, 'environment' | 'connections'>,
): string[] {
  const settings = resolveRoutes(
    [{ id: definition.id, routes: definition.routes }],
    environment,
    connections,
  );
  return findGaps([toModel(definition, 0)], settings.map(configuredServant)).map(describeGap);
}

function checkRoute(
  { connection: name, ...rest }: RouteDefinition,
  connections: Credentials['connections'],
): Mistake | undefined {
  const connection = name === undefined ? undefined : connections.get(String(name));
  if (name !== undefined && !connection) {
    const known = [...connections.keys()].join(', ') || 'none yet';
    return { pointer: '/connection', detail: `must be one of the connections (${known}).` };
  }
  if (connection && rest.baseUrl !== undefined)
    return { pointer: '/baseUrl', detail: 'is that of the connection; leave it out.' };
  const mistake = findRouteMistake(connection ? { ...rest, provider: connection.provider } : rest);
  if (mistake) return { pointer: mistake.pointer, detail: `${mistake.message}.` };
  const detail = typeof rest.baseUrl === 'string' ? addressMistake(rest.baseUrl) : undefined;
  return detail === undefined ? undefined : { pointer: '/baseUrl', detail };
}

function checkNames(
  { parameters: paths = {}, cost }: RouteDefinition,
  { parameters, resolutions }: Required<Pick<ModelDefinition, 'parameters' | 'resolutions'>>,
): Mistake | undefined {
  const unknown = Object.keys(paths as object).find((name) => !Object.hasOwn(parameters, name));
  if (unknown !== undefined)
    return { pointer: `/parameters/${unknown}`, detail: 'is not a parameter of the model.' };
  const priced = typeof cost === 'object' && cost !== null ? Object.keys(cost) : [];
  const size = priced.find((name) => !Object.hasOwn(resolutions, name));
  return size === undefined
    ? undefined
    : { pointer: `/cost/${size}`, detail: 'is not a resolution of the model.' };
}

/** Checks that upstreams have fields for the parameters, and that a route serves part of the model. */
function checkOpened(
  definition: ModelDefinition,
  routes: readonly RouteDefinition[],
  deps: RouteCheckDeps,
): Mistake[] {
  const resolved = resolveRoutes([{ id: definition.id, routes }], deps.environment, deps.connections);
  const model = toModel(definition, 0);
  const checked = resolved.map((settings, index) => {
    const route = openRoute(settings, deps, deps.guard);
    void route.provider[Symbol.asyncDispose]?.();
    const wrong = Object.entries(settings.parameters ?? {}).filter(
      ([, path]) => !route.provider.takesField(path),
    );
    const fields = wrong.map(([name, path]) => ({
      pointer: `/routes/${index}/parameters/${name}`,
      detail: `names "${path}", which a request to ${route.provider.id} lacks, or which Darkroom sets itself.`,
    }));
    return { fields, useless: routes.length > 0 ? whyUseless(model, route) : undefined };
  });
  const fields = checked.flatMap((one) => one.fields);
  const useless = checked.flatMap(({ useless: why }, index) =>
    why === undefined ? [] : [{ pointer: `/routes/${index}`, detail: `can serve no request: it ${why}` }],
  );
  // One useful route is enough, because another version of the model may need the other routes.
  return fields.length > 0 || useless.length < checked.length ? fields : useless;
}
