import { listPauses, type PauseScope } from '../../admission/pause-store.ts';
import type { LiveCatalogue } from '../../catalog/catalogue.ts';
import type { FileModels } from '../../catalog/file-models.ts';
import type { Database } from '../../db/database.ts';
import { readQueue } from '../../jobs/job-store.ts';
import type { LiveRoutes } from '../../routes/live-routes.ts';
import { reportedRoutes, reportRoutes } from '../../routes/report-routes.ts';
import { toIso } from '../../std/iso-time.ts';
import { presentInstalledModel } from '../nouns/installed-models/installed-model-json.ts';
import { presentPause } from '../nouns/pauses/pause-json.ts';
import { presentQueue } from './present-queue.ts';

export interface ModelsDeps {
  database: Database;
  catalogue: LiveCatalogue;
  routes: LiveRoutes;
  fileModels: FileModels;
}

/** All models with their queues and routes. */
export async function readModels({ database, catalogue, routes, fileModels }: ModelsDeps) {
  const pauses = await listPauses(database.read);
  const reports = await reportRoutes(database, reportedRoutes(routes));
  const newest = catalogue.newest();
  const pauseOf = (scope: PauseScope) => {
    const pause = pauses.find((one) => one.scope === scope);
    return pause ? presentPause(pause) : null;
  };
  return {
    project_pause: pauseOf('project'),
    models: await Promise.all(
      catalogue.list().map(async (model) => ({
        model: presentInstalledModel(
          model,
          newest.find((one) => one.model === model.id),
          fileModels,
        ),
        pause: pauseOf(model.id),
        routes: reports.filter((route) => route.model === model.id),
        queue: presentQueue(await readQueue(database.read, { model: model.id })),
      })),
    ),
    /** Those may be brought back. */
    removed: newest.flatMap(({ model, definition, createdAt }) =>
      definition === null ? [{ model, at: toIso(createdAt) }] : [],
    ),
  };
}
