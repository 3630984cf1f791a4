import { isDeepStrictEqual } from 'node:util';

interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
}

interface Content {
  content?: Record<string, { schema: Schema }>;
}

interface Call {
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: Content;
  responses: Record<string, Content>;
}

export interface Document {
  paths: Record<string, Record<string, Call>>;
  components: { schemas: Record<string, Schema> };
}

const madeBy = '// Made from the OpenAPI documents by `npm run snapshots`. Do not edit.';

/** Writes the named schemas, and those that they refer to, as types with their descriptions. */
export function typesOf(documents: readonly Document[], wanted: readonly string[]): string {
  const schemas: Record<string, Schema> = {};
  for (const { components } of documents)
    for (const [name, schema] of Object.entries(components.schemas)) {
      if (!isDeepStrictEqual(schemas[name] ?? schema, schema)) throw new Error(`${name} is two schemas`);
      schemas[name] = schema;
    }
  const names = new Set(wanted);
  for (const name of names) for (const other of namedIn(schemas[name])) names.add(other);
  const declared = [...names].sort().map((name) => {
    const schema = schemas[name];
    if (!schema) throw new Error(`the document has no schema ${name}`);
    const exported = wanted.includes(name) ? 'export ' : '';
    const body = schema.properties
      ? `interface ${name} {\n${fieldsOf(schema, true).join('\n')}\n}`
      : `type ${name} = ${typeOf(schema)};`;
    return `${commentOf(schema, '')}${exported}${body}\n`;
  });
  return `${madeBy}\n\n${declared.join('\n')}`;
}

export function contractOf({ paths, components }: Document): string {
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => `${method.toUpperCase()} ${path}${signatureOf(call)}`),
  );
  const fields = Object.entries(components.schemas).flatMap(([name, schema]) =>
    schema.properties
      ? fieldsOf(schema, false).map((field) => `${name}.${field.trim()}`)
      : [`${name} = ${typeOf(schema)}`],
  );
  return `${[...calls.sort(), ...fields.sort()].join('\n')}\n`;
}

function signatureOf({ parameters = [], requestBody, responses }: Call): string {
  const given = parameters
    .filter((one) => one.in !== 'path')
    .map((one) => `${one.in} ${one.name}${one.required ? '' : '?'}: ${typeOf(one.schema)}`);
  const sent = requestBody ? [`body ${contentOf(requestBody)}`] : [];
  const answers = Object.entries(responses).map(([status, answer]) =>
    status.startsWith('2') ? `${status} ${contentOf(answer)}`.trim() : status,
  );
  const taken = [...given, ...sent].join(', ');
  return `${taken && ` (${taken})`} → ${answers.join(', ')}`;
}

function contentOf({ content = {} }: Content): string {
  return Object.entries(content)
    .map(([type, { schema }]) => (type === 'application/json' ? typeOf(schema) : type))
    .join(' | ');
}

function namedIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  if ('$ref' in node) return [nameOf(String(node.$ref))];
  return Object.values(node).flatMap(namedIn);
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function fieldsOf({ properties = {}, required = [] }: Schema, withComments: boolean): string[] {
  return Object.entries(properties).map(([name, schema]) => {
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
    const comment = withComments ? commentOf(schema, '  ') : '';
    return `${comment}  ${key}${required.includes(name) ? '' : '?'}: ${typeOf(schema)};`;
  });
}

function commentOf({ description }: Schema, indent: string): string {
  return description === undefined ? '' : `${indent}/** ${description.replaceAll('*/', '*\\/')} */\n`;
}

function typeOf(schema: Schema): string {
  const { $ref, anyOf, type, items, properties, additionalProperties } = schema;
  if ($ref !== undefined) return nameOf($ref);
  if (anyOf) return unionOf(anyOf);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one })).join(' | ');
  if (type === 'array') return items ? `${inParentheses(typeOf(items))}[]` : 'unknown[]';
  if (type === 'integer') return 'number';
  if (type !== 'object') return type ?? 'unknown';
  if (properties) return `{ ${fieldsOf(schema, false).join(' ').replaceAll(/\s+/g, ' ').trim()} }`;
  const value = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown';
  return `Record<string, ${value}>`;
}

/** Writes a union. If it accepts any text, writes it so that editors still suggest the known names. */
function unionOf(schemas: readonly Schema[]): string {
  const isOpen =
    schemas.some(({ $ref }) => $ref !== undefined) && schemas.some(({ type }) => type === 'string');
  return schemas
    .map((one) => (isOpen && one.type === 'string' && !one.enum ? '(string & {})' : typeOf(one)))
    .join(' | ');
}

function inParentheses(type: string): string {
  return type.includes(' ') && !type.startsWith('{') && !type.startsWith('Record<') ? `(${type})` : type;
}
