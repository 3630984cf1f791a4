import type { TSchema } from 'typebox';
import { pathOf } from '../test/http/support/registered-calls.ts';
import type { Call } from './calls.ts';
import type { Ids } from './furnish.ts';

/** The path of a call with these ids, and its required query. @param more names of further query parameters */
export function addressOf(call: Call, ids: Ids, more: readonly string[] = []): string {
  const query = Object.entries(sampleObject(call.query, ids, more)).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  const search = new URLSearchParams(query).toString();
  const path = files[call.url]?.(ids) ?? pathOf(call, ids);
  return path + (search && `?${search}`);
}

const files: Record<string, (ids: Ids) => string> = {
  '/shared/:token/:job_id': ({ token, job_id }) => `/shared/${token}/${job_id}.png`,
  '/docs/*': () => '/docs/start/api',
  '/docs/panel/:name': () => '/docs/panel/make.png',
};

export function idsIn({ url, query, body }: Call, names: readonly string[]) {
  const properties = [query, body].flatMap((schema) =>
    Object.keys((schema as Shape | undefined)?.properties ?? {}),
  );
  return {
    path: names.filter((name) => url.split('/').includes(`:${name}`)),
    rest: names.filter((name) => properties.includes(name) || properties.includes(`${name}s`)),
  };
}

/** A valid body for the call, including the fields in `more`; undefined for calls without a body. */
export function bodyFor(
  { body, family, reads }: Call,
  ids: Ids,
  more: readonly string[] = [],
): string | undefined {
  if (body) return JSON.stringify(sampleObject(body, ids, more));
  // The tables of other APIs and of calls that take files have no schema.
  return family === 'panel' || family === 'admin' || reads ? undefined : '{}';
}

// The part of TypeBox schemas that requests use.
interface Shape {
  type?: string | string[];
  properties?: Record<string, Shape>;
  required?: string[];
  items?: Shape;
  anyOf?: Shape[];
  enum?: unknown[];
  const?: unknown;
  examples?: unknown[];
  minItems?: number;
  minimum?: number;
  minLength?: number;
}

function sampleObject(
  schema: TSchema | undefined,
  ids: Ids,
  more: readonly string[] = [],
): Record<string, unknown> {
  const { properties = {}, required = [] } = (schema ?? {}) as Shape; // TypeBox schemas are plain data
  const named = more.flatMap((name) => [name, `${name}s`]);
  const names = [...required, ...named.filter((name) => name in properties && !required.includes(name))];
  return Object.fromEntries(names.map((name) => [name, sample(properties[name] ?? {}, name, ids)]));
}

function sample(shape: Shape, name: string, ids: Ids): unknown {
  const known = { ...words, ...ids }[name];
  if (known !== undefined && isText(shape)) return known;
  const one = ids[name.replace(/s$/, '')];
  if (one !== undefined && shape.type === 'array') return [one];
  if (one !== undefined && isText(shape)) return one;
  if (shape.const !== undefined) return shape.const;
  if (shape.enum) return shape.enum[0];
  if (shape.examples) return shape.examples[0];
  const [choice] = shape.anyOf ?? [];
  if (choice) return sample(choice, name, ids);
  const type = [shape.type].flat()[0];
  if (type === 'object') return sampleObject(shape as TSchema, ids);
  if (type === 'array')
    return Array.from({ length: shape.minItems ?? 0 }, () => sample(shape.items ?? {}, name, ids));
  if (type === 'integer' || type === 'number') return shape.minimum ?? 1;
  return type === 'boolean' ? false : 'x'.repeat(Math.max(1, shape.minLength ?? 1));
}

/** Values that a schema describes only in words. */
const words: Ids = {
  ...{ url: 'https://hook.example/', aspect_ratio: '1:1', amount: '1' },
  ...{ email: 'mallory@example.com', name: 'mallory', model: 'nb2', mode: 'text', provider: 'comfyui' },
};

function isText({ type, anyOf }: Shape): boolean {
  return [type].flat().includes('string') || (anyOf ?? []).some((one) => one.type === 'string');
}
