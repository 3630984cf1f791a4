import type { Actor } from '../audit/audit-store.ts';
import { readCatalogue } from '../catalog/catalogue.ts';
import { type ChangeModelsDeps, changeModels, checkChanges } from '../catalog/change-models.ts';
import { describeChanges } from '../catalog/describe-changes.ts';
import type { ModelDefinition } from '../catalog/model-definition.ts';
import type { Model } from '../catalog/models.ts';
import { findVersion, listVersions, type ModelVersion } from '../catalog/version-store.ts';
import { AppError } from '../errors.ts';
import { formatMicros } from '../ledger/money.ts';
import type { RouteCheck } from '../routes/open-route-check.ts';
import { toIso } from '../std/iso-time.ts';

export interface ModelVerbDeps extends Pick<ChangeModelsDeps, 'database'> {
  fileModels: ChangeModelsDeps['file'];
  /** Opened on demand: most verbs need no connection. */
  openRouteCheck(): Promise<RouteCheck>;
  /** Until this process has the newest models. */
  followChanges(): Promise<void>;
}

/** Models. */
export function modelVerbs(
  { database, fileModels: file, openRouteCheck, followChanges }: ModelVerbDeps,
  by: Actor,
) {
  const readNewest = async () => (await readCatalogue(database.read)).newest();
  return {
    async listModels() {
      const catalogue = await readCatalogue(database.read);
      const newest = new Map(catalogue.newest().map((version) => [version.model, version]));
      return catalogue.list().map((model) => presentModel(model, newest.get(model.id)));
    },

    /** In the form that `applyModels` and the configuration file take. */
    async exportModels(): Promise<{ models: ModelDefinition[] }> {
      return { models: (await readNewest()).flatMap(({ definition }) => definition ?? []) };
    },

    /**
     * What the models would change, and what they would offer that none of their routes makes; with `apply` it is done.
     * Models that are not named stay as they are.
     */
    async applyModels({ models, apply = false }: { models: unknown; apply?: boolean }) {
      const changes = readModels(models).map((definition) => ({ id: definition.id, definition }));
      const { gapsOf, ...check } = await openRouteCheck();
      const deps = { database, file, ...check };
      await checkChanges(deps, changes);
      const newest = new Map((await readNewest()).map(({ model, definition }) => [model, definition]));
      const differences = changes.flatMap(({ id, definition }) => {
        const before = newest.get(id) ?? null;
        const changed = describeChanges(before, definition);
        if (Object.keys(changed).length === 0) return [];
        return [{ model: id, action: before ? ('change' as const) : ('add' as const), changes: changed }];
      });
      if (apply) {
        await changeModels(deps, changes, by);
        await followChanges();
      }
      return {
        applied: apply,
        differences,
        uncovered: changes.flatMap(({ definition }) => gapsOf(definition)),
      };
    },

    /** Every version, newest first, with what it changed. */
    async modelHistory(id: string) {
      const versions = await listVersions(database.read, id);
      if (versions.length === 0) throw new AppError('not_found', `There never was a model "${id}".`);
      return versions.map(({ version, definition, source, author, createdAt }, index) => ({
        version,
        at: toIso(createdAt),
        by: author.name,
        source,
        removed: definition === null,
        changes: describeChanges(versions[index + 1]?.definition ?? null, definition),
      }));
    },

    /** Makes an older version the newest one. */
    async restoreModel(id: string, version: number) {
      const found = await findVersion(database.read, id, version);
      if (!found?.definition)
        throw new AppError('not_found', `The model ${id} has no version ${version} to go back to.`);
      const deps = { database, file, ...(await openRouteCheck()) };
      await changeModels(deps, [{ id, definition: found.definition }], by);
      await followChanges();
    },

    async removeModel(id: string) {
      const catalogue = await readCatalogue(database.read);
      if (!catalogue.find(id)) throw new AppError('not_found', `There is no model "${id}".`);
      await changeModels({ database, file, checkRoutes: () => [] }, [{ id, definition: null }], by);
      await followChanges();
    },
  };
}

function presentModel(model: Model, newest: ModelVersion | undefined) {
  const { id, version, name, modes, resolutions, parameters } = model;
  const prices = [...resolutions].map(([resolution, { priceMicros }]) => [
    resolution,
    formatMicros(priceMicros),
  ]);
  return {
    id,
    version,
    name,
    modes,
    prices: Object.fromEntries(prices) as Record<string, string>,
    parameters: Object.keys(parameters),
    source: newest?.source ?? 'operator',
    /** Null: those that the environment implies. */
    routes: newest?.definition?.routes?.length ?? null,
  };
}

function readModels(list: unknown): ModelDefinition[] {
  if (Array.isArray(list) && list.every((one) => isObject(one) && typeof one.id === 'string'))
    return list as ModelDefinition[]; // checked by `checkChanges`
  throw new AppError('invalid_request', 'There must be a list of models, each with an "id".');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
