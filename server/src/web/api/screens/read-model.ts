import { AppError } from '../../../errors.ts';
import { describeGaps } from '../../../jobs/routes/coverage.ts';
import { reportedRoutes, reportRoutes } from '../../../jobs/routes/report-routes.ts';
import type { RouteEnvironment } from '../../../jobs/routes/resolve-routes.ts';
import { listVersions } from '../../../upstream/catalog/version-store.ts';
import type { Connection } from '../../../upstream/connections/connection.ts';
import { providerKinds } from '../../../upstream/providers/providers.ts';
import { lockOf, presentVersions } from '../nouns/installed-models/installed-model-json.ts';
import type { ModelsDeps } from './read-models.ts';

export interface ModelDeps extends ModelsDeps {
  implied: RouteEnvironment['implied'];
  readConnections(): Promise<ReadonlyMap<string, Connection>>;
}

const shownVersions = 100;

export async function readModel(deps: ModelDeps, id: string) {
  const { database, catalogue, routes, implied, fileModels } = deps;
  // Reads one more version than it shows, to compare the oldest shown version with it.
  const versions = await listVersions(database.read, id, shownVersions + 1);
  const [newest] = versions;
  if (!newest) throw new AppError('not_found', `There is no model ${id}.`);
  const connections = await deps.readConnections();
  const own = reportedRoutes(routes).filter(({ model }) => model === id);
  const model = catalogue.find(id);
  return {
    model: id,
    version: newest.version,
    /** Null if the model was removed. */
    definition: newest.definition,
    locked: lockOf(fileModels, id),
    /** The routes in use while the definition names none. */
    implied_routes: [...(implied[id] ?? [])],
    routes: await reportRoutes(database, own),
    /** Sentences about combinations that clients may request but no route can make. */
    uncovered: model ? describeGaps([model], routes) : [],
    connections: [...connections.values()].map(({ name, provider }) => ({ name, provider })),
    providers: providerKinds,
    versions: presentVersions(versions).slice(0, shownVersions),
  };
}
