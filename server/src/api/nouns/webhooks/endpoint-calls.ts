import Type, { type Static } from 'typebox';
import type { Database } from '../../../db/database.ts';
import type { Guard } from '../../../guard/guard.ts';
import { closed, named } from '../../../http/schemas.ts';
import type { Clock } from '../../../std/clock.ts';
import { toIso } from '../../../std/iso-time.ts';
import type { Sealer } from '../../../std/sealer.ts';
import { presentAttempt } from '../../../webhooks/deliveries/present-delivery.ts';
import { addEndpoint } from '../../../webhooks/endpoints/add-endpoint.ts';
import { changeEndpoint, removeEndpoint } from '../../../webhooks/endpoints/change-endpoint.ts';
import { countDeliveries } from '../../../webhooks/endpoints/delivery-count-store.ts';
import { maxEndpoints } from '../../../webhooks/endpoints/endpoint-store.ts';
import { readHealth } from '../../../webhooks/endpoints/health-store.ts';
import { revealWebhook } from '../../../webhooks/endpoints/reveal-webhook.ts';
import { rotateSecret } from '../../../webhooks/endpoints/rotate-secret.ts';
import { listWebhooks, showEndpoint, type Webhook } from '../../../webhooks/endpoints/show-webhook.ts';
import { testWebhook } from '../../../webhooks/endpoints/test-webhook.ts';
import type { CheckTarget } from '../../../webhooks/webhook-target.ts';
import { accountCall, type Caller } from '../../account-call.ts';
import { attemptSchema } from '../deliveries/delivery-json.ts';
import {
  type Beside,
  cancelled,
  endpointChangeBody,
  endpointDetailSchema,
  endpointSchema,
  endpointUpdateBody,
  newEndpointBody,
  presentEndpoint,
  presentSecrets,
  presentWebhook,
  secrets,
  webhookSchema,
} from './webhook-json.ts';

export interface WebhookDeps {
  database: Database;
  clock: Clock;
  guard: Pick<Guard, 'agent'>;
  checkTarget: CheckTarget;
  sealer: Sealer;
}

/** Which endpoint of the account is meant: the default one when none is named. */
interface Named {
  endpoint_id?: string;
}

const tag = 'Webhooks';
const healthMs = 7 * 24 * 60 * 60 * 1000;
const endpointParams = Type.Object({ endpoint_id: Type.String() });
const addedSchema = Type.Object(
  {
    ...endpointSchema.properties,
    secret: Type.String({ description: 'What signs for it; empty for a bucket.', examples: ['whsec_…'] }),
  },
  { title: 'EndpointAdded' },
);
const changedSchema = Type.Object(
  { ...endpointSchema.properties, ...cancelled },
  { title: 'EndpointChanged' },
);
const written = ['not_found', 'unsupported_media_type', 'body_too_large'] as const;

export const rotationFields = { leaked: Type.Optional(Type.Boolean({ default: false })) };

export const secretsReply = Type.Object(
  { ...webhookSchema.properties, secrets },
  { title: 'WebhookWithSecrets' },
);

export const testReply = Type.Object(
  {
    ...attemptSchema.properties,
    url: Type.String({ description: 'Where it was sent.' }),
    webhook_id: Type.String({ description: 'Empty for a bucket.' }),
    ok: Type.Boolean({ description: 'It was taken.' }),
  },
  { title: 'WebhookTest' },
);

export async function besideOf(
  { database, clock }: Pick<WebhookDeps, 'database' | 'clock'>,
  { accountId, may }: Caller,
): Promise<Beside> {
  const sinceMs = clock.nowMs() - healthMs;
  return { may, counts: await countDeliveries(database.reports, { accountId, sinceMs }) };
}

/** @throws AppError `not_found`, `webhook_secret_unreadable`; `invalid_request` for a bucket */
export async function revealSecrets(deps: WebhookDeps, caller: Caller, { endpoint_id: endpointId }: Named) {
  const name = { account: caller.accountId, endpointId };
  return withSecrets(deps, caller, await revealWebhook(deps, name, caller.by));
}

/** @throws AppError `not_found`; `invalid_request` for a bucket */
export async function rotateSecrets(
  deps: WebhookDeps,
  caller: Caller,
  { endpoint_id: endpointId, leaked = false }: Named & { leaked?: boolean },
) {
  const rotation = { account: caller.accountId, endpointId, leaked };
  return withSecrets(deps, caller, await rotateSecret(deps, rotation, caller.by));
}

async function withSecrets(deps: WebhookDeps, caller: Caller, webhook: Webhook) {
  return { ...presentWebhook(webhook, await besideOf(deps, caller)), secrets: presentSecrets(webhook) };
}

/** @throws AppError `not_found`, `nothing_to_deliver`, `webhook_secret_unreadable`, `too_many_requests` */
export async function sendTest(
  deps: WebhookDeps,
  { accountId: account }: Caller,
  { endpoint_id: endpointId, ...other }: Named & { url?: string },
): Promise<Static<typeof testReply>> {
  const at = deps.clock.nowMs();
  const { url, webhookId, ...result } = await testWebhook(deps, { account, endpointId, ...other });
  const ok = result.failure === null;
  return { ...presentAttempt({ attempt: 1, at, ...result }), url, webhook_id: webhookId, ok };
}

/** The calls under `/webhooks`: all endpoints of an account. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function endpointCalls(deps: WebhookDeps) {
  return {
    list: accountCall({
      tag,
      operationId: 'listEndpoints',
      summary: 'List the endpoints',
      description: 'Where the events of the account go, the default endpoint first. At most ten.',
      status: 200,
      reply: Type.Object(
        {
          data: Type.Array(named(endpointSchema)),
          max_endpoints: Type.Integer({ description: 'How many an account may have.' }),
        },
        { title: 'EndpointList' },
      ),
      errors: [],
      async handle(asked) {
        const beside = await besideOf(deps, asked);
        const webhooks = await listWebhooks(deps, { account: asked.accountId });
        return { data: webhooks.map((one) => presentEndpoint(one, beside)), max_endpoints: maxEndpoints };
      },
    }),

    add: accountCall({
      tag,
      operationId: 'addEndpoint',
      summary: 'Add an endpoint',
      description:
        'Sends the events of the account there too. The answer shows its signing secret, later ones do not. The first endpoint of an account is its default one. To a bucket the picture of every job that is done is copied, also of those with a `callback_url`; it is never the default one.',
      body: newEndpointBody,
      status: 201,
      reply: addedSchema,
      idempotency: 'kept',
      makes: '/webhooks/:endpoint_id',
      errors: written,
      async handle({ body, ...caller }) {
        const added = await addEndpoint(deps, { account: caller.accountId, ...body }, caller.by);
        const secret = presentSecrets(added)[0]?.secret ?? '';
        return { ...presentEndpoint(added, await besideOf(deps, caller)), secret };
      },
    }),

    get: accountCall({
      tag,
      operationId: 'getEndpoint',
      summary: 'Read an endpoint',
      description: 'Where it leads, what it wants, and how that works out.',
      params: endpointParams,
      status: 200,
      reply: named(endpointDetailSchema),
      errors: ['not_found'],
      async handle({ params: { endpoint_id: endpointId }, ...caller }) {
        const webhook = await showEndpoint(deps, { account: caller.accountId, endpointId });
        const hours = await readHealth(deps.database.reports, endpointId, deps.clock.nowMs());
        return {
          ...presentEndpoint(webhook, await besideOf(deps, caller)),
          hours: hours.map(({ at, p50Ms, ...counts }) => ({ hour: toIso(at), ...counts, p50_ms: p50Ms })),
        };
      },
    }),

    replace: accountCall({
      tag,
      operationId: 'changeEndpoint',
      summary: 'Set an endpoint as a whole',
      description:
        'Replaces its address, its events and whether it is enabled; the credentials of a bucket where they are given. What waits for another address, or for an endpoint that is disabled now, is cancelled.',
      params: endpointParams,
      body: endpointUpdateBody,
      status: 200,
      reply: changedSchema,
      errors: written,
      handle: ({ params, body: { events = null, enabled = true, ...given }, ...caller }) =>
        change(deps, caller, { ...params, ...given, events, enabled }),
    }),

    change: accountCall({
      tag,
      operationId: 'patchEndpoint',
      summary: 'Change parts of an endpoint',
      description:
        'What is not named stays. What waits for another address, or for an endpoint that is disabled now, is cancelled.',
      params: endpointParams,
      body: endpointChangeBody,
      status: 200,
      reply: changedSchema,
      errors: written,
      handle: ({ params, body, ...caller }) => change(deps, caller, { ...params, ...body }),
    }),

    remove: accountCall({
      tag,
      operationId: 'removeEndpoint',
      summary: 'Remove an endpoint',
      description: 'What waits for it is cancelled. Other endpoints stay as they are.',
      params: endpointParams,
      status: 200,
      reply: closed(
        { endpoint_id: Type.String({ format: 'uuid' }), ...cancelled },
        { title: 'EndpointRemoved' },
      ),
      errors: ['not_found', 'body_too_large'],
      async handle({ accountId: account, by, params: { endpoint_id } }) {
        const cancelled = await removeEndpoint(deps, { account, endpointId: endpoint_id }, by);
        return { endpoint_id, cancelled_deliveries: cancelled };
      },
    }),

    reveal: accountCall({
      tag,
      operationId: 'revealEndpointSecret',
      summary: 'Read an endpoint with its signing secrets',
      description: 'The audit log notes that they were shown.',
      params: endpointParams,
      status: 200,
      reply: secretsReply,
      errors: ['not_found', 'webhook_secret_unreadable', 'body_too_large'],
      handle: ({ params, ...caller }) => revealSecrets(deps, caller, params),
    }),

    rotate: accountCall({
      tag,
      operationId: 'rotateEndpointSecret',
      summary: 'Make a new signing secret for an endpoint',
      description:
        'The old one goes on signing beside it for 24 hours, or ends now when it has leaked. That of the default endpoint is the one of the account.',
      params: endpointParams,
      body: closed(rotationFields, { title: 'SecretRotation' }),
      status: 200,
      idempotency: 'kept',
      reply: secretsReply,
      errors: written,
      handle: ({ params, body, ...caller }) => rotateSecrets(deps, caller, { ...params, ...body }),
    }),

    test: accountCall({
      tag,
      operationId: 'testEndpoint',
      summary: 'Send a test event to an endpoint',
      description:
        'Sends one signed `webhook.test` there now and answers what came of it, whatever events it wants. In a bucket it puts `darkroom-test.txt`. Nothing is recorded and nothing repeated.',
      params: endpointParams,
      status: 200,
      reply: testReply,
      errors: ['not_found', 'webhook_secret_unreadable', 'body_too_large'],
      handle: ({ params, ...caller }) => sendTest(deps, caller, params),
    }),
  };
}

async function change(
  deps: WebhookDeps,
  caller: Caller,
  { endpoint_id: endpointId, ...wanted }: { endpoint_id: string } & Static<typeof endpointChangeBody>,
) {
  const named = { account: caller.accountId, endpointId };
  const { cancelledDeliveries, ...changed } = await changeEndpoint(deps, { ...named, ...wanted }, caller.by);
  const shown = presentEndpoint(changed, await besideOf(deps, caller));
  return { ...shown, cancelled_deliveries: cancelledDeliveries };
}
