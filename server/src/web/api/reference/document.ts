import type { FastifyInstance } from 'fastify';
import { type ErrorCode, errorCodes } from '../../../errors.ts';
import { apiDocument } from '../openapi/register-openapi.ts';
import { webhookDescriptions } from '../openapi/webhook-descriptions.ts';

/** The part of JSON Schema that our schemas use. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  anyOf?: Schema[];
  pattern?: string;
  description?: string;
  default?: unknown;
  examples?: unknown[];
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean;
}

export interface Parameter {
  in: string;
  name: string;
  required?: boolean;
  description?: string;
  schema: Schema;
}

export interface Reply {
  status: number;
  description: string;
  codes: ErrorCode[];
  headers: [name: string, description: string][];
  schema: Schema | undefined;
}

export interface Operation {
  id: string;
  method: string;
  path: string;
  tag: string;
  summary: string;
  description: string;
  parameters: Parameter[];
  body: Schema | undefined;
  /** Content types of a body that is not JSON. */
  files: string[];
  replies: Reply[];
}

export interface Reference {
  title: string;
  version: string;
  description: string;
  basePath: string;
  tags: { name: string; description: string; operations: Operation[] }[];
  schemas: [name: string, Schema][];
}

const known = new WeakMap<FastifyInstance, Reference>();

/** Makes the reference only once for each described server, because the server's document is half a megabyte. */
export function readReference(server: FastifyInstance): Reference {
  const reference = known.get(server) ?? makeReference(server);
  known.set(server, reference);
  return reference;
}

function makeReference(server: FastifyInstance): Reference {
  const document = server.swagger() as unknown as Document; // our own registration makes this shape
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, raw]) => readOperation(method.toUpperCase(), path, raw)),
  );
  const described = new Map((document.tags ?? []).map(({ name, description }) => [name, description ?? '']));
  const names = new Set([...described.keys(), ...operations.map(({ tag }) => tag)]);
  return {
    title: document.info.title,
    version: document.info.version,
    description: document.info.description ?? '',
    basePath: document.servers?.[0]?.url ?? '',
    tags: [...names].map((name) => ({
      name,
      description: described.get(name) ?? '',
      operations: operations.filter(({ tag }) => tag === name),
    })),
    schemas: Object.entries(apiDocument(server, webhookDescriptions).components.schemas),
  };
}

interface Document {
  info: { title: string; version: string; description?: string };
  servers?: { url: string }[];
  tags?: { name: string; description?: string }[];
  paths: Record<string, Record<string, RawOperation>>;
}

interface RawOperation {
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses?: Record<string, RawReply>;
}

interface RawReply {
  description?: string;
  headers?: Record<string, { description?: string }>;
  content?: Content;
}

type Content = Record<string, { schema: Schema }>;

function readOperation(method: string, path: string, raw: RawOperation): Operation {
  const types = Object.keys(raw.requestBody?.content ?? {});
  const isJson = types.includes('application/json');
  return {
    id: `${method}${path}`
      .toLowerCase()
      .replace(/[^a-z0-9_]+/g, '-')
      .replace(/-$/, ''),
    method,
    path,
    tag: raw.tags?.[0] ?? 'Other',
    summary: raw.summary ?? '',
    description: raw.description ?? '',
    parameters: raw.parameters ?? [],
    body: isJson ? schemaOf(raw.requestBody?.content) : undefined,
    files: isJson ? [] : types,
    replies: Object.entries(raw.responses ?? {}).map(([status, reply]) => readReply(Number(status), reply)),
  };
}

function readReply(status: number, { description = '', headers = {}, content }: RawReply): Reply {
  const known = new Set<string>(errorCodes);
  const named = [...description.matchAll(/`([a-z_]+)`/g)].map(([, code = '']) => code);
  return {
    status,
    description,
    codes: status < 400 ? [] : named.filter((code): code is ErrorCode => known.has(code)),
    headers: Object.entries(headers).map(([name, header]) => [name, header.description ?? '']),
    schema: schemaOf(content),
  };
}

function schemaOf(content: Content | undefined): Schema | undefined {
  return Object.values(content ?? {})[0]?.schema;
}
