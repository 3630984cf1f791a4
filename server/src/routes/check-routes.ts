import type { Mistake } from '../catalog/check-definition.ts';
import type { ModelDefinition, RouteDefinition } from '../catalog/model-definition.ts';
import { SettingError } from '../errors.ts';
import type { Guard } from '../guard/guard.ts';
import { type Credentials, openRoute } from './open-routes.ts';
import { type RouteEnvironment, resolveRoutes } from './resolve-routes.ts';
import { findRouteMistake } from './route-definition.ts';

export interface RouteCheckDeps extends Credentials {
  environment: RouteEnvironment;
  guard: Guard;
}

/** Mistakes in the routes of a definition: what no provider takes, and what cannot be opened. Opens no connection. */
export function checkRoutes(
  { id, routes = [], parameters = {}, resolutions }: ModelDefinition,
  deps: RouteCheckDeps,
): Mistake[] {
  const mistakes = routes.flatMap((route, index) => {
    const found = checkRoute(route, deps.connections) ?? checkNames(route, { parameters, resolutions });
    return found ? [{ ...found, pointer: `/routes/${index}${found.pointer}` }] : [];
  });
  if (mistakes.length > 0) return mistakes;
  try {
    return checkFields(id, routes, deps);
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    return [{ pointer: '/routes', detail: `cannot be used: ${error.message}` }];
  }
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
  return mistake && { pointer: mistake.pointer, detail: `${mistake.message}.` };
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

/** Whether the upstream's request has the fields where the parameters are to stand. */
function checkFields(id: string, routes: readonly RouteDefinition[], deps: RouteCheckDeps): Mistake[] {
  return resolveRoutes([{ id, routes }], deps.environment, deps.connections).flatMap((settings, index) => {
    const { provider } = openRoute(settings, deps, deps.guard);
    const wrong = Object.entries(settings.parameters ?? {}).filter(([, path]) => !provider.takesField(path));
    void provider[Symbol.asyncDispose]?.();
    return wrong.map(([name, path]) => ({
      pointer: `/routes/${index}/parameters/${name}`,
      detail: `names "${path}", which a request to ${provider.id} does not have or which Darkroom sets itself.`,
    }));
  });
}
