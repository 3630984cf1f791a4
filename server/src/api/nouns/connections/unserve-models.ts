import type { Actor } from '../../../audit/audit-store.ts';
import { readCatalogue } from '../../../catalog/catalogue.ts';
import { changeModels, type ModelChange } from '../../../catalog/change-models.ts';
import type { FileModels } from '../../../catalog/file-models.ts';
import type { Database } from '../../../db/database.ts';
import type { RouteEnvironment } from '../../../routes/resolve-routes.ts';

export interface UnserveDeps {
  database: Database;
  fileModels: FileModels;
  implied: RouteEnvironment['implied'];
}

/** Takes all routes through a connection out of the models. */
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
  // The routes that stay were checked when they came, and one that broke since must not keep this one here.
  await changeModels({ database, file, checkRoutes: () => [] }, changes, by);
}
