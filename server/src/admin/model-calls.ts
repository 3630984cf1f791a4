import Type from 'typebox';
import { closed } from '../http/schemas.ts';
import { adminCall } from './admin-call.ts';
import { definition, list, modelListSchema, nothing, plannedModels, versionListSchema } from './schemas.ts';

const tag = 'Models';
const modelParams = Type.Object({ model_id: Type.String() });
const maxModels = 200;

/** Models and their versions. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function modelCalls() {
  return {
    list: adminCall({
      tag,
      operationId: 'listModels',
      summary: 'List the models, with their versions and prices',
      status: 200,
      reply: modelListSchema,
      errors: [],
      handle: ({ verbs }) => list(verbs.listModels()),
    }),

    apply: adminCall({
      tag,
      operationId: 'applyModels',
      summary: 'Add and change models',
      description:
        'Answers what differs and what no route would make, and with `apply` makes the changes, all or none. Models that are not named stay as they are.',
      body: closed(
        {
          models: Type.Array(definition, { minItems: 1, maxItems: maxModels }),
          apply: Type.Optional(Type.Boolean({ description: 'Otherwise nothing is changed.' })),
        },
        { title: 'ModelChanges' },
      ),
      status: 200,
      reply: plannedModels,
      errors: ['changed_meanwhile', 'unsupported_media_type', 'body_too_large'],
      handle: ({ verbs, body }) => verbs.applyModels(body),
    }),

    exportAll: adminCall({
      tag,
      operationId: 'exportModels',
      summary: 'Read all models as they are written',
      description: 'In the form that `POST /models` and the configuration file take.',
      status: 200,
      reply: Type.Object({ models: Type.Array(definition) }, { title: 'ModelExport' }),
      errors: [],
      handle: ({ verbs }) => verbs.exportModels(),
    }),

    history: adminCall({
      tag,
      operationId: 'listModelVersions',
      summary: 'List the versions of a model, newest first',
      description: 'Who made each, and what it changed.',
      params: modelParams,
      status: 200,
      reply: versionListSchema,
      errors: ['not_found'],
      handle: ({ verbs, params }) => list(verbs.modelHistory(params.model_id)),
    }),

    restore: adminCall({
      tag,
      operationId: 'restoreModel',
      summary: 'Go back to an older version of a model',
      params: modelParams,
      body: closed({ version: Type.Integer({ minimum: 1 }) }, { title: 'ModelRestore' }),
      status: 204,
      reply: nothing('It is as it was.'),
      errors: ['not_found', 'unsupported_media_type', 'body_too_large'],
      handle: ({ verbs, params, body }) => verbs.restoreModel(params.model_id, body.version),
    }),

    remove: adminCall({
      tag,
      operationId: 'removeModel',
      summary: 'Take a model out of the catalogue',
      description: 'Its jobs and their images stay.',
      params: modelParams,
      status: 204,
      reply: nothing('It is gone.'),
      errors: ['not_found'],
      handle: ({ verbs, params }) => verbs.removeModel(params.model_id),
    }),
  };
}
