import Type from 'typebox';
import { keyActor } from '../../../audit/audit-store.ts';
import { closed, named } from '../../../http/schemas.ts';
import { addEndpoint } from '../../../webhooks/endpoints/add-endpoint.ts';
import { changeEndpoint, removeEndpoint } from '../../../webhooks/endpoints/change-endpoint.ts';
import {
  presentEndpoint,
  presentEndpoints,
  presentSecrets,
} from '../../../webhooks/endpoints/present-webhook.ts';
import { rotateSecret } from '../../../webhooks/endpoints/rotate-secret.ts';
import { listWebhooks, showEndpoint } from '../../../webhooks/endpoints/show-webhook.ts';
import { apiCall } from '../../api-call.ts';
import { rotationBody, secretsReply, sendTest, type WebhookDeps } from './webhook-calls.ts';
import { attemptSchema, endpointSchema, endpointUpdateBody, newEndpointBody } from './webhook-schemas.ts';

const tag = 'Webhooks';
const endpointParams = Type.Object({ endpoint_id: Type.String() });
const addedSchema = Type.Object(
  {
    ...endpointSchema.properties,
    secret: Type.String({ description: 'What signs for it; empty for a bucket.', examples: ['whsec_…'] }),
  },
  { title: 'EndpointAdded' },
);

/** The calls under `/webhooks`: all endpoints of the account. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function endpointCalls(deps: WebhookDeps) {
  return {
    list: apiCall({
      tag,
      operationId: 'listEndpoints',
      summary: 'List the endpoints',
      description: 'Where the events of the account go, the default endpoint first. At most ten.',
      status: 200,
      reply: Type.Object({ data: Type.Array(named(endpointSchema)) }, { title: 'EndpointList' }),
      errors: [],
      handle: async ({ apiKey: { accountId } }) => ({
        data: await presentEndpoints(deps, accountId, await listWebhooks(deps, { account: accountId })),
      }),
    }),

    add: apiCall({
      tag,
      operationId: 'addEndpoint',
      summary: 'Add an endpoint',
      description:
        'Sends the events of the account there too. The answer shows its signing secret, later ones do not. The first endpoint of an account is its default one. To a bucket the picture of every job that is done is copied, also of those with a `callback_url`; it is never the default one.',
      body: newEndpointBody,
      status: 201,
      reply: addedSchema,
      errors: ['unsupported_media_type', 'body_too_large'],
      async handle({ apiKey, body }, reply) {
        const added = await addEndpoint(deps, { account: apiKey.accountId, ...body }, keyActor(apiKey));
        reply.code(201);
        return { ...(await presentEndpoint(deps, added)), secret: presentSecrets(added)[0]?.secret ?? '' };
      },
    }),

    get: apiCall({
      tag,
      operationId: 'getEndpoint',
      summary: 'Read an endpoint',
      description: 'Where it leads, what it wants, and how that works out.',
      params: endpointParams,
      status: 200,
      reply: named(endpointSchema),
      errors: ['not_found'],
      handle: async ({ apiKey, params }) =>
        presentEndpoint(
          deps,
          await showEndpoint(deps, { account: apiKey.accountId, endpointId: params.endpoint_id }),
        ),
    }),

    change: apiCall({
      tag,
      operationId: 'changeEndpoint',
      summary: 'Change an endpoint',
      description:
        'Replaces its address, its events and whether it is enabled; the credentials of a bucket where they are given. What waits for another address, or for an endpoint that is disabled now, is cancelled.',
      params: endpointParams,
      body: endpointUpdateBody,
      status: 200,
      reply: named(endpointSchema),
      errors: ['not_found', 'unsupported_media_type', 'body_too_large'],
      async handle({ apiKey, params, body: { events = null, enabled = true, ...given } }) {
        const name = { account: apiKey.accountId, endpointId: params.endpoint_id };
        return presentEndpoint(
          deps,
          await changeEndpoint(deps, { ...name, ...given, events, enabled }, keyActor(apiKey)),
        );
      },
    }),

    remove: apiCall({
      tag,
      operationId: 'removeEndpoint',
      summary: 'Remove an endpoint',
      description: 'What waits for it is cancelled. Other endpoints stay as they are.',
      params: endpointParams,
      status: 200,
      reply: closed({ endpoint_id: Type.String({ format: 'uuid' }) }, { title: 'EndpointRemoved' }),
      errors: ['not_found', 'body_too_large'],
      async handle({ apiKey, params: { endpoint_id: endpointId } }) {
        await removeEndpoint(deps, { account: apiKey.accountId, endpointId }, keyActor(apiKey));
        return { endpoint_id: endpointId };
      },
    }),

    rotate: apiCall({
      tag,
      operationId: 'rotateEndpointSecret',
      summary: 'Make a new signing secret for an endpoint',
      description:
        'The old one goes on signing beside it for 24 hours, or ends now when it has leaked. That of the default endpoint is the one of the account.',
      params: endpointParams,
      body: rotationBody,
      status: 200,
      reply: secretsReply,
      errors: ['not_found', 'unsupported_media_type', 'body_too_large'],
      async handle({ apiKey, params, body }) {
        const name = { account: apiKey.accountId, endpointId: params.endpoint_id };
        return { secrets: presentSecrets(await rotateSecret(deps, { ...name, ...body }, keyActor(apiKey))) };
      },
    }),

    test: apiCall({
      tag,
      operationId: 'testEndpoint',
      summary: 'Send a test event to an endpoint',
      description:
        'Sends one signed `webhook.test` there now and answers what came of it, whatever events it wants. In a bucket it puts `darkroom-test.txt`. Nothing is recorded and nothing repeated.',
      params: endpointParams,
      status: 200,
      reply: named(attemptSchema),
      errors: ['not_found', 'webhook_secret_unreadable', 'body_too_large'],
      handle: ({ apiKey, params }) =>
        sendTest(deps, { account: apiKey.accountId, endpointId: params.endpoint_id }),
    }),
  };
}
