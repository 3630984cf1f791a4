import type { OpenSettings } from '../api/nouns/routes/route-calls.ts';
import { readCatalogue } from '../catalog/catalogue.ts';
import type { Config } from '../config/config.ts';
import type { Connection } from '../connections/connection.ts';
import type { Database } from '../db/database.ts';
import { resolveRoutes, routedModels } from '../routes/resolve-routes.ts';

/** Reads the routes of all models as a server with this configuration would open them. */
export function createOpenSettings(
  database: Database,
  { routeEnvironment, providerKeys: keys }: Pick<Config, 'routeEnvironment' | 'providerKeys'>,
  readConnections: () => Promise<ReadonlyMap<string, Connection>>,
): OpenSettings {
  return async () => {
    const catalogue = await readCatalogue(database.read);
    const connections = await readConnections();
    const settings = resolveRoutes(routedModels(catalogue.newest()), routeEnvironment, connections);
    return { catalogue, settings, connections, keys };
  };
}
