import Type from 'typebox';
import { closed, named, nullable } from '../../../http/schemas.ts';
import { setWebhook } from '../../../webhooks/endpoints/set-webhook.ts';
import { showWebhook } from '../../../webhooks/endpoints/show-webhook.ts';
import { accountCall, type Caller } from '../../account-call.ts';
import {
  besideOf,
  revealSecrets,
  rotateSecrets,
  rotationFields,
  secretsReply,
  sendTest,
  testReply,
  type WebhookDeps,
} from './endpoint-calls.ts';
import {
  cancelled,
  presentSecrets,
  presentWebhook,
  secrets,
  targetUrl,
  webhookSchema,
} from './webhook-json.ts';

const tag = 'Webhooks';
const written = ['not_found', 'unsupported_media_type', 'body_too_large'] as const;
const which = {
  endpoint_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'The default endpoint when left out.' }),
  ),
};
const url = targetUrl('An http or https address on the public internet.');
const setReply = Type.Object(
  {
    ...webhookSchema.properties,
    secrets: { ...secrets, description: 'All that sign now, the new one first. API keys see none.' },
    ...cancelled,
  },
  { title: 'WebhookSet' },
);

/** The calls under `/webhook`: the default endpoint by the name that it had when there was no other. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function webhookCalls(deps: WebhookDeps) {
  return {
    show: accountCall({
      tag,
      operationId: 'getWebhook',
      summary: 'Read the webhook',
      description: 'The default endpoint of the account, and how that works out.',
      status: 200,
      reply: named(webhookSchema),
      errors: [],
      handle: async (caller) =>
        presentWebhook(await showWebhook(deps, { account: caller.accountId }), await besideOf(deps, caller)),
    }),

    set: accountCall({
      tag,
      operationId: 'setWebhook',
      summary: 'Set the webhook',
      description:
        'Sends the events of the account to this URL from now on: its default endpoint; null removes it. What waits for another URL is cancelled; the same URL again enables a webhook that was disabled. Other endpoints stay as they are.',
      body: closed({ url: nullable(url) }, { title: 'WebhookUpdate' }),
      status: 200,
      reply: setReply,
      errors: written,
      handle: ({ body, ...caller }) => set(deps, caller, body.url),
    }),

    remove: accountCall({
      tag,
      operationId: 'removeWebhook',
      summary: 'Remove the webhook',
      description:
        'What waits for it is cancelled. Events can still be read, and `callback_url`s are called.',
      status: 200,
      reply: setReply,
      errors: ['body_too_large'],
      handle: (caller) => set(deps, caller, null),
    }),

    reveal: accountCall({
      tag,
      operationId: 'revealWebhookSecret',
      summary: 'Read the webhook with its signing secrets',
      description:
        'Those of the account where it has no webhook: they sign for `callback_url`s. The audit log notes that they were shown.',
      body: closed(which, { title: 'EndpointName' }),
      status: 200,
      reply: secretsReply,
      errors: [...written, 'webhook_secret_unreadable'],
      handle: ({ body, ...caller }) => revealSecrets(deps, caller, body),
    }),

    rotate: accountCall({
      tag,
      operationId: 'rotateWebhookSecret',
      summary: 'Make a new signing secret',
      description: 'The old one goes on signing beside it for 24 hours, or ends now when it has leaked.',
      body: closed({ ...which, ...rotationFields }, { title: 'WebhookSecretRotation' }),
      status: 200,
      idempotency: 'kept',
      reply: secretsReply,
      errors: written,
      handle: ({ body, ...caller }) => rotateSecrets(deps, caller, body),
    }),

    test: accountCall({
      tag,
      operationId: 'testWebhook',
      summary: 'Send a test event',
      description:
        'Sends one signed `webhook.test` to the webhook now, or to the URL that is given, and answers what came of it. Nothing is recorded and nothing repeated.',
      body: nullable(closed({ ...which, url: Type.Optional(url) }, { title: 'WebhookTestRequest' })),
      status: 200,
      reply: testReply,
      errors: [...written, 'nothing_to_deliver', 'webhook_secret_unreadable'],
      handle: ({ body, ...caller }) => sendTest(deps, caller, body ?? {}),
    }),
  };
}

async function set(deps: WebhookDeps, caller: Caller, url: string | null) {
  const request = { account: caller.accountId, url };
  const { cancelledDeliveries, ...webhook } = await setWebhook(deps, request, caller.by);
  return {
    ...presentWebhook(webhook, await besideOf(deps, caller)),
    secrets: caller.may('see_secrets') ? presentSecrets(webhook) : [],
    cancelled_deliveries: cancelledDeliveries,
  };
}
