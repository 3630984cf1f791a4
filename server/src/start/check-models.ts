import type { Database } from '../base/db/database.ts';
import { readOwnSchema } from '../base/db/migrating/read-schema.ts';
import type { Config } from '../config/config.ts';
import { assertRoutable } from '../jobs/routes/live-routes.ts';
import { routedModels } from '../jobs/routes/resolve-routes.ts';
import { planModels } from '../upstream/catalog/apply-file.ts';
import { listNewest } from '../upstream/catalog/version-store.ts';
import type { Connection } from '../upstream/connections/connection.ts';
import { listConnections } from '../upstream/connections/connection-store.ts';
import { guardBeside } from './beside-server.ts';

/** The first schema version with models and connections. No later migration changed their tables. */
const withModels = 13;

/**
 * Checks the models before a start writes anything. `database` is null if the start will create it.
 * @throws SettingError, DatabaseRefused
 */
export async function checkModels(config: Config, database: Database | null): Promise<void> {
  const version = database ? await readOwnSchema(database) : 0;
  const read = version >= withModels ? database?.read : undefined;
  const models = planModels(read ? await listNewest(read) : [], config.models);
  const stored = (read ? await listConnections(read) : []).map(({ name, provider, baseUrl }): Connection => {
    // Routes with a connection never prevent a start, so their credentials need not be opened.
    return { name, provider, ...(baseUrl !== null && { baseUrl }), source: 'operator' };
  });
  await assertRoutable(routedModels(models.map((definition) => ({ definition }))), {
    environment: config.routeEnvironment,
    keys: config.providerKeys,
    connections: new Map([...stored.map((one) => [one.name, one] as const), ...config.connections]),
    guard: guardBeside(config, database),
    works: config.role !== 'api',
  });
}
