import { commandLine } from '../../src/base/audit/audit-store.ts';
import { changeModels } from '../../src/upstream/catalog/change-models.ts';
import type { FileModels } from '../../src/upstream/catalog/file-models.ts';
import type { ModelDefinition } from '../../src/upstream/catalog/model-definition.ts';
import type { World } from './world.ts';

/** The configuration file sets no model. */
export const noFile: FileModels = { path: '', definitions: [], prices: {}, routes: {} };

export async function changeModel(
  { app }: Pick<World, 'app'>,
  id: string,
  change: (before: ModelDefinition | null) => ModelDefinition | null,
): Promise<void> {
  const before = app.catalogue.newest().find(({ model }) => model === id)?.definition ?? null;
  const deps = { database: app.database, file: noFile, checkRoutes: () => [] };
  await changeModels(deps, [{ id, definition: change(structuredClone(before)) }], commandLine);
  await app.changes.refresh();
}

export function changePrice(world: Pick<World, 'app'>, id: string, price: string): Promise<void> {
  return changeModel(world, id, (before) => {
    const sizing = before?.resolutions['1K'];
    if (!before || !sizing) throw new Error(`the model ${id} has no price at 1K`);
    return { ...before, resolutions: { ...before.resolutions, '1K': { ...sizing, price } } };
  });
}
