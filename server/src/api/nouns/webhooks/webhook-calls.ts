import Type from 'typebox';
import { keyActor } from '../../../audit/audit-store.ts';
import type { Database } from '../../../db/database.ts';
import type { Guard } from '../../../guard/guard.ts';
import { closed, named } from '../../../http/schemas.ts';
import type { Clock } from '../../../std/clock.ts';
import type { Sealer } from '../../../std/sealer.ts';
import { presentAttempt } from '../../../webhooks/deliveries/present-delivery.ts';
import { presentSecrets, presentWebhook } from '../../../webhooks/endpoints/present-webhook.ts';
import { rotateSecret } from '../../../webhooks/endpoints/rotate-secret.ts';
import { setWebhook } from '../../../webhooks/endpoints/set-webhook.ts';
import { type EndpointName, showWebhook } from '../../../webhooks/endpoints/show-webhook.ts';
import { testWebhook } from '../../../webhooks/endpoints/test-webhook.ts';
import type { CheckTarget } from '../../../webhooks/webhook-target.ts';
import { apiCall } from '../../api-call.ts';
import { attemptSchema, secretSchema, targetUrl, webhookSchema } from './webhook-schemas.ts';

export interface WebhookDeps {
  database: Database;
  clock: Clock;
  guard: Pick<Guard, 'agent'>;
  checkTarget: CheckTarget;
  sealer: Sealer;
}

const tag = 'Webhooks';

/** Sends a test event and returns the result. The panel uses it too. */
export async function sendTest(deps: WebhookDeps, endpoint: EndpointName) {
  const at = deps.clock.nowMs();
  return presentAttempt({ attempt: 1, at, ...(await testWebhook(deps, endpoint)) });
}

export const rotationBody = closed(
  { leaked: Type.Optional(Type.Boolean({ default: false })) },
  { title: 'SecretRotation' },
);

export const secretsReply = Type.Object(
  { secrets: Type.Array(secretSchema, { description: 'All that sign now, the new one first.' }) },
  { title: 'WebhookSecretList' },
);

/** The calls under `/webhook`: the default endpoint of the account. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function webhookCalls(deps: WebhookDeps) {
  return {
    show: apiCall({
      tag,
      operationId: 'getWebhook',
      summary: 'Read the webhook',
      description: 'The default endpoint of the account, and how that works out.',
      status: 200,
      reply: named(webhookSchema),
      errors: [],
      handle: async ({ apiKey: { accountId } }) =>
        presentWebhook(deps, await showWebhook(deps, { account: accountId })),
    }),

    set: apiCall({
      tag,
      operationId: 'setWebhook',
      summary: 'Set the webhook',
      description:
        'Sends the events of the account to this URL from now on: its default endpoint. What waits for another URL is cancelled; the same URL again enables a webhook that was disabled. Other endpoints stay as they are.',
      body: closed(
        { url: targetUrl('An http or https address on the public internet.') },
        { title: 'WebhookUpdate' },
      ),
      status: 200,
      reply: named(webhookSchema),
      errors: ['unsupported_media_type', 'body_too_large'],
      handle: async ({ apiKey, body }) =>
        presentWebhook(
          deps,
          await setWebhook(deps, { account: apiKey.accountId, ...body }, keyActor(apiKey)),
        ),
    }),

    remove: apiCall({
      tag,
      operationId: 'removeWebhook',
      summary: 'Remove the webhook',
      description:
        'What waits for it is cancelled. Events can still be read, and `callback_url`s are called.',
      status: 200,
      reply: named(webhookSchema),
      errors: ['body_too_large'],
      handle: async ({ apiKey }) =>
        presentWebhook(
          deps,
          await setWebhook(deps, { account: apiKey.accountId, url: null }, keyActor(apiKey)),
        ),
    }),

    rotate: apiCall({
      tag,
      operationId: 'rotateWebhookSecret',
      summary: 'Make a new signing secret',
      description:
        'The only answer that shows the secret. The old one goes on signing beside it for 24 hours, or ends now when it has leaked.',
      body: rotationBody,
      status: 200,
      reply: secretsReply,
      errors: ['unsupported_media_type', 'body_too_large'],
      handle: async ({ apiKey, body }) => ({
        secrets: presentSecrets(
          await rotateSecret(deps, { account: apiKey.accountId, ...body }, keyActor(apiKey)),
        ),
      }),
    }),

    test: apiCall({
      tag,
      operationId: 'testWebhook',
      summary: 'Send a test event',
      description:
        'Sends one signed `webhook.test` to the webhook now and answers what came of it. Nothing is recorded and nothing repeated.',
      status: 200,
      reply: named(attemptSchema),
      errors: ['nothing_to_deliver', 'webhook_secret_unreadable', 'body_too_large'],
      handle: ({ apiKey }) => sendTest(deps, { account: apiKey.accountId }),
    }),
  };
}
