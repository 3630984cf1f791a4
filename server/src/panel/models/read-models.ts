import { listPauses, type Pause, type PauseScope } from '../../admission/pause-store.ts';
import { placesOf } from '../../catalog/file-models.ts';
import type { ModelId } from '../../catalog/models.ts';
import { readQueue } from '../../jobs/job-store.ts';
import { formatMicros } from '../../ledger/money.ts';
import { reportedRoutes, reportRoutes } from '../../routes/report-routes.ts';
import { toIso, toIsoOrNull } from '../../std/iso-time.ts';
import { presentQueue } from '../jobs/present-queue.ts';
import type { PanelDeps } from '../panel-deps.ts';
import type { ModelLock, OperatorModels, PauseDetail } from './contract.ts';

/** All models with their queues and routes. */
export async function readModels(deps: PanelDeps): Promise<OperatorModels> {
  const { database, catalogue } = deps;
  const pauses = await listPauses(database.read);
  const routes = await reportRoutes(database, reportedRoutes(deps.routes));
  const pauseOf = (scope: PauseScope) => presentPause(pauses.find((pause) => pause.scope === scope));
  return {
    project_pause: pauseOf('project'),
    models: await Promise.all(
      catalogue.list().map(async ({ id, name, resolutions }) => ({
        model: id,
        name,
        pause: pauseOf(id),
        prices: [...resolutions].map(([resolution, { priceMicros }]) => ({
          resolution,
          price: formatMicros(priceMicros),
        })),
        routes: routes.filter((route) => route.model === id),
        queue: presentQueue(await readQueue(database.read, { model: id })),
        locked: lockOf(deps, id),
      })),
    ),
    removed: catalogue
      .newest()
      .flatMap(({ model, definition, createdAt }) =>
        definition === null ? [{ model, at: toIso(createdAt) }] : [],
      ),
  };
}

/** Where the configuration file sets a model. */
export function lockOf(
  { configured: { models } }: Pick<PanelDeps, 'configured'>,
  id: ModelId,
): ModelLock | null {
  const places = placesOf(models, id);
  return places.length === 0 ? null : { file: models.path, places };
}

function presentPause(pause: Pause | undefined): PauseDetail | null {
  if (!pause) return null;
  return { reason: pause.reason, until: toIsoOrNull(pause.until), since: toIso(pause.since) };
}
