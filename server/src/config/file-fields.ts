export interface FieldSchema {
  description?: string;
  properties?: Record<string, FieldSchema>;
  required?: readonly string[];
}

/** The fields of an object. Reads JSON Schema's keywords, because TypeBox has a type for each kind of schema. */
export function fieldsOf(schema: unknown): [name: string, schema: FieldSchema][] {
  return Object.entries((schema as FieldSchema).properties ?? {});
}

const [before, after] = ['by default ', ' by default'];

/** Splits descriptions such as "Requests at once; 20 by default." @throws for a field without its default */
export function describeField(name: string, { description = '' }: FieldSchema): FieldDescription {
  const at = description.lastIndexOf('; ');
  const [about, told] = [description.slice(0, at), description.slice(at + 2).replace(/\.$/, '')];
  const whenUnset = told.startsWith(before)
    ? told.slice(before.length)
    : told.endsWith(after)
      ? told.slice(0, -after.length).replace(/,$/, '')
      : undefined;
  if (at === -1 || whenUnset === undefined)
    throw new Error(`${name} is described without its default: "${description}"`);
  return { about: `${about}.`, whenUnset };
}

interface FieldDescription {
  about: string;
  whenUnset: string;
}
