import Type from 'typebox';
import {
  bucketCredentials,
  endpointUrl,
  eventFilter,
  secretSchema,
  targetUrl,
} from '../api/nouns/webhooks/webhook-schemas.ts';
import { closed, nullable, targetPattern, time } from '../http/schemas.ts';
import { maxTargetLength } from '../webhooks/webhook-target.ts';
import { adminCall } from './admin-call.ts';
import { hideUrl, seesSecrets } from './hide-targets.ts';
import { accountParams, list, listOf } from './schemas.ts';

const tag = 'Webhooks';
const endpointParams = Type.Object({ ...accountParams.properties, endpoint_id: Type.String() });
const written = ['not_found', 'unsupported_media_type', 'body_too_large'] as const;
const which = {
  endpoint_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'The default endpoint when left out.' }),
  ),
};
const url = targetUrl('An http or https address on the public internet.');

const fields = {
  account_id: Type.String({ format: 'uuid' }),
  endpoint_id: nullable(Type.String({ format: 'uuid' }), { description: 'Null: there is none.' }),
  is_default: Type.Boolean({ description: 'The one that the account itself sets as its webhook.' }),
  url: nullable(Type.String()),
  events: eventFilter,
  failing_since: nullable(time('Since when every attempt failed; null while it works.')),
  disabled_at: nullable(time('When deliveries to it stopped.')),
  disabled_reason: nullable(Type.String({ description: '`gone`, `failing` or `manual`.' })),
  secrets: Type.Array(secretSchema, {
    description: 'All that sign now, the new one first; empty where they are not shown.',
  }),
};
const cancelled = {
  cancelled_deliveries: Type.Integer({ description: 'What waited for it, and is cancelled.' }),
};
const endpoint = Type.Object(fields, { title: 'AccountEndpoint' });
const changedEndpoint = Type.Object({ ...fields, ...cancelled }, { title: 'ChangedEndpoint' });

const testResult = Type.Object(
  {
    url: Type.String(),
    webhook_id: Type.String(),
    ok: Type.Boolean({ description: 'It was taken.' }),
    status: nullable(Type.Integer(), { description: 'Of the answer; null when none came.' }),
    failure: nullable(Type.String({ description: 'A word such as `timed_out`; null after a success.' })),
    duration_ms: Type.Integer(),
    answer: nullable(Type.String(), { description: 'The beginning of the answer.' }),
  },
  { title: 'WebhookTest' },
);

/** Where the events of accounts go. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function webhookCalls() {
  return {
    set: adminCall({
      tag,
      operationId: 'setWebhook',
      summary: 'Set the webhook of an account',
      description: 'Its default endpoint; null removes it. What waits for another address is cancelled.',
      params: accountParams,
      body: closed(
        { url: nullable(Type.String({ pattern: targetPattern, maxLength: maxTargetLength })) },
        { title: 'WebhookSetting' },
      ),
      status: 200,
      reply: changedEndpoint,
      errors: written,
      handle: ({ verbs, params, body }) => verbs.setWebhook(params.account, body),
    }),

    list: adminCall({
      tag,
      operationId: 'listEndpoints',
      summary: 'List the endpoints of an account',
      description:
        'The default one first, without their secrets. Keys without the scope `accounts` see of an address only where it leads.',
      params: accountParams,
      status: 200,
      reply: listOf('AccountEndpointList', endpoint),
      errors: ['not_found'],
      async handle({ verbs, params, ...caller }) {
        const { data } = await list(verbs.listEndpoints(params.account));
        return { data: seesSecrets(caller) ? data : data.map(hideUrl) };
      },
    }),

    add: adminCall({
      tag,
      operationId: 'addEndpoint',
      summary: 'Add an endpoint to an account',
      params: accountParams,
      body: closed(
        {
          url: endpointUrl,
          events: Type.Optional(eventFilter),
          credentials: Type.Optional(bucketCredentials),
        },
        { title: 'NewAccountEndpoint' },
      ),
      status: 201,
      reply: endpoint,
      errors: written,
      handle: ({ verbs, params, body }) => verbs.addEndpoint(params.account, body),
    }),

    change: adminCall({
      tag,
      operationId: 'changeEndpoint',
      summary: 'Change an endpoint of an account',
      description:
        'What is not named stays. What waits for another address, or for one that is disabled, is cancelled.',
      params: endpointParams,
      body: closed(
        {
          url: Type.Optional(endpointUrl),
          events: Type.Optional(eventFilter),
          enabled: Type.Optional(Type.Boolean()),
          credentials: Type.Optional(bucketCredentials),
        },
        { title: 'EndpointChange' },
      ),
      status: 200,
      reply: changedEndpoint,
      errors: written,
      handle: ({ verbs, params, body }) => verbs.changeEndpoint(params.account, params.endpoint_id, body),
    }),

    remove: adminCall({
      tag,
      operationId: 'removeEndpoint',
      summary: 'Remove an endpoint of an account',
      params: endpointParams,
      status: 200,
      reply: Type.Object(cancelled, { title: 'RemovedEndpoint' }),
      errors: ['not_found'],
      handle: ({ verbs, params }) => verbs.removeEndpoint(params.account, params.endpoint_id),
    }),

    reveal: adminCall({
      tag,
      operationId: 'revealWebhookSecret',
      summary: 'Read an endpoint with its signing secrets',
      description: 'The audit log notes that they were shown.',
      params: accountParams,
      body: closed(which, { title: 'EndpointName' }),
      status: 200,
      reply: endpoint,
      errors: [...written, 'webhook_secret_unreadable'],
      handle: ({ verbs, params, body }) => verbs.showWebhook(params.account, body),
    }),

    rotate: adminCall({
      tag,
      operationId: 'rotateWebhookSecret',
      summary: 'Make a new signing secret',
      description: 'The old one goes on signing beside it for 24 hours, or ends now when it has leaked.',
      params: accountParams,
      body: closed({ ...which, leaked: Type.Optional(Type.Boolean()) }, { title: 'AccountSecretRotation' }),
      status: 200,
      reply: endpoint,
      errors: written,
      handle: ({ verbs, params, body }) => verbs.rotateWebhookSecret(params.account, body),
    }),

    test: adminCall({
      tag,
      operationId: 'testWebhook',
      summary: 'Send a test event',
      description: 'One signed `webhook.test`, now. Nothing is recorded and nothing repeated.',
      params: accountParams,
      body: closed({ ...which, url: Type.Optional(url) }, { title: 'WebhookTestRequest' }),
      status: 200,
      reply: testResult,
      errors: [...written, 'nothing_to_deliver', 'webhook_secret_unreadable'],
      handle: ({ verbs, params, body }) => verbs.testWebhook(params.account, body),
    }),
  };
}
