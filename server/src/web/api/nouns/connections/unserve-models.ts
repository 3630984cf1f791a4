import type { Actor } from '../../../../base/audit/audit-store.ts';
import type { Database } from '../../../../base/db/database.ts';
import type { RouteEnvironment } from '../../../../jobs/routes/resolve-routes.ts';
import { readCatalogue } from '../../../../upstream/catalog/catalogue.ts';
import { changeModels, type ModelChange } from '../../../../upstream/catalog/change-models.ts';
import type { FileModels } from '../../../../upstream/catalog/file-models.ts';

export interface UnserveDeps {
  database: Database;
  fileModels: FileModels;
  implied: RouteEnvironment['implied'];
}

export async function unserveModels(
  { database, fileModels: file, implied }: UnserveDeps,
  name: string,
  by: Actor,
): Promise<void> {
  const newest = (await readCatalogue(database.read)).newest();
  const changes = newest.flatMap(({ model, definition }): ModelChange[] => {
    if (!definition?.routes?.some(({ connection }) => connection === name)) return [];
    const { routes: before, ...rest } = definition;
    const routes = before.filter(({ connection }) => connection !== name);
    const isImplied = routes.length === 0 && model in implied;
    return [{ id: model, definition: isImplied ? rest : { ...rest, routes } }];
  });
  // The remaining routes are not checked, because a route that no longer works must not prevent the removal.
  await changeModels({ database, file, checkRoutes: () => [] }, changes, by);
}
