import swagger from '@fastify/swagger';
import { type FastifyInstance, type FastifySchema, fastify } from 'fastify';
import { hidden, namedIn } from '../../../base/http/schemas.ts';
import { type Document, makeDocument, sendDocument } from '../../../base/http/send-document.ts';
import { describeApi } from './describe-api.ts';
import type { OpenApi } from './types.ts';

export interface OpenApiOptions {
  title: string;
  version: string;
  description: string;
  keyNote: string;
  serverUrl: string;
  tags: { name: string; description: string }[];
}

export async function collectCalls(
  server: FastifyInstance,
  { title, version, description, keyNote, serverUrl, tags }: OpenApiOptions,
): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title,
        version,
        description,
        license: { name: 'MIT', identifier: 'MIT' },
        contact: { name: 'The operator of this installation' },
      },
      servers: [{ url: serverUrl }],
      components: {
        securitySchemes: {
          key: {
            type: 'http',
            scheme: 'bearer',
            description: keyNote,
          },
        },
      },
      tags,
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `def-${index}`),
    },
    transform: ({ schema, url }) => ({
      schema: schema ? withHeaders(schema as Record<string, unknown>) : { hide: true },
      url,
    }),
    hideUntagged: true,
  });
}

/** A server that answers no requests, but describes itself. */
export type Description = FastifyInstance;

export interface DescribedCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  schema: FastifySchema;
}

export async function describeCalls(
  options: OpenApiOptions,
  calls: readonly DescribedCall[],
): Promise<Description> {
  const server = fastify({ exposeHeadRoutes: false });
  // Nothing is compiled, because no request reaches this server.
  server.setValidatorCompiler(() => () => true);
  server.setSerializerCompiler(() => JSON.stringify);
  for (const schema of namedIn(calls).values()) server.addSchema(schema);
  await collectCalls(server, options);
  await server.register(async (scope) => {
    for (const { method, url, schema } of calls) scope.route({ method, url, schema, handler: () => {} });
  });
  await server.ready();
  return server;
}

export function registerOpenApi(
  server: FastifyInstance,
  prefix: string,
  description: () => Promise<Description>,
  webhooks?: OpenApi['webhooks'],
): void {
  const documents = new WeakMap<Description, Document>();
  server.get(`${prefix}/openapi.json`, hidden, async (request, reply) => {
    const described = await description();
    const document =
      documents.get(described) ??
      makeDocument('application/json; charset=utf-8', JSON.stringify(apiDocument(described, webhooks)));
    documents.set(described, document);
    return sendDocument(request, reply.header('access-control-allow-origin', '*'), document);
  });
}

export function apiDocument(server: FastifyInstance, webhooks?: OpenApi['webhooks']): OpenApi {
  return describeApi(server.swagger() as unknown as OpenApi, webhooks); // our own registration makes this shape
}

/** Documents request headers without letting the framework validate them. */
function withHeaders(schema: Record<string, unknown>) {
  const { 'x-headers': headers, ...rest } = schema;
  if (typeof headers !== 'object' || headers === null) return rest;
  const documented = Object.entries(headers).map(([name, { schema, description }]) => [
    name,
    { ...schema, description },
  ]);
  return { ...rest, headers: { type: 'object', properties: Object.fromEntries(documented) } };
}
