import { actorOf } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import { AppError, SettingError } from '../../errors.ts';
import { type ModelChange, writeVersions } from './change-models.ts';
import { type FileModels, overlay } from './file-models.ts';
import type { ModelDefinition } from './model-definition.ts';
import type { ModelId } from './models.ts';
import { specifiedModels } from './specified-models.ts';
import { listNewest, type ModelVersion } from './version-store.ts';

export async function ensureModels(database: Database): Promise<void> {
  if ((await listNewest(database.read)).length > 0) return;
  const changes = specifiedModels.map((definition) => ({ id: definition.id, definition }));
  await amongOthers(() =>
    database.transaction(async (tx) => {
      if ((await listNewest(tx)).length === 0)
        await writeVersions(tx, changes, 'specified', actorOf('darkroom'));
    }),
  );
}

/**
 * Writes the file's models. Models that the file lacks stay, because processes may start with different files.
 * @throws SettingError for a price or route of a model that does not exist
 */
export async function applyFile(database: Database, file: FileModels): Promise<ModelId[]> {
  if (modelsOfFile(file).length === 0) return [];
  const changed = await amongOthers(() =>
    database.transaction(async (tx) => {
      const newest = new Map((await listNewest(tx)).map(({ model, definition }) => [model, definition]));
      return writeVersions(tx, changesOf(file, newest), 'file', actorOf('configuration_file'));
    }),
  );
  if (changed.length > 0) database.notify('models');
  return changed;
}

/**
 * Returns the models after `applyFile`. An installation without models begins with the specified ones.
 * @throws SettingError like `applyFile`
 */
export function planModels(
  found: readonly Pick<ModelVersion, 'model' | 'definition'>[],
  file: FileModels,
): ModelDefinition[] {
  const specified = specifiedModels.map((definition) => ({ model: definition.id, definition }));
  const newest = new Map(
    (found.length > 0 ? found : specified).map(({ model, definition }) => [model, definition]),
  );
  for (const { id, definition } of changesOf(file, newest)) newest.set(id, definition);
  return [...newest.values()].filter((definition) => definition !== null);
}

function changesOf(
  file: FileModels,
  newest: ReadonlyMap<ModelId, ModelDefinition | null>,
): (ModelChange & { definition: ModelDefinition })[] {
  return modelsOfFile(file).map((id) => {
    const definition = file.definitions.find((one) => one.id === id) ?? newest.get(id);
    if (!definition)
      throw new SettingError(`DARKROOM_CONFIG: there is no model ${id}, whose prices or routes it sets.`);
    return { id, definition: overlay(definition, file) };
  });
}

function modelsOfFile({ definitions, prices, routes }: FileModels): ModelId[] {
  return [...new Set([...definitions.map(({ id }) => id), ...Object.keys(prices), ...Object.keys(routes)])];
}

/** Retries if another process has just written, because processes that start together write the same versions. */
async function amongOthers<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof AppError && error.code === 'changed_meanwhile') return write();
    throw error;
  }
}
