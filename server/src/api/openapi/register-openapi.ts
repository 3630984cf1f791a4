import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { type Document, makeDocument, sendDocument } from '../../http/send-document.ts';
import { describeApi } from './describe-api.ts';
import type { OpenApi } from './types.ts';

const description = `Darkroom makes images asynchronously. A create call answers \`202\` with a \`job_id\` at once; read the job until its
\`status\` is \`done\` or \`failed\`, or have a webhook called. The price is reserved when a job is created, captured when it is done
and released when it fails.

Amounts are decimal strings, times are ISO 8601 UTC, errors are problem documents (RFC 9457) with a stable \`code\`.`;

interface Options {
  version: string;
  serverUrl: string;
  schemas: TSchema[];
}

/** Collects every call that is registered afterwards into `/api/v1/openapi.json`. */
export async function registerOpenApi(
  server: FastifyInstance,
  { version, serverUrl, schemas }: Options,
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
        securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key: `dk_…`.' } },
      },
      tags: [
        { name: 'Create', description: 'Six endpoints: three models, from text or from images.' },
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
  let document: Document | undefined;
  server.get('/api/v1/openapi.json', { schema: { hide: true } as object }, (request, reply) => {
    document ??= makeDocument('application/json; charset=utf-8', JSON.stringify(apiDocument(server)));
    return sendDocument(request, reply.header('access-control-allow-origin', '*'), document);
  });
}

/** Complete only once the server is ready and all calls are registered. */
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
