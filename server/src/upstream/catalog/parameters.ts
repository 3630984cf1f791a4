import type { Model, ParameterSchema, ParameterValue } from './models.ts';

export function withDefaults(
  { parameters }: Model,
  asked: Readonly<Record<string, ParameterValue>> = {},
): Record<string, ParameterValue> {
  const values: Record<string, ParameterValue> = {};
  for (const [name, { default: byDefault }] of Object.entries(parameters)) {
    const value = asked[name] ?? byDefault;
    if (value !== undefined) values[name] = value;
  }
  return values;
}

/** Says what is wrong with a value, as the end of a sentence; undefined if it is valid. */
export function valueMistake(schema: ParameterSchema, value: unknown): string | undefined {
  if (!isOfType(schema, value)) return `must be ${typesInWords[schema.type]}.`;
  if (schema.enum && !schema.enum.includes(value)) return `must be one of ${schema.enum.join(', ')}.`;
  const { minimum, maximum, maxLength } = schema;
  if (typeof value === 'number' && minimum !== undefined && value < minimum) return `must be >= ${minimum}.`;
  if (typeof value === 'number' && maximum !== undefined && value > maximum) return `must be <= ${maximum}.`;
  if (typeof value === 'string' && maxLength !== undefined && value.length > maxLength)
    return `must have at most ${maxLength} characters.`;
  return undefined;
}

function isOfType({ type }: ParameterSchema, value: unknown): value is ParameterValue {
  return type === 'integer' ? Number.isSafeInteger(value) : typeof value === type;
}

const typesInWords: Record<ParameterSchema['type'], string> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
};
