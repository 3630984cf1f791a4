import Type from 'typebox';
import { changeModels, checkChanges, type ModelChange } from '../../catalog/change-models.ts';
import { describeChanges } from '../../catalog/describe-changes.ts';
import type { ModelDefinition } from '../../catalog/model-definition.ts';
import type { ModelId } from '../../catalog/models.ts';
import { findVersion, listVersions, type ModelVersion } from '../../catalog/version-store.ts';
import type { Queries } from '../../db/schema.ts';
import { AppError, invalidField } from '../../errors.ts';
import { closed } from '../../http/schemas.ts';
import { followChanges } from '../follow-changes.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import { readModel } from './read-model.ts';
import { readModels } from './read-models.ts';

/** Checked by `checkChanges`, which points to each mistake. */
const definition = Type.Unsafe<ModelDefinition>(Type.Record(Type.String(), Type.Unknown()));
const version = Type.Integer({ minimum: 0 });

/** Models and their versions, for operators. */
export function operatorModelCalls(deps: PanelDeps): PanelCall[] {
  const { database } = deps;
  return [
    panelCall('GET /panel/operator/models', { handle: () => readModels(deps) }),

    panelCall('POST /panel/operator/models', {
      body: closed({ definition }),
      async handle({ body, viewer }) {
        const { id } = body.definition;
        const newest = typeof id === 'string' ? await findNewest(database.read, id) : undefined;
        if (newest?.definition) throw invalidField('/id', `is taken by the model ${newest.definition.name}.`);
        await change(deps, { id, definition: body.definition, after: newest?.version ?? 0 }, viewer);
        return readModel(deps, id);
      },
    }),

    panelCall('GET /panel/operator/models/:model_id', {
      handle: ({ params }) => readModel(deps, params.model_id),
    }),

    panelCall('POST /panel/operator/models/:model_id', {
      body: closed({ definition, version }),
      async handle({ params: { model_id: id }, body, viewer }) {
        assertSameId(body.definition, id);
        await change(deps, { id, definition: body.definition, after: body.version }, viewer);
        return readModel(deps, id);
      },
    }),

    panelCall('POST /panel/operator/models/:model_id/compare', {
      body: closed({ definition }),
      async handle({ params: { model_id: id }, body }) {
        assertSameId(body.definition, id);
        const check = { file: deps.configured.models, ...(await deps.openRouteCheck()) };
        await checkChanges(check, [{ id, definition: body.definition }]);
        const newest = await findNewest(database.read, id);
        return { changes: describeChanges(newest?.definition ?? null, body.definition) };
      },
    }),

    panelCall('POST /panel/operator/models/:model_id/remove', {
      body: closed({ version }),
      async handle({ params: { model_id: id }, body, viewer }) {
        await change(deps, { id, definition: null, after: body.version }, viewer);
        return readModels(deps);
      },
    }),

    panelCall('GET /panel/operator/models/:model_id/versions/:version', {
      async handle({ params }) {
        const older = await readOlder(database.read, params);
        const newest = await findNewest(database.read, params.model_id);
        return { definition: older, changes: describeChanges(newest?.definition ?? null, older) };
      },
    }),

    panelCall('POST /panel/operator/models/:model_id/versions/:version/restore', {
      body: closed({ version }),
      async handle({ params, body, viewer }) {
        const older = await readOlder(database.read, params);
        await change(deps, { id: params.model_id, definition: older, after: body.version }, viewer);
        return readModel(deps, params.model_id);
      },
    }),
  ];
}

/** The one place of the panel where models change. This process has the change afterwards. */
async function change(
  deps: PanelDeps,
  change: ModelChange,
  by: Parameters<typeof changeModels>[2],
): Promise<void> {
  const { database, configured } = deps;
  const check = { file: configured.models, ...(await deps.openRouteCheck()) };
  await changeModels({ database, ...check }, [change], by);
  await followChanges(deps);
}

async function findNewest(queries: Queries, id: ModelId): Promise<ModelVersion | undefined> {
  const [newest] = await listVersions(queries, id, 1);
  return newest;
}

/** Of a version that did not remove the model. */
async function readOlder(
  queries: Queries,
  params: { model_id: string; version: string },
): Promise<ModelDefinition> {
  const number = /^[1-9]\d{0,8}$/.test(params.version) ? Number(params.version) : 0;
  const found = await findVersion(queries, params.model_id, number);
  if (found?.definition) return found.definition;
  throw new AppError(
    'not_found',
    `The model ${params.model_id} has no version ${params.version} to go back to.`,
  );
}

function assertSameId({ id }: ModelDefinition, expected: ModelId): void {
  if (id !== expected)
    throw invalidField('/id', `must be "${expected}": ids never change. Copy the model instead.`);
}
