import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import Value from 'typebox/value';
import { modelIds, resolutions } from '../catalog/models.ts';
import { providerSettings } from '../providers/create-provider.ts';
import { baseUrlSetting } from '../providers/settings.ts';
import { fits } from '../routes/route.ts';

const price = Type.String({
  pattern: '^\\d{1,10}(\\.\\d{1,6})?$',
  description: 'A decimal amount, such as "0.04".',
});
// One statement extends all leases of a process with three values a job, and SQLite takes at most 32,766
// values.
const maxConcurrency = 8_192;
const seconds = (description: string) => Type.Number({ exclusiveMinimum: 0, maximum: 86_400, description });

function byModel<Value extends TSchema>(value: Value, description: string) {
  const entries = Object.fromEntries(modelIds.map((model) => [model, value]));
  return Type.Partial(Type.Object(entries), { additionalProperties: false, description });
}

function byResolution<Value extends TSchema>(value: Value) {
  const entries = Object.fromEntries(resolutions.map((resolution) => [resolution, value]));
  return Type.Partial(Type.Object(entries), { additionalProperties: false });
}

const routeFields = {
  name: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9][a-z0-9.-]{0,39}$',
      description: 'Tells routes of one model apart in jobs, logs and metrics; the provider unless set.',
    }),
  ),
  slots: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 10_000, description: 'Jobs at once, over all workers together.' }),
  ),
  timeoutSeconds: Type.Optional(seconds('The longest that one attempt may take.')),
  perMinute: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 60_000,
      description: 'Attempts begun in any minute, over all workers together.',
    }),
  ),
  fit: Type.Optional(
    Type.Enum([...fits], {
      description:
        'Serves ratios that the upstream does not make, by its nearest: "crop" cuts the edges, "extend" sets the picture on a blurred copy of itself.',
    }),
  ),
  upscale: Type.Optional(
    Type.Boolean({ description: 'Serves resolutions that are larger than what the upstream makes.' }),
  ),
};

/** The settings of a route, by provider. Addresses may come from the environment instead, keys always do. */
const routeSchemas = {
  sketch: routeOf('sketch', providerSettings.sketch.properties),
  gemini: routeOf('gemini', providerSettings.gemini.properties),
  openai: routeOf('openai', providerSettings.openai.properties),
  azure: routeOf('azure', {
    ...providerSettings.azure.properties,
    baseUrl: Type.Optional(providerSettings.azure.properties.baseUrl),
  }),
  fal: routeOf('fal', providerSettings.fal.properties),
  replicate: routeOf('replicate', providerSettings.replicate.properties),
  bfl: routeOf('bfl', providerSettings.bfl.properties),
  bedrock: routeOf('bedrock', providerSettings.bedrock.properties),
  comfyui: routeOf('comfyui', {
    ...providerSettings.comfyui.properties,
    baseUrl: Type.Optional(baseUrlSetting),
  }),
  automatic1111: routeOf('automatic1111', {
    ...providerSettings.automatic1111.properties,
    baseUrl: Type.Optional(baseUrlSetting),
  }),
};

function routeOf<Name extends string, Properties extends TProperties>(
  provider: Name,
  properties: Properties,
) {
  return Type.Object(
    { provider: Type.Literal(provider), ...routeFields, ...properties },
    { additionalProperties: false, title: `A route by ${provider}` },
  );
}

const route = Type.Union([
  routeSchemas.sketch,
  routeSchemas.gemini,
  routeSchemas.openai,
  routeSchemas.azure,
  routeSchemas.fal,
  routeSchemas.replicate,
  routeSchemas.bfl,
  routeSchemas.bedrock,
  routeSchemas.comfyui,
  routeSchemas.automatic1111,
]);

/** The configuration file (`DARKROOM_CONFIG`). Everything is optional; unknown names are refused. */
export const configFileSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    currency: Type.Optional(
      Type.String({ minLength: 1, maxLength: 10, description: 'A label, "USD" by default.' }),
    ),
    prices: Type.Optional(byModel(byResolution(price), 'What an image costs.')),
    routes: Type.Optional(
      byModel(
        Type.Array(route, { minItems: 1 }),
        'Per model, the routes in the order in which they are tried. Models that are left out get theirs by the keys that are set.',
      ),
    ),
    limits: Type.Optional(
      Type.Object(
        {
          concurrency: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: maxConcurrency,
              description: 'Jobs at once in one worker process.',
            }),
          ),
          jobSeconds: Type.Optional(seconds('From the first attempt to the end of the last.')),
          queuedSeconds: Type.Optional(seconds('How long a job may wait for its first attempt.')),
          minFreeDiskMegabytes: Type.Optional(
            Type.Integer({
              minimum: 0,
              description:
                'Free space in the data folder below which creates with input images are refused; 256 by default, 0 does not look.',
            }),
          ),
          requestsPerSecond: Type.Optional(
            Type.Number({ exclusiveMinimum: 0, description: 'Per key; no limit by default.' }),
          ),
          requestBurst: Type.Optional(
            Type.Integer({ minimum: 1, description: 'Requests at once after a pause.' }),
          ),
          connections: Type.Optional(
            Type.Integer({
              minimum: 64,
              maximum: 100_000,
              description:
                'Connections of clients at once in one process; by default half of the files that it may open, 8,192 at most.',
            }),
          ),
          wrongKeysPerSecond: Type.Optional(
            Type.Number({
              exclusiveMinimum: 0,
              description:
                'Requests with a missing or wrong key, per address of a client; no limit by default.',
            }),
          ),
        },
        { additionalProperties: false },
      ),
    ),
    retentionDays: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 3_650,
        description: 'How long jobs and images are kept; 30 by default.',
      }),
    ),
  },
  {
    additionalProperties: false,
    $id: 'urn:darkroom:configuration',
    title: 'Darkroom configuration',
  },
);

export type ConfigFile = Static<typeof configFileSchema>;
export type RouteEntry = Static<typeof route>;

/** The first mistake and its place; undefined for a valid file. */
export function findMistake(json: unknown): string | undefined {
  const wrongRoute = findWrongRoute(json);
  if (wrongRoute !== undefined) return wrongRoute;
  return firstError(configFileSchema, json, '');
}

/**
 * For a union, TypeBox only reports that no member fits. This finds the error in the member that was meant.
 */
function findWrongRoute(json: unknown): string | undefined {
  for (const model of modelIds) {
    const entries: unknown = Value.Pointer.Get(json, `/routes/${model}`);
    for (const [index, entry] of (Array.isArray(entries) ? entries : []).entries()) {
      const place = `/routes/${model}/${index}`;
      const provider: unknown = Value.Pointer.Get(entry, '/provider');
      const schema = Object.entries(routeSchemas).find(([name]) => name === provider)?.[1];
      if (!schema) return `at ${place}/provider: must be one of ${Object.keys(routeSchemas).join(', ')}`;
      const error = firstError(schema, entry, place);
      if (error !== undefined) return error;
    }
  }
  return undefined;
}

function firstError(schema: TObject, json: unknown, place: string): string | undefined {
  const errors = Value.Errors(schema, json);
  // An unknown name is often a misspelt required one, so it is reported before the missing one.
  const error = errors.find(({ keyword }) => keyword === 'boolean') ?? errors[0];
  if (!error) return undefined;
  const message = error.keyword === 'boolean' ? 'is not a setting that exists here' : error.message;
  return `at ${`${place}${error.instancePath}` || 'the top'}: ${message}`;
}
