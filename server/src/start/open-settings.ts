import type { Database } from '../base/db/database.ts';
import type { Config } from '../config/config.ts';
import { resolveRoutes, routedModels } from '../jobs/routes/resolve-routes.ts';
import { readCatalogue } from '../upstream/catalog/catalogue.ts';
import type { Connection } from '../upstream/connections/connection.ts';
import type { OpenSettings } from '../web/api/nouns/routes/route-calls.ts';

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
