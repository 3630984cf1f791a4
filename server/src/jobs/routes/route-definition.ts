import Type, { type Static, type TObject } from 'typebox';
import Value from 'typebox/value';
import {
  parameterPattern,
  pricePattern,
  resolutionPattern,
} from '../../upstream/catalog/definition-schema.ts';
import { connectionPattern } from '../../upstream/connections/connection.ts';
import {
  type ProviderKind,
  providerKinds,
  providerSettings,
  type SettingsOf,
  sayUsual,
} from '../../upstream/providers/providers.ts';
import { fits } from './route.ts';

const seconds = (description: string) => Type.Number({ exclusiveMinimum: 0, maximum: 86_400, description });

const amount = Type.String({ pattern: pricePattern });

const routeFields = {
  name: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9][a-z0-9.-]{0,39}$',
      description: 'Identifies the route in jobs, logs and metrics; the provider by default.',
    }),
  ),
  slots: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description: `Jobs that the route runs at once, over all workers together; ${sayUsual('slots')}, by default.`,
    }),
  ),
  timeoutSeconds: Type.Optional(
    seconds(`Seconds that one attempt may take; ${sayUsual('timeoutSeconds')}, by default.`),
  ),
  perMinute: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 60_000,
      description: 'Attempts that may begin in any minute, over all workers together; no limit by default.',
    }),
  ),
  fit: Type.Optional(
    Type.Enum([...fits], {
      description:
        'Serves ratios that the upstream does not make, from its nearest ratio: `crop` cuts the edges, `extend` sets the image on a blurred copy of itself; none by default.',
    }),
  ),
  upscale: Type.Optional(
    Type.Boolean({
      description: 'Also serves larger resolutions than the upstream makes, by scaling; false by default.',
    }),
  ),
  parameters: Type.Optional(
    Type.Record(Type.String({ pattern: parameterPattern }), Type.String({ minLength: 1, maxLength: 200 }), {
      description:
        "The field of the upstream's request for each parameter of the model: a path such as `seed` or `options.steps`, for ComfyUI a node and its input, such as `3.seed`. The route does not serve requests with a parameter that is missing here; none by default.",
    }),
  ),
  weight: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      description:
        'Adjacent routes with a weight share the jobs in proportion to it; each account stays with its route; none by default.',
    }),
  ),
  cost: Type.Optional(
    Type.Union([amount, Type.Record(Type.String({ pattern: resolutionPattern }), amount)], {
      description:
        'The upstream cost of an image, such as `"0.02"`, or by resolution, `{ "1K": "0.02", "2K": "0.03" }`: an estimate, for margins. Clients never see it; by default the cost that the provider reports.',
    }),
  ),
};

/** The schemas of routes, by provider. Keys, and addresses that a route omits, come from the environment. */
const routeSchemas = Object.fromEntries(providerKinds.map((kind) => [kind, schemaOf(kind)])) as Record<
  ProviderKind,
  TObject
>; // one per kind

function schemaOf(provider: ProviderKind): TObject {
  const { properties } = providerSettings[provider];
  return Type.Object(
    {
      provider: Type.Literal(provider),
      ...routeFields,
      ...properties,
      ...(properties.baseUrl && { baseUrl: Type.Optional(properties.baseUrl) }),
    },
    { additionalProperties: false, title: `A route by ${provider}` },
  );
}

export const routeSchema = Type.Union([
  ...providerKinds.map((kind) => routeSchemas[kind]),
  Type.Object(
    { connection: Type.String({ pattern: connectionPattern }), ...routeFields },
    { title: 'A route by a connection, with the settings of its provider' },
  ),
]);

/** A route with its provider. For a route that names a connection, it is the connection's provider. */
export type RouteEntry = {
  [Each in ProviderKind]: { provider: Each; baseUrl?: string } & RouteFields &
    Omit<SettingsOf[Each], 'baseUrl'>;
}[ProviderKind];

type RouteFields = { [Name in keyof typeof routeFields]?: Static<(typeof routeFields)[Name]> };

export interface FoundMistake {
  pointer: string;
  message: string;
}

/** Finds a mistake with the schema of the route's provider, because a union's error only says that no member fits. */
export function findRouteMistake(entry: unknown): FoundMistake | undefined {
  const named: unknown = Value.Pointer.Get(entry, '/provider');
  const provider = providerKinds.find((name) => name === named);
  if (!provider) return { pointer: '/provider', message: `must be one of ${providerKinds.join(', ')}` };
  return firstMistake(routeSchemas[provider], entry);
}

export function firstMistake(schema: TObject, json: unknown): FoundMistake | undefined {
  const errors = Value.Errors(schema, json);
  // Reports an unknown name before a missing one, because the unknown name is often a misspelling of the missing one.
  const first = errors.find(({ keyword }) => keyword === 'boolean') ?? errors[0];
  if (!first) return undefined;
  // If a value can have several forms, reports the mistake in the form that it has.
  const isUnion = errors.some((one) => one.keyword === 'anyOf' && one.instancePath === first.instancePath);
  const within = errors.find(({ instancePath }) => instancePath.startsWith(`${first.instancePath}/`));
  const error = (isUnion && within) || first;
  const message = error.keyword === 'boolean' ? 'is not a setting that exists' : error.message;
  return { pointer: error.instancePath, message };
}
