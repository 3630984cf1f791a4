import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import { publicErrorCodes } from '../../errors.ts';
import { idPattern, type NumberedKind } from '../std/sealing/opaque-ids.ts';

/** Options of calls that no OpenAPI document describes. The types of `@fastify/swagger` add `hide` to every schema. */
export const hidden = { schema: { hide: true } };

/** Allows `null` in addition to a schema's type, in the form of JSON Schema 2020-12 and OpenAPI 3.1. */
export function nullable<Schema extends TSchema & { type: string }>(schema: Schema, options: object = {}) {
  return Type.Unsafe<Static<Schema> | null>({ ...schema, ...options, type: [schema.type, 'null'] });
}

export function oneOf<const Values extends readonly string[]>(values: Values, options: object = {}) {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...options });
}

export function nullableOneOf<const Values extends readonly string[]>(values: Values, options: object = {}) {
  return Type.Unsafe<Values[number] | null>({
    type: ['string', 'null'],
    enum: [...values, null],
    ...options,
  });
}

/** A boolean in a query, whose values are texts. */
export function flag(description: string) {
  return oneOf(['true', 'false'], { description, 'x-documented': { type: 'boolean' } });
}

export function closed<Fields extends TProperties>(fields: Fields, options: object = {}) {
  return Type.Object(fields, { ...options, additionalProperties: false });
}

/** Refuses parameters that the schema does not name: a mistyped `?dryRun=true` would create a paid job. */
export function closedQuery(query: TObject = noParameters): object {
  return { ...query, additionalProperties: false };
}

const noParameters = Type.Object({});

const components = new Map<string, TSchema>();

/** A schema with an id, which is the name of its component in OpenAPI. */
export function named<Schema extends TSchema>(schema: Schema & { $id?: string }) {
  const { $id: id = '' } = schema;
  if (id === '' || (components.get(id) ?? schema) !== schema) throw new Error(`"${id}" names no one schema`);
  components.set(id, schema);
  return Type.Unsafe<Static<Schema>>({ $ref: `${id}#` });
}

/** Finds the schemas to which a description refers by their ids, directly or through other schemas. */
export function namedIn(description: unknown, found = new Map<string, TSchema>()): Map<string, TSchema> {
  for (const [, id = ''] of JSON.stringify(description).matchAll(/"\$ref":"(\w+)#"/g)) {
    const schema = components.get(id);
    if (!schema || found.has(id)) continue;
    found.set(id, schema);
    namedIn(schema, found);
  }
  return found;
}

export const urlPattern = '^https?://.';
export const targetPattern = '^[Hh][Tt][Tt][Pp][Ss]?://.';
export const endpointPattern = '^([Hh][Tt][Tt][Pp][Ss]?|s3)://.';
export const cursorPattern = '^[A-Za-z0-9_-]+$';
export const amountPattern = '^-?\\d+\\.\\d{2,6}$';
/** The pattern of a parameter that needs a name in brackets. No text matches it, so the bare parameter is refused. */
export const nameMissingPattern = '^(?!)';
export const versionPattern = '^[1-9]\\d{0,8}$';
export const percentPattern = '^(100|[1-9]?[0-9])$';
const pageLimitPattern = '^([1-9]|[1-9][0-9]|100)$';
const marginGroup = '(account|key|model|route|provider|day|month)';
export const marginGroupsPattern = `^${marginGroup}(,${marginGroup})?$`;
export const promptLengthPattern = '^[1-9]\\d{0,3}$';

export const patternWords: Record<string, string> = {
  [urlPattern]: 'a URL that begins with http:// or https://',
  [targetPattern]: 'a URL that begins with http:// or https://',
  [endpointPattern]: 'a URL that begins with http://, https:// or s3://',
  [cursorPattern]: 'a cursor',
  [idPattern('entry')]: 'the id of an entry, which begins with ent_',
  [idPattern('delivery')]: 'the id of a delivery, which begins with dlv_',
  [amountPattern]: 'a decimal amount with 2 to 6 places',
  [nameMissingPattern]: 'given with a name in brackets, such as metadata[order]=1042',
  [versionPattern]: 'a version, such as 3',
  [percentPattern]: 'a whole number from 0 to 100',
  [pageLimitPattern]: 'a whole number from 1 to 100',
  [marginGroupsPattern]: 'one of account, key, model, route, provider, day and month, or two with a comma',
  [promptLengthPattern]: 'a whole number from 1 to 9999',
};

export const numberedId = (kind: NumberedKind, description?: string) =>
  Type.String({ pattern: idPattern(kind), ...(description !== undefined && { description }) });

export const defaultPageSize = 20;

/** A string, because all query parameters are. */
export const pageLimit = () =>
  Type.Optional(
    Type.String({
      pattern: pageLimitPattern,
      description: `1 to 100; ${defaultPageSize} when left out.`,
      'x-documented': { type: 'integer', minimum: 1, maximum: 100, default: defaultPageSize },
    }),
  );

/** The start of a page. Clients return a cursor unchanged, and its format may change. */
export const cursor = (description = '`next_cursor` of the previous page, with the same filters.') =>
  Type.String({ pattern: cursorPattern, maxLength: 300, description });

export const pageQuery = <Filters extends TProperties>(filters: Filters) =>
  closed({ ...filters, limit: pageLimit(), cursor: Type.Optional(cursor()) });

export const page = <Item extends TSchema>(title: string, item: Item) =>
  Type.Object(
    {
      data: Type.Array(item),
      next_cursor: nullable(Type.String({ pattern: cursorPattern }), {
        description: 'Send it as `cursor` in the next call; null on the last page.',
      }),
    },
    { title },
  );

export const time = (description: string) => Type.String({ format: 'date-time', description });
export const amount = (description: string) =>
  Type.String({ pattern: amountPattern, description, examples: ['99.96'] });
/** An amount as requests give it: `10`, `0.05`. */
export const amountGiven = (description: string) =>
  Type.String({ maxLength: 20, description, examples: ['25.00'] });

export const day = (description: string) =>
  Type.String({ format: 'date', description, examples: ['2026-11-20'] });

export const period = {
  from: Type.Optional(day('The first day, in UTC; 29 days before the last when left out.')),
  to: Type.Optional(day('The last day, included; today when left out.')),
};

export const problemSchema = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'A page about this code.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'A sentence about this very request.' }),
    code: oneOf(publicErrorCodes, { title: 'ErrorCode', 'x-open': true }),
    errors: Type.Optional(
      Type.Array(
        Type.Object(
          {
            pointer: Type.String({ description: 'JSON pointer into the body.' }),
            detail: Type.String(),
            code: Type.Optional(Type.String()),
          },
          { title: 'FieldError' },
        ),
      ),
    ),
    available: Type.Optional(
      amount('The amount that can be spent, on `insufficient_funds` and `spend_limit_reached`.'),
    ),
    required: Type.Optional(
      amount('The price of the job, on `insufficient_funds` and `spend_limit_reached`.'),
    ),
    limit: Type.Optional(
      Type.Object(
        {
          of: oneOf(['account', 'key', 'client_token'], { title: 'LimitHolder' }),
          per: oneOf(['hour', 'day', 'month', 'total', 'open', 'waiting', 'input'], {
            title: 'ReachedLimitPer',
          }),
          most: Type.String({
            description:
              'A decimal amount; a number of jobs if `per` is `open` or `waiting`; bytes per day if it is `input`.',
          }),
          resets_at: nullable(time('The time at which counting starts again; null: never.')),
        },
        {
          title: 'ReachedLimit',
          description:
            'The limit, on `spend_limit_reached`, `open_jobs_limit_reached` and `input_limit_reached`.',
        },
      ),
    ),
    scopes: Type.Optional(
      Type.Array(Type.String(), { description: 'One of these scopes is needed, for `scope_required`.' }),
    ),
    request_id: Type.String(),
  },
  { $id: 'Problem', description: 'A problem document (RFC 9457).' },
);
