import swagger from '@fastify/swagger';
import { type FastifyInstance, fastify } from 'fastify';
import type { TSchema } from 'typebox';
import type { Catalogue } from '../../catalog/catalogue.ts';
import type { Model } from '../../catalog/models.ts';
import { type Document, makeDocument, sendDocument } from '../../http/send-document.ts';
import { apiPrefix, type PlacedCall } from '../api-call.ts';
import { schemaOf } from '../register-api.ts';
import { describeApi } from './describe-api.ts';
import type { OpenApi } from './types.ts';

const description = `Darkroom makes images asynchronously. A create call answers \`202\` with a \`job_id\` at once; read the job until its
\`status\` is \`done\` or \`failed\`, or have a webhook called. The price is reserved when a job is created, captured when it is done
and released when it fails.

Amounts are decimal strings, times are ISO 8601 UTC, errors are problem documents (RFC 9457) with a stable \`code\`.`;

export interface OpenApiOptions {
  version: string;
  serverUrl: string;
  schemas: TSchema[];
}

/** Collects every call that is registered afterwards. */
export async function collectCalls(
  server: FastifyInstance,
  { version, serverUrl, schemas }: OpenApiOptions,
): Promise<void> {
  for (const schema of schemas) server.addSchema(schema);
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Darkroom',
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
            description: 'An API key, `dk_…`, or for some calls a client token, `dkc_…`.',
          },
        },
      },
      tags: [
        { name: 'Create', description: 'Two endpoints for each model: from text, and from images.' },
        { name: 'Uploads', description: 'Images that have no URL, to use as inputs.' },
        { name: 'Jobs', description: 'Follow what was created.' },
        { name: 'Webhooks', description: 'Where events go, what was sent, and sending it again.' },
        { name: 'Account', description: 'Balance, entries, usage and models.' },
      ],
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

/** A server that describes itself and answers nothing. */
export type Description = FastifyInstance;

/** Describes the calls as they are now. Made again whenever the list of models is another one. */
export function createDescription(
  options: OpenApiOptions,
  { catalogue, callsOf }: { catalogue: Catalogue; callsOf(models: readonly Model[]): readonly PlacedCall[] },
): () => Promise<Description> {
  let known: readonly Model[] | undefined;
  let made: Promise<Description> | undefined;
  return () => {
    const models = catalogue.list();
    if (!made || known !== models) made = describe(options, callsOf(models));
    known = models;
    return made;
  };
}

async function describe(options: OpenApiOptions, calls: readonly PlacedCall[]): Promise<Description> {
  const server = fastify({ exposeHeadRoutes: false });
  // Nobody calls it, so nothing is compiled.
  server.setValidatorCompiler(() => () => true);
  server.setSerializerCompiler(() => JSON.stringify);
  await collectCalls(server, options);
  await server.register(async (scope) => {
    for (const { method, path, call } of calls)
      scope.route({ method, url: apiPrefix + path, schema: schemaOf(call), handler: () => {} });
  });
  await server.ready();
  return server;
}

/** Serves `/api/v1/openapi.json`. */
export function registerOpenApi(server: FastifyInstance, description: () => Promise<Description>): void {
  const documents = new WeakMap<Description, Document>();
  server.get('/api/v1/openapi.json', { schema: { hide: true } as object }, async (request, reply) => {
    const described = await description();
    const document =
      documents.get(described) ??
      makeDocument('application/json; charset=utf-8', JSON.stringify(apiDocument(described)));
    documents.set(described, document);
    return sendDocument(request, reply.header('access-control-allow-origin', '*'), document);
  });
}

export function apiDocument(server: FastifyInstance): OpenApi {
  return describeApi(server.swagger() as unknown as OpenApi); // our own registration makes this shape
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
