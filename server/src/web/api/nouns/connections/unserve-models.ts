import type { Actor } from '../../../../base/audit/audit-store.ts';
import type { Database } from '../../../../base/db/database.ts';
import { AppError } from '../../../../errors.ts';
import type { RouteEnvironment } from '../../../../jobs/routes/resolve-routes.ts';
import { readCatalogue } from '../../../../upstream/catalog/catalogue.ts';
import { changeModels, type ModelChange } from '../../../../upstream/catalog/change-models.ts';
import type { FileModels } from '../../../../upstream/catalog/file-models.ts';
import { requireStored } from '../../../../upstream/connections/save-connection.ts';

export interface UnserveDeps {
  database: Database;
  fileModels: FileModels;
  implied: RouteEnvironment['implied'];
}

/**
 * Removes the connection's routes from the models' newest versions, which others may change meanwhile.
 * @throws AppError `not_found` for an unknown connection, whose routes stay
 */
export async function unserveModels(deps: UnserveDeps, name: string, by: Actor): Promise<void> {
  const { database, fileModels: file } = deps;
  await requireStored(database.read, name);
  const changes = await withoutRoutes(deps, name);
  try {
    // The remaining routes are not checked, because a route that no longer works must not prevent the removal.
    await changeModels({ database, file, checkRoutes: () => [] }, changes, by);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'changed_meanwhile') throw error;
    await unserveModels(deps, name, by);
  }
}

async function withoutRoutes({ database, implied }: UnserveDeps, name: string): Promise<ModelChange[]> {
  const newest = (await readCatalogue(database.read)).newest();
  return newest.flatMap(({ model, version, definition }): ModelChange[] => {
    if (!definition?.routes?.some(({ connection }) => connection === name)) return [];
    const { routes: before, ...rest } = definition;
    const routes = before.filter(({ connection }) => connection !== name);
    const isImplied = routes.length === 0 && model in implied;
    return [{ id: model, definition: isImplied ? rest : { ...rest, routes }, after: version }];
  });
}
