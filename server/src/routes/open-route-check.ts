import type { ChangeModelsDeps } from '../catalog/change-models.ts';
import type { Connection } from '../connections/connection.ts';
import type { RouteCheckDeps } from './check-routes.ts';

/** The check of routes that `changeModels` takes, against the connections as they are now. */
export async function openRouteCheck({
  readConnections,
  ...deps
}: Omit<RouteCheckDeps, 'connections'> & {
  readConnections(): Promise<ReadonlyMap<string, Connection>>;
}): Promise<ChangeModelsDeps['checkRoutes']> {
  // Loaded on first use: it takes 10 MB, which most processes never need.
  const { checkRoutes } = await import('./check-routes.ts');
  const connections = await readConnections();
  return (definition) => checkRoutes(definition, { ...deps, connections });
}
