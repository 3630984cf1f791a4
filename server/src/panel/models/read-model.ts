import { describeChanges } from '../../catalog/describe-changes.ts';
import type { ModelId } from '../../catalog/models.ts';
import { listVersions, type ModelVersion } from '../../catalog/version-store.ts';
import { AppError } from '../../errors.ts';
import { providerKinds } from '../../providers/providers.ts';
import { describeGaps } from '../../routes/coverage.ts';
import { reportedRoutes, reportRoutes } from '../../routes/report-routes.ts';
import { toIso } from '../../std/iso-time.ts';
import type { PanelDeps } from '../panel-deps.ts';
import type { ModelVersionRow, OperatorModelDetail } from './contract.ts';
import { lockOf } from './read-models.ts';

const shownVersions = 100;

/** A model with all that a page needs to change it. */
export async function readModel(deps: PanelDeps, id: ModelId): Promise<OperatorModelDetail> {
  const { database, catalogue } = deps;
  // One more than is shown, for the difference of the last.
  const versions = await listVersions(database.read, id, shownVersions + 1);
  const [newest] = versions;
  if (!newest) throw new AppError('not_found', `There is no model ${id}.`);
  const connections = await deps.readConnections();
  const own = reportedRoutes(deps.routes).filter(({ model }) => model === id);
  const model = catalogue.find(id);
  return {
    model: id,
    version: newest.version,
    definition: newest.definition,
    locked: lockOf(deps, id),
    implied_routes: [...(deps.configured.routeEnvironment.implied[id] ?? [])],
    routes: await reportRoutes(database, own),
    uncovered: model ? describeGaps([model], deps.routes) : [],
    connections: [...connections.values()].map(({ name, provider }) => ({ name, provider })),
    providers: providerKinds,
    versions: versions.slice(0, shownVersions).map((version, index) => present(version, versions[index + 1])),
  };
}

function present(version: ModelVersion, before: ModelVersion | undefined): ModelVersionRow {
  return {
    version: version.version,
    at: toIso(version.createdAt),
    by: version.author.name,
    source: version.source,
    removed: version.definition === null,
    changes: describeChanges(before?.definition ?? null, version.definition),
  };
}
