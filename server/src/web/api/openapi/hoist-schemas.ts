import { isDeepStrictEqual } from 'node:util';
import { readable } from './readable-schemas.ts';
import type { Node, OpenApi } from './types.ts';

/**
 * Moves titled schemas into components. The server itself validates without references, which is faster.
 * @throws Error if two schemas have the same name
 */
export function hoistSchemas<Document extends OpenApi>(document: Document): Document {
  const schemas: Record<string, Node> = {};
  const add = (name: string, schema: Node) => {
    if (schemas[name] && !isDeepStrictEqual(schemas[name], schema))
      throw new Error(`two schemas have the title ${name}`);
    schemas[name] = schema;
  };

  function hoist(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(hoist);
    if (typeof value !== 'object' || value === null) return value;
    const node = Object.fromEntries(
      Object.entries(readable(value as Node)).map(([key, child]) => [
        key,
        data.has(key) ? child : hoist(child),
      ]),
    );
    const { title, description, default: byDefault, examples, 'x-open': isOpen, ...schema } = node;
    if (typeof title !== 'string') return node;
    const { isNullable, ...rest } = withoutNull(schema);
    if (isOpen) {
      add(`Known${title}`, rest);
      add(title, { anyOf: [{ $ref: `#/components/schemas/Known${title}` }, { type: 'string' }] });
    } else add(title, rest);
    const reference = { $ref: `#/components/schemas/${title}` };
    return {
      ...(isNullable ? { anyOf: [reference, { type: 'null' }] } : reference),
      ...(description !== undefined && { description }),
      ...(byDefault !== undefined && { default: byDefault }),
      ...(examples !== undefined && { examples }),
    };
  }

  const { components, paths, webhooks } = document;
  const named = hoist(components.schemas) as Record<string, Node>;
  const result = { ...document, paths: hoist(paths), ...(webhooks && { webhooks: hoist(webhooks) }) };
  return { ...result, components: { ...components, schemas: sorted({ ...named, ...schemas }) } } as Document;
}

/** Keywords whose values are data, so that a `title` in them is not a keyword. */
const data: ReadonlySet<string> = new Set(['default', 'enum', 'example', 'examples', 'required']);

/** Removes null from a schema, so that nullable and other fields share one component. */
function withoutNull(schema: Node): Node & { isNullable: boolean } {
  const types = [schema.type].flat();
  if (!types.includes('null')) return { ...schema, isNullable: false };
  return {
    ...schema,
    type: types.find((type) => type !== 'null'),
    ...(Array.isArray(schema.enum) && { enum: schema.enum.filter((value) => value !== null) }),
    isNullable: true,
  };
}

function sorted(schemas: Record<string, Node>): Record<string, Node> {
  return Object.fromEntries(Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1)));
}
