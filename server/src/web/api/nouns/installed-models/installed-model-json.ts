import Type, { type Static } from 'typebox';
import { closed, nullable, oneOf, time } from '../../../../base/http/schemas.ts';
import { toIso } from '../../../../base/std/iso-time.ts';
import { formatMicros } from '../../../../money/ledger/money.ts';
import { describeChanges } from '../../../../upstream/catalog/describe-changes.ts';
import { type FileModels, placesOf } from '../../../../upstream/catalog/file-models.ts';
import type { ModelDefinition } from '../../../../upstream/catalog/model-definition.ts';
import { type Model, modes } from '../../../../upstream/catalog/models.ts';
import type { ModelVersion } from '../../../../upstream/catalog/version-store.ts';
import { authorSchema, presentAuthor } from '../audit/author-json.ts';

const source = oneOf(['specified', 'file', 'operator'], { title: 'ModelSource' });

const lockSchema = Type.Object(
  {
    file: Type.String(),
    places: Type.Array(Type.String(), { description: 'JSON pointers into the file.' }),
  },
  { title: 'ModelLock' },
);

export const installedModelSchema = Type.Object(
  {
    id: Type.String(),
    version: Type.Integer(),
    name: Type.String(),
    modes: Type.Array(oneOf(modes, { title: 'Mode' })),
    prices: Type.Record(Type.String(), Type.String(), { description: 'The prices by resolution.' }),
    parameters: Type.Array(Type.String()),
    source,
    routes: nullable(Type.Integer(), { description: 'Null: the routes that the environment implies.' }),
    locked: nullable(lockSchema, {
      description:
        'The place in the configuration file that sets it; then it can only be changed there. Null for others.',
    }),
  },
  { title: 'InstalledModel' },
);

/** Accepts any value, because the catalogue checks it and points to each mistake. */
export const definitionSchema = Type.Unsafe<ModelDefinition>({
  type: 'object',
  title: 'ModelDefinition',
  additionalProperties: true,
  description: 'A definition as in the configuration file, whose schema is `docs/config.schema.json`.',
});

const changes = Type.Record(Type.String(), Type.String(), { description: 'The changes, by path.' });
const maxModels = 200;

export const modelChanges = closed(
  {
    models: Type.Array(definitionSchema, { minItems: 1, maxItems: maxModels }),
    if_versions: Type.Optional(
      Type.Record(Type.String(), nullable(Type.Integer({ minimum: 1 })), {
        description:
          'The version of each model, by id, on which the change is based: if there is a newer one, the call fails with `changed_meanwhile`. Null: the model must not exist.',
      }),
    ),
    apply: Type.Optional(Type.Boolean({ description: 'Otherwise nothing is changed.' })),
  },
  { title: 'ModelChanges' },
);

export const modelPlanSchema = Type.Object(
  {
    applied: Type.Boolean(),
    differences: Type.Array(
      Type.Object(
        { model: Type.String(), action: oneOf(['add', 'change'], { title: 'ModelAction' }), changes },
        { title: 'ModelDifference' },
      ),
    ),
    uncovered: Type.Array(Type.String(), {
      description:
        'The combinations that these models offer but no route can make. Creates for these are refused.',
    }),
  },
  { title: 'ModelPlan' },
);

export const modelVersionSchema = Type.Object(
  {
    version: Type.Integer(),
    at: time('When it was made.'),
    by: Type.String(),
    author: authorSchema,
    source,
    removed: Type.Boolean({ description: 'True if this version removed the model from the catalogue.' }),
    changes,
  },
  { title: 'ModelVersion' },
);

export const olderModelSchema = Type.Object(
  {
    version: Type.Integer(),
    definition: definitionSchema,
    changes: Type.Record(Type.String(), Type.String(), {
      description: 'The changes that restoring this version would make, by path.',
    }),
  },
  { title: 'OlderModel' },
);

export function presentInstalledModel(
  { id, version, name, modes, resolutions, parameters }: Model,
  newest: ModelVersion | undefined,
  file: FileModels,
): Static<typeof installedModelSchema> {
  const prices = [...resolutions].map(([resolution, { priceMicros }]) => [
    resolution,
    formatMicros(priceMicros),
  ]);
  return {
    ...{ id, version, name },
    modes: [...modes],
    prices: Object.fromEntries(prices) as Record<string, string>,
    parameters: Object.keys(parameters),
    source: newest?.source ?? 'operator',
    routes: newest?.definition?.routes?.length ?? null,
    locked: lockOf(file, id),
  };
}

export function lockOf(file: FileModels, id: string): Static<typeof lockSchema> | null {
  const places = placesOf(file, id);
  return places.length === 0 ? null : { file: file.path, places };
}

/** @param versions newest first; the last one is only for comparison */
export function presentVersions(versions: readonly ModelVersion[]): Static<typeof modelVersionSchema>[] {
  return versions.map(({ version, definition, source, author, createdAt }, index) => ({
    version,
    at: toIso(createdAt),
    by: author.name,
    author: presentAuthor(author),
    source,
    removed: definition === null,
    changes: describeChanges(versions[index + 1]?.definition ?? null, definition),
  }));
}
