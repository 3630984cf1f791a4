import type { Node } from './types.ts';

/** Rewrites a schema, without changing its values, so that generators make the best names and types from it. */
export function readable(schema: Node): Node {
  return withoutDefaults(withValueNames(withOneTypeEach(schema)));
}

/** Turns a list of types into alternatives, because Go has no type for such a list. */
function withOneTypeEach(schema: Node): Node {
  const { type: types, ...rest } = schema;
  if (!Array.isArray(types) || types.filter((type) => type !== 'null').length < 2) return schema;
  return { ...rest, anyOf: types.map((type) => ({ type })) };
}

/**
 * Names values that begin with a digit. Otherwise Python generators would name `16:9` as `VALUE_8`, because a name
 * cannot begin with a digit. `RATIO_16X9` works even in Go, which drops `_`.
 */
function withValueNames(schema: Node): Node {
  const { enum: values, title } = schema;
  const isText = (value: unknown) => typeof value === 'string';
  if (!Array.isArray(values) || !values.every(isText) || !values.some((value) => /^\d/.test(value)))
    return schema;
  const prefix = /[A-Z][a-z]+$/.exec(String(title ?? 'Value'))?.[0] ?? '';
  const nameOf = (value: string) => (/^\d/.test(value) ? `${prefix}_${value.replace(':', 'x')}` : value);
  return {
    ...schema,
    'x-enum-varnames': values.map((value) => nameOf(value).replaceAll(/\W/g, '_').toUpperCase()),
  };
}

/** Moves defaults into the description, because openapi-typescript requires fields with a default, even in requests. */
function withoutDefaults(schema: Node): Node {
  const { properties } = schema;
  if (typeof properties !== 'object' || properties === null) return schema;
  const described = Object.entries(properties as Record<string, Node>).map(([name, property]) => {
    const { default: value, description, ...rest } = property;
    if (value === undefined) return [name, property];
    const note = `\`${value}\` when left out.`;
    return [name, { ...rest, description: description === undefined ? note : `${description} ${note}` }];
  });
  return { ...schema, properties: Object.fromEntries(described) };
}
