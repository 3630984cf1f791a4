import Type from 'typebox';
import { maxInputs } from '../../images/inputs/limits.ts';
import { routeOrders } from './model-definition.ts';
import { actions, modes } from './models.ts';

const maxSide = 16_384;
// Model ids are part of paths, so only characters that need no escaping are allowed.
export const modelIdPattern = '^[a-z0-9][a-z0-9.-]{0,39}$';
export const pricePattern = '^\\d{1,10}(\\.\\d{1,6})?$';
export const ratioPattern = '^[1-9]\\d{0,3}:[1-9]\\d{0,3}$';
export const resolutionPattern = '^[A-Za-z0-9][A-Za-z0-9._-]{0,19}$';
export const parameterPattern = '^[a-z][a-z0-9_]{0,39}$';

const value = Type.Union([Type.String({ maxLength: 1_000 }), Type.Number(), Type.Boolean()]);

export const parameterSchema = Type.Object(
  {
    type: Type.Enum(['integer', 'number', 'string', 'boolean']),
    title: Type.Optional(Type.String({ maxLength: 100 })),
    description: Type.Optional(Type.String({ maxLength: 1_000 })),
    default: Type.Optional(value),
    enum: Type.Optional(Type.Array(value, { minItems: 1, maxItems: 200 })),
    minimum: Type.Optional(Type.Number()),
    maximum: Type.Optional(Type.Number()),
    maxLength: Type.Optional(Type.Integer({ minimum: 1, maximum: 32_768 })),
  },
  { additionalProperties: false, description: 'A JSON Schema of one value' },
);

const side = Type.Integer({ minimum: 16, maximum: maxSide });

const sizing = Type.Object(
  {
    price: Type.String({ pattern: pricePattern, description: 'The price of one image, such as "0.04"' }),
    sizes: Type.Optional(
      Type.Record(Type.String({ pattern: ratioPattern }), Type.Tuple([side, side]), {
        description: 'Exact pixels by ratio: width and height',
      }),
    ),
    megapixels: Type.Optional(
      Type.Number({
        minimum: 0.01,
        maximum: 64,
        description: 'The area of ratios without exact pixels; 1 is 1024 × 1024',
      }),
    ),
    multipleOf: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 256,
        description: 'The divisor of both sides, such as 8, 16 or 64; 8 unless set',
      }),
    ),
  },
  { additionalProperties: false },
);

/** A model in files and commands. `jobs/routes/route-definition.ts` checks its routes. */
export const definitionSchema = Type.Object(
  {
    id: Type.String({
      pattern: modelIdPattern,
      description: 'The id, as in `/api/v1/{id}/text-generations`.',
    }),
    name: Type.String({ minLength: 1, maxLength: 100, description: 'The name that people see.' }),
    description: Type.Optional(
      Type.String({ maxLength: 2_000, description: 'The description for clients; none by default.' }),
    ),
    action: Type.Optional(
      Type.Enum([...actions], {
        description:
          '`generate`, `upscale` or `remove_background`. The latter two change one image: their `modes` is `["url"]` and their `maxInputs` is 1; generate by default.',
      }),
    ),
    modes: Type.Array(Type.Enum([...modes]), {
      minItems: 1,
      maxItems: 2,
      uniqueItems: true,
      description: '`text`, `url` (with input images), or both.',
    }),
    maxInputs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxInputs,
        description: 'The most input images that one request may have; 1 by default.',
      }),
    ),
    ratios: Type.Array(Type.String({ pattern: ratioPattern }), {
      minItems: 1,
      maxItems: 50,
      uniqueItems: true,
      description: 'The ratios that requests may ask for, each as `W:H`.',
    }),
    auto: Type.Optional(
      Type.Boolean({
        description:
          'Whether `aspect_ratio` may be `auto`, for which the first input or the provider decides; false by default.',
      }),
    ),
    selectable: Type.Optional(
      Type.Boolean({ description: 'Whether requests may name their resolution; true by default.' }),
    ),
    resolutions: Type.Record(Type.String({ pattern: resolutionPattern }), sizing, {
      minProperties: 1,
      maxProperties: 20,
      description:
        'The resolutions by name. Each has a `price`, and either `megapixels` with `multipleOf` (8 unless set) or exact `sizes` by ratio, such as `{ "1:1": [1024, 1024] }`.',
    }),
    parameters: Type.Optional(
      Type.Record(Type.String({ pattern: parameterPattern }), parameterSchema, {
        maxProperties: 50,
        description:
          'Further fields of a request, under `parameters`: for each a JSON Schema of one value with `type`, `default`, `enum`, `minimum`, `maximum`, `maxLength`, `title` and `description`; none by default.',
      }),
    ),
    order: Type.Optional(
      Type.Enum([...routeOrders], {
        description:
          'The order of its routes: `listed`, or `cost`, which tries the cheapest first and counts the cost of failures; listed by default.',
      }),
    ),
    routes: Type.Optional(
      Type.Array(Type.Record(Type.String(), Type.Unknown()), {
        maxItems: 50,
        description:
          'Its routes, in the order in which they are tried; by default those that the keys in the environment imply.',
      }),
    ),
  },
  { additionalProperties: false, title: 'A model' },
);
