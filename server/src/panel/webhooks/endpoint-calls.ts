import Type from 'typebox';
import { sendTest } from '../../api/nouns/webhooks/webhook-calls.ts';
import { bucketCredentials, eventFilter } from '../../api/nouns/webhooks/webhook-schemas.ts';
import { closed } from '../../http/schemas.ts';
import { toIso } from '../../std/iso-time.ts';
import { addEndpoint } from '../../webhooks/endpoints/add-endpoint.ts';
import { changeEndpoint, removeEndpoint } from '../../webhooks/endpoints/change-endpoint.ts';
import { maxEndpoints } from '../../webhooks/endpoints/endpoint-store.ts';
import { readHealth } from '../../webhooks/endpoints/health-store.ts';
import {
  presentEndpoint,
  presentEndpoints,
  presentSecrets,
  presentWebhook,
} from '../../webhooks/endpoints/present-webhook.ts';
import { revealWebhook } from '../../webhooks/endpoints/reveal-webhook.ts';
import { rotateSecret } from '../../webhooks/endpoints/rotate-secret.ts';
import { listWebhooks, showEndpoint, showWebhook } from '../../webhooks/endpoints/show-webhook.ts';
import { maxTargetLength } from '../../webhooks/webhook-target.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import { targetsFor } from './hide-targets.ts';

const url = Type.String({ minLength: 1, maxLength: maxTargetLength });
const endpointId = Type.Union([Type.String({ format: 'uuid' }), Type.Null()]);
const nameOf = (params: { account_id: string; endpoint_id: string }) => ({
  account: params.account_id,
  endpointId: params.endpoint_id,
});

/** The endpoints of an account and what signs for them. */
export function endpointCalls(deps: PanelDeps): PanelCall[] {
  return [
    panelCall('GET /panel/accounts/:account_id/endpoints', {
      async handle({ params: { account_id: account }, viewer }) {
        const webhook = await presentWebhook(deps, await showWebhook(deps, { account }));
        const all = await presentEndpoints(deps, account, await listWebhooks(deps, { account }));
        const target = await targetsFor(deps, viewer, account);
        const data = all.map((one) => ({ ...one, url: target(one.url) }));
        return { data, max_endpoints: maxEndpoints, account_secret_hint: webhook.secret_hint };
      },
    }),

    panelCall('POST /panel/accounts/:account_id/endpoints', {
      body: closed({ url, events: eventFilter, credentials: Type.Optional(bucketCredentials) }),
      handle: async ({ params, body, viewer }) =>
        presentEndpoint(deps, await addEndpoint(deps, { account: params.account_id, ...body }, viewer)),
    }),

    panelCall('GET /panel/accounts/:account_id/endpoints/:endpoint_id', {
      async handle({ params, viewer }) {
        const webhook = await showEndpoint(deps, nameOf(params));
        const hours = await readHealth(deps.database.reports, webhook.endpoint.id, deps.clock.nowMs());
        const shown = await presentEndpoint(deps, webhook);
        const target = await targetsFor(deps, viewer, params.account_id);
        return {
          ...shown,
          url: target(shown.url),
          hours: hours.map(({ at, p50Ms, ...counts }) => ({ hour: toIso(at), ...counts, p50_ms: p50Ms })),
        };
      },
    }),

    panelCall('POST /panel/accounts/:account_id/endpoints/:endpoint_id', {
      body: closed({
        url: Type.Optional(url),
        events: Type.Optional(eventFilter),
        enabled: Type.Optional(Type.Boolean()),
        credentials: Type.Optional(bucketCredentials),
      }),
      handle: async ({ params, body, viewer }) =>
        presentEndpoint(deps, await changeEndpoint(deps, { ...nameOf(params), ...body }, viewer)),
    }),

    panelCall('POST /panel/accounts/:account_id/endpoints/:endpoint_id/remove', {
      async handle({ params, viewer }) {
        await removeEndpoint(deps, nameOf(params), viewer);
        return null;
      },
    }),

    panelCall('POST /panel/accounts/:account_id/endpoints/:endpoint_id/test', {
      handle: ({ params }) => sendTest(deps, nameOf(params)),
    }),

    panelCall('POST /panel/accounts/:account_id/signing-secret/reveal', {
      body: closed({ endpoint_id: endpointId }),
      async handle({ params, body, viewer }) {
        const name = { account: params.account_id, endpointId: body.endpoint_id ?? undefined };
        return { secrets: presentSecrets(await revealWebhook(deps, name, viewer)) };
      },
    }),

    panelCall('POST /panel/accounts/:account_id/signing-secret/rotate', {
      body: closed({ endpoint_id: endpointId, leaked: Type.Boolean() }),
      async handle({ params, body: { endpoint_id, leaked }, viewer }) {
        const name = { account: params.account_id, endpointId: endpoint_id ?? undefined };
        return { secrets: presentSecrets(await rotateSecret(deps, { ...name, leaked }, viewer)) };
      },
    }),
  ];
}
