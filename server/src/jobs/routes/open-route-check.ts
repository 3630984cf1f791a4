import type { ChangeModelsDeps } from '../../upstream/catalog/change-models.ts';
import type { ModelDefinition } from '../../upstream/catalog/model-definition.ts';
import type { Connection } from '../../upstream/connections/connection.ts';
import type { RouteCheckDeps } from './check-routes.ts';

export interface RouteCheck extends Pick<ChangeModelsDeps, 'checkRoutes'> {
  /** Sentences about requests that no route of the model can serve. */
  gapsOf(definition: ModelDefinition): string[];
}

/** Opens the route check of `changeModels` with the current connections. */
export async function openRouteCheck({
  readConnections,
  ...deps
}: Omit<RouteCheckDeps, 'connections'> & {
  readConnections(): Promise<ReadonlyMap<string, Connection>>;
}): Promise<RouteCheck> {
  // Loaded on first use, because it takes 10 MB, which most processes do not need.
  const { checkRoutes, gapsOfDefinition } = await import('./check-routes.ts');
  const connections = await readConnections();
  return {
    checkRoutes: (definition) => checkRoutes(definition, { ...deps, connections }),
    gapsOf: (definition) => gapsOfDefinition(definition, { ...deps, connections }),
  };
}
