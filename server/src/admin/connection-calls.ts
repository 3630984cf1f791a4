import Type from 'typebox';
import { closed } from '../http/schemas.ts';
import { adminCall } from './admin-call.ts';
import { connectionCheckSchema, connectionListSchema, connectionSchema, list, nothing } from './schemas.ts';

const tag = 'Models';
const connectionParams = Type.Object({ name: Type.String({ description: 'What models call it.' }) });

/** Providers with their address, never with their key. */
export function connectionCalls() {
  return {
    list: adminCall({
      tag,
      operationId: 'listConnections',
      summary: 'List the connections to providers',
      status: 200,
      reply: connectionListSchema,
      errors: [],
      handle: ({ verbs }) => list(verbs.listConnections()),
    }),

    save: adminCall({
      tag,
      operationId: 'saveConnection',
      summary: 'Add a connection, or change the one of this name',
      description: 'Its key is stored sealed and never shown again.',
      params: connectionParams,
      body: closed(
        {
          provider: Type.String({ maxLength: 40, examples: ['fal'] }),
          base_url: Type.Optional(
            Type.String({ maxLength: 2_000, description: "Unless it is the provider's own." }),
          ),
          key: Type.Optional(Type.String({ maxLength: 10_000 })),
        },
        { title: 'NewConnection' },
      ),
      status: 200,
      reply: connectionSchema,
      errors: ['unsupported_media_type', 'body_too_large'],
      handle: ({ verbs, params, body }) => verbs.addConnection(params.name, body),
    }),

    check: adminCall({
      tag,
      operationId: 'checkConnection',
      summary: 'Ask a provider whether it lets us in',
      description: 'Makes no image and costs nothing.',
      params: connectionParams,
      status: 200,
      reply: connectionCheckSchema,
      errors: ['not_found', 'body_too_large'],
      handle: ({ verbs, params }) => verbs.checkConnection(params.name),
    }),

    remove: adminCall({
      tag,
      operationId: 'removeConnection',
      summary: 'Forget a connection and its key',
      description: 'Its routes wait until there is one of this name.',
      params: connectionParams,
      status: 204,
      reply: nothing('It is gone.'),
      errors: ['not_found'],
      handle: ({ verbs, params }) => verbs.removeConnection(params.name),
    }),
  };
}
