import Type, { type Static } from 'typebox';
import type { Database } from '../../../../base/db/database.ts';
import type { Guard } from '../../../../base/guard/guard.ts';
import { closed, named, nullable } from '../../../../base/http/schemas.ts';
import type { Clock } from '../../../../base/std/clock.ts';
import { toIso } from '../../../../base/std/iso-time.ts';
import type { Sealer } from '../../../../base/std/sealer.ts';
import { presentAttempt } from '../../../../notify/webhooks/deliveries/present-delivery.ts';
import { addEndpoint } from '../../../../notify/webhooks/endpoints/add-endpoint.ts';
import {
  changeEndpoint,
  removeEndpoint,
  replaceEndpoint,
} from '../../../../notify/webhooks/endpoints/change-endpoint.ts';
import { countDeliveries } from '../../../../notify/webhooks/endpoints/delivery-count-store.ts';
import { maxEndpoints } from '../../../../notify/webhooks/endpoints/endpoint-store.ts';
import { readHealth } from '../../../../notify/webhooks/endpoints/health-store.ts';
import { revealWebhook } from '../../../../notify/webhooks/endpoints/reveal-webhook.ts';
import { rotateSecret } from '../../../../notify/webhooks/endpoints/rotate-secret.ts';
import {
  type EndpointName,
  type EndpointWebhook,
  listWebhooks,
  showEndpoint,
} from '../../../../notify/webhooks/endpoints/show-webhook.ts';
import { testWebhook } from '../../../../notify/webhooks/endpoints/test-webhook.ts';
import type { CheckTarget } from '../../../../notify/webhooks/webhook-target.ts';
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
  presentSigning,
  signingSchema,
  targetUrl,
} from './webhook-json.ts';

export interface WebhookDeps {
  database: Database;
  clock: Clock;
  guard: Pick<Guard, 'agent'>;
  checkTarget: CheckTarget;
  /** Opened on demand, because most calls work without the server's secret. */
  openSealer(): Promise<Sealer>;
}

const tag = 'Webhooks';
const healthMs = 7 * 24 * 60 * 60 * 1000;
const endpointParams = Type.Object({
  endpoint_id: Type.String({ description: '`default` means the default endpoint.' }),
});
const addedSchema = Type.Object(
  {
    ...endpointSchema.properties,
    secret: Type.String({
      description: 'The secret that signs for it; empty for a bucket.',
      examples: ['whsec_…'],
    }),
  },
  { title: 'EndpointAdded' },
);
const changedSchema = Type.Object(
  { ...endpointSchema.properties, ...cancelled },
  { title: 'EndpointChanged' },
);
const written = ['not_found'] as const;

const testReply = Type.Object(
  {
    ...attemptSchema.properties,
    url: Type.String({ description: 'The address it was sent to.' }),
    webhook_id: Type.String({ description: 'Empty for a bucket.' }),
    ok: Type.Boolean({ description: 'True if the receiver accepted it.' }),
  },
  { title: 'WebhookTest' },
);

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function endpointCalls(deps: WebhookDeps) {
  const sealed = async () => ({ ...deps, sealer: await deps.openSealer() });
  return {
    list: accountCall({
      tag,
      operationId: 'listEndpoints',
      summary: 'List the endpoints',
      description: "Lists the addresses for the account's events, the default endpoint first. At most ten.",
      reply: Type.Object(
        {
          data: Type.Array(named(endpointSchema)),
          max_endpoints: Type.Integer({ description: 'The maximum number of endpoints of an account.' }),
        },
        { title: 'EndpointList' },
      ),
      async handle(asked) {
        const beside = await besideOf(deps, asked);
        const webhooks = await listWebhooks(await sealed(), { account: asked.accountId });
        return { data: webhooks.map((one) => presentEndpoint(one, beside)), max_endpoints: maxEndpoints };
      },
    }),

    add: accountCall({
      tag,
      operationId: 'addEndpoint',
      summary: 'Add an endpoint',
      description:
        "Sends the account's events to this address too. Only this answer shows its signing secret. An account's first endpoint is its default one. A bucket gets a copy of every finished image, even of jobs with a `callback_url`; it is never the default one.",
      body: newEndpointBody,
      status: 201,
      reply: addedSchema,
      makes: '/webhooks/:endpoint_id',
      idempotency: 'kept',
      errors: written,
      async handle({ body, ...caller }) {
        const added = await addEndpoint(await sealed(), { account: caller.accountId, ...body }, caller.by);
        const secret = presentSecrets(added)[0]?.secret ?? '';
        return { ...presentEndpoint(added, await besideOf(deps, caller)), secret };
      },
    }),

    get: accountCall({
      tag,
      operationId: 'getEndpoint',
      summary: 'Read an endpoint',
      description: 'Reads its address, its events, and its delivery health.',
      params: endpointParams,
      reply: named(endpointDetailSchema),
      errors: ['not_found'],
      async handle({ params, ...caller }) {
        const webhook = await showEndpoint(await sealed(), nameOf(caller, params));
        const hours = await readHealth(deps.database.reports, webhook.endpoint.id, deps.clock.nowMs());
        return {
          ...presentEndpoint(webhook, await besideOf(deps, caller)),
          hours: hours.map(({ at, p50Ms, ...counts }) => ({ hour: toIso(at), ...counts, p50_ms: p50Ms })),
        };
      },
    }),

    replace: accountCall({
      tag,
      operationId: 'replaceEndpoint',
      summary: 'Replace an endpoint',
      description:
        'Replaces its address, its events and whether it is enabled, and the credentials of a bucket if given. Deliveries that wait for another address, or for a disabled endpoint, are cancelled. `PUT /webhooks/default` adds the default endpoint if there is none.',
      params: endpointParams,
      body: endpointUpdateBody,
      reply: changedSchema,
      errors: written,
      handle: async ({ params, body, ...caller }) =>
        changed(
          deps,
          caller,
          await replaceEndpoint(await sealed(), { ...nameOf(caller, params), ...body }, caller.by),
        ),
    }),

    change: accountCall({
      tag,
      operationId: 'changeEndpoint',
      summary: 'Change parts of an endpoint',
      description:
        'Absent fields keep their values. Cancels deliveries that wait for another address, or for a disabled endpoint.',
      params: endpointParams,
      body: endpointChangeBody,
      reply: changedSchema,
      errors: written,
      handle: async ({ params, body, ...caller }) =>
        changed(
          deps,
          caller,
          await changeEndpoint(await sealed(), { ...nameOf(caller, params), ...body }, caller.by),
        ),
    }),

    remove: accountCall({
      tag,
      operationId: 'removeEndpoint',
      summary: 'Remove an endpoint',
      description:
        'Cancels its waiting deliveries: see `GET /deliveries?status=cancelled`; the audit log has the number. Other endpoints and `callback_url`s are not affected.',
      params: endpointParams,
      status: 204,
      reply: Type.Null({ description: 'Removed.' }),
      errors: ['not_found', 'body_too_large'],
      async handle({ params, ...caller }) {
        await removeEndpoint(deps, nameOf(caller, params), caller.by);
        return null;
      },
    }),

    reveal: accountCall({
      tag,
      operationId: 'revealEndpointSecret',
      summary: 'Read the signing secrets of an endpoint',
      description:
        '`default` shows the secrets of the account, which also sign for `callback_url`s, even without an endpoint. The audit log records the call.',
      params: endpointParams,
      reply: signingSchema,
      errors: ['not_found', 'webhook_secret_unreadable', 'body_too_large'],
      handle: async ({ params, ...caller }) =>
        presentSigning(await revealWebhook(await sealed(), nameOf(caller, params), caller.by)),
    }),

    rotate: accountCall({
      tag,
      operationId: 'rotateEndpointSecret',
      summary: 'Rotate the signing secret of an endpoint',
      description:
        'The old secret signs for another 24 hours, or ends now if it has leaked. The default endpoint uses the secret of the account.',
      params: endpointParams,
      body: closed({ leaked: Type.Optional(Type.Boolean({ default: false })) }, { title: 'SecretRotation' }),
      idempotency: 'kept',
      reply: signingSchema,
      errors: written,
      handle: async ({ params, body, ...caller }) =>
        presentSigning(await rotateSecret(await sealed(), { ...nameOf(caller, params), ...body }, caller.by)),
    }),

    test: accountCall({
      tag,
      operationId: 'testEndpoint',
      summary: 'Send a test event to an endpoint',
      description:
        'Sends one signed `webhook.test` to the endpoint now, or to the given URL, and returns the result, whatever events the endpoint receives. In a bucket, it puts `darkroom-test.txt`. Nothing is recorded or retried.',
      params: endpointParams,
      body: nullable(
        closed(
          { url: Type.Optional(targetUrl('An http or https address on the public internet.')) },
          { title: 'WebhookTestRequest' },
        ),
      ),
      reply: testReply,
      errors: [...written, 'nothing_to_deliver', 'webhook_secret_unreadable'],
      async handle({ params, body, ...caller }) {
        const at = deps.clock.nowMs();
        const { url, webhookId, ...result } = await testWebhook(await sealed(), {
          ...nameOf(caller, params),
          ...body,
        });
        const ok = result.failure === null;
        return { ...presentAttempt({ attempt: 1, at, ...result }), url, webhook_id: webhookId, ok };
      },
    }),
  };
}

function nameOf({ accountId }: Caller, { endpoint_id }: Static<typeof endpointParams>): EndpointName {
  return { account: accountId, endpointId: endpoint_id === 'default' ? undefined : endpoint_id };
}

async function changed(
  deps: WebhookDeps,
  caller: Caller,
  { cancelledDeliveries, ...webhook }: EndpointWebhook & { cancelledDeliveries: number },
) {
  const shown = presentEndpoint(webhook, await besideOf(deps, caller));
  return { ...shown, cancelled_deliveries: cancelledDeliveries };
}

async function besideOf({ database, clock }: WebhookDeps, { accountId, may }: Caller): Promise<Beside> {
  const sinceMs = clock.nowMs() - healthMs;
  return { may, counts: await countDeliveries(database.reports, { accountId, sinceMs }) };
}
