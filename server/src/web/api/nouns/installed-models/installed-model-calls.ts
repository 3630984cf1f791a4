import Type, { type Static } from 'typebox';
import type { Actor } from '../../../../base/audit/audit-store.ts';
import type { Database } from '../../../../base/db/database.ts';
import { closed, versionPattern } from '../../../../base/http/schemas.ts';
import { AppError, invalidField } from '../../../../errors.ts';
import type { RouteCheck } from '../../../../jobs/routes/open-route-check.ts';
import { readCatalogue } from '../../../../upstream/catalog/catalogue.ts';
import {
  type ChangeModelsDeps,
  changeModels,
  checkChanges,
  type ModelChange,
} from '../../../../upstream/catalog/change-models.ts';
import { describeChanges } from '../../../../upstream/catalog/describe-changes.ts';
import type { ModelDefinition } from '../../../../upstream/catalog/model-definition.ts';
import { findVersion, listVersions, type ModelVersion } from '../../../../upstream/catalog/version-store.ts';
import { installationCall } from '../../installation-call.ts';
import {
  definitionSchema,
  installedModelSchema,
  modelChanges,
  modelPlanSchema,
  modelVersionSchema,
  olderModelSchema,
  presentInstalledModel,
  presentVersions,
} from './installed-model-json.ts';

export interface InstalledModelDeps {
  database: Database;
  fileModels: ChangeModelsDeps['file'];
  /** Opened on demand, because most calls need no connection. */
  openRouteCheck(): Promise<RouteCheck>;
  followChanges(): Promise<void>;
}

const tag = 'Models';
const params = Type.Object({ model_id: Type.String() });
const ifVersion = Type.Optional(
  Type.String({
    pattern: versionPattern,
    description:
      'The version on which the change is based. If there is a newer one, the call fails with `changed_meanwhile`.',
    'x-documented': { type: 'integer', minimum: 1 },
  }),
);

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function installedModelCalls(deps: InstalledModelDeps) {
  const { database, fileModels } = deps;
  return {
    list: installationCall({
      tag,
      operationId: 'listModels',
      summary: 'List the models, with their versions and prices',
      reply: Type.Object({ data: Type.Array(installedModelSchema) }, { title: 'InstalledModelList' }),
      async handle() {
        const catalogue = await readCatalogue(database.read);
        const newest = new Map(catalogue.newest().map((one) => [one.model, one]));
        return {
          data: catalogue
            .list()
            .map((model) => presentInstalledModel(model, newest.get(model.id), fileModels)),
        };
      },
    }),

    apply: installationCall({
      tag,
      operationId: 'applyModels',
      summary: 'Add and change models',
      description:
        'Returns the differences and what no route could make; with `apply`, makes the changes, all or none. Models that are not named stay unchanged.',
      body: modelChanges,
      reply: modelPlanSchema,
      errors: ['changed_meanwhile'],
      handle: ({ body, by }) => applyModels(deps, body, by),
    }),

    exportAll: installationCall({
      tag,
      operationId: 'exportModels',
      summary: 'Read the definitions of all models',
      description: 'Lists them in the form that `POST /models` and the configuration file take.',
      reply: Type.Object({ models: Type.Array(definitionSchema) }, { title: 'ModelExport' }),
      handle: async () => ({
        models: [...(await readNewest(database)).values()].flatMap(({ definition }) => definition ?? []),
      }),
    }),

    versions: installationCall({
      tag,
      operationId: 'listModelVersions',
      summary: 'List the versions of a model, newest first',
      description: 'Lists each version with its author and changes.',
      params,
      reply: Type.Object({ data: Type.Array(modelVersionSchema) }, { title: 'ModelVersionList' }),
      errors: ['not_found'],
      async handle({ params: { model_id: id } }) {
        const versions = await listVersions(database.read, id);
        if (versions.length === 0) throw new AppError('not_found', `There never was a model "${id}".`);
        return { data: presentVersions(versions) };
      },
    }),

    version: installationCall({
      tag,
      operationId: 'getModelVersion',
      summary: 'Read an older version of a model, and what restoring it would change',
      params: Type.Object({ ...params.properties, version: Type.String({ examples: ['1'] }) }),
      reply: olderModelSchema,
      errors: ['not_found'],
      async handle({ params: { model_id: id, version: number } }) {
        const { version, definition } = await readOlder(database, id, number);
        const [newest] = await listVersions(database.read, id, 1);
        return { version, definition, changes: describeChanges(newest?.definition ?? null, definition) };
      },
    }),

    restore: installationCall({
      tag,
      operationId: 'restoreModel',
      summary: 'Go back to an older version of a model',
      params,
      body: closed(
        {
          version: Type.Integer({ minimum: 1 }),
          if_version: Type.Optional(
            Type.Integer({
              minimum: 1,
              description:
                'The newest version at the time of reading. If there is a newer one, the call fails with `changed_meanwhile`.',
            }),
          ),
        },
        { title: 'ModelRestore' },
      ),
      status: 204,
      reply: Type.Null({ description: 'It was unchanged.' }),
      errors: ['not_found', 'changed_meanwhile'],
      async handle({ params: { model_id: id }, body: { version, if_version: after }, by }) {
        const { definition } = await readOlder(database, id, String(version));
        const check = await deps.openRouteCheck();
        await changeModels(
          { database, file: fileModels, ...check },
          [{ id, definition, ...(after !== undefined && { after }) }],
          by,
        );
        await deps.followChanges();
        return null;
      },
    }),

    remove: installationCall({
      tag,
      operationId: 'removeModel',
      summary: 'Remove a model from the catalogue',
      description: 'Keeps its jobs and their images.',
      params,
      query: closed({ if_version: ifVersion }),
      status: 204,
      reply: Type.Null({ description: 'It is gone.' }),
      errors: ['not_found', 'changed_meanwhile'],
      async handle({ params: { model_id: id }, query, by }) {
        const newest = (await readNewest(database)).get(id);
        if (!newest?.definition) throw new AppError('not_found', `There is no model "${id}".`);
        const after = query.if_version === undefined ? {} : { after: Number(query.if_version) };
        const unchecked = { database, file: fileModels, checkRoutes: () => [] };
        await changeModels(unchecked, [{ id, definition: null, ...after }], by);
        await deps.followChanges();
        return null;
      },
    }),
  };
}

async function applyModels(
  { database, fileModels: file, openRouteCheck, followChanges }: InstalledModelDeps,
  { models, if_versions: versions = {}, apply = false }: Static<typeof modelChanges>,
  by: Actor,
) {
  const newest = await readNewest(database);
  const changes = readChanges(models, versions, newest);
  const { gapsOf, ...check } = await openRouteCheck();
  const deps = { database, file, ...check };
  await checkChanges(deps, changes);
  const differences = changes.flatMap(({ id, definition }) => {
    const before = newest.get(id)?.definition ?? null;
    const changed = describeChanges(before, definition);
    if (Object.keys(changed).length === 0) return [];
    return [{ model: id, action: before ? ('change' as const) : ('add' as const), changes: changed }];
  });
  if (apply) {
    await changeModels(deps, changes, by);
    await followChanges();
  }
  return { applied: apply, differences, uncovered: models.flatMap((definition) => gapsOf(definition)) };
}

function readChanges(
  models: readonly ModelDefinition[],
  versions: Record<string, number | null>,
  newest: ReadonlyMap<string, ModelVersion>,
): ModelChange[] {
  // Only the ids are checked here, because `checkChanges`, which checks everything else, names each model by its id.
  if (!models.every((one: Partial<ModelDefinition> | null) => typeof one?.id === 'string'))
    throw new AppError('invalid_request', 'The body must have a list of models, each with an "id".');
  const other = Object.keys(versions).find((id) => !models.some((one) => one.id === id));
  if (other !== undefined)
    throw invalidField(
      `/if_versions/${other}`,
      'names none of these models. Ids never change: copy the model instead.',
    );
  return models.map((definition): ModelChange => {
    const { id } = definition;
    const made = Object.hasOwn(versions, id) ? versions[id] : undefined;
    if (made === undefined) return { id, definition };
    const before = newest.get(id);
    if (made === null && before?.definition)
      throw invalidField('/id', `is taken by the model ${before.definition.name}.`);
    return { id, definition, after: made ?? before?.version ?? 0 };
  });
}

async function readNewest({ read }: Database): Promise<Map<string, ModelVersion>> {
  return new Map((await readCatalogue(read)).newest().map((version) => [version.model, version]));
}

async function readOlder({ read }: Database, id: string, version: string) {
  const found = new RegExp(versionPattern).test(version)
    ? await findVersion(read, id, Number(version))
    : undefined;
  if (found?.definition) return { version: found.version, definition: found.definition };
  throw new AppError('not_found', `The model ${id} has no version ${version} to go back to.`);
}
