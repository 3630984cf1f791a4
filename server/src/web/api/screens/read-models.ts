import type { Database } from '../../../base/db/database.ts';
import { toIso } from '../../../base/std/iso-time.ts';
import { listPauses, type PauseScope } from '../../../jobs/admission/pause-store.ts';
import { readQueue } from '../../../jobs/job-store.ts';
import type { LiveRoutes } from '../../../jobs/routes/live-routes.ts';
import { reportedRoutes, reportRoutes } from '../../../jobs/routes/report-routes.ts';
import type { LiveCatalogue } from '../../../upstream/catalog/catalogue.ts';
import type { FileModels } from '../../../upstream/catalog/file-models.ts';
import { presentInstalledModel } from '../nouns/installed-models/installed-model-json.ts';
import { presentPause } from '../nouns/pauses/pause-json.ts';
import { presentQueue } from './present-queue.ts';

export interface ModelsDeps {
  database: Database;
  catalogue: LiveCatalogue;
  routes: LiveRoutes;
  fileModels: FileModels;
}

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
    removed: newest.flatMap(({ model, definition, createdAt }) =>
      definition === null ? [{ model, at: toIso(createdAt) }] : [],
    ),
  };
}
