import type { Database } from '../base/db/database.ts';
import type { Config } from '../config/config.ts';
import { resolveRoutes, routedModels, type Unresolved } from '../jobs/routes/resolve-routes.ts';
import { readCatalogue } from '../upstream/catalog/catalogue.ts';
import type { Connection } from '../upstream/connections/connection.ts';
import type { OpenSettings } from '../web/api/nouns/routes/route-calls.ts';

type OpenedSettings = Awaited<ReturnType<OpenSettings>> & {
  /** Routes that a server of this configuration leaves out. */
  unresolved: readonly Unresolved[];
};

export function createOpenSettings(
  database: Database,
  { routeEnvironment, providerKeys: keys }: Pick<Config, 'routeEnvironment' | 'providerKeys'>,
  readConnections: () => Promise<ReadonlyMap<string, Connection>>,
): () => Promise<OpenedSettings> {
  return async () => {
    const catalogue = await readCatalogue(database.read);
    const connections = await readConnections();
    const unresolved: Unresolved[] = [];
    const settings = resolveRoutes(routedModels(catalogue.newest()), routeEnvironment, connections, (route) =>
      unresolved.push(route),
    );
    return { catalogue, settings, unresolved, connections, keys };
  };
}
