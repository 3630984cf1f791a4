import Type from 'typebox';
import { sendTest } from '../../api/webhook-calls.ts';
import { closed } from '../../http/schemas.ts';
import { presentSecrets, presentWebhook } from '../../webhooks/endpoints/present-webhook.ts';
import { revealWebhook } from '../../webhooks/endpoints/reveal-webhook.ts';
import { rotateSecret } from '../../webhooks/endpoints/rotate-secret.ts';
import { setWebhook } from '../../webhooks/endpoints/set-webhook.ts';
import { showWebhook } from '../../webhooks/endpoints/show-webhook.ts';
import { maxTargetLength } from '../../webhooks/endpoints/webhook-target.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';

/** The endpoint of an account and its secret. */
export function webhookCalls(deps: PanelDeps): PanelCall[] {
  return [
    panelCall('GET /panel/accounts/:account_id/webhook', {
      handle: async ({ params }) =>
        presentWebhook(deps, await showWebhook(deps, { account: params.account_id })),
    }),

    panelCall('POST /panel/accounts/:account_id/webhook', {
      body: closed({
        url: Type.Union([Type.String({ minLength: 1, maxLength: maxTargetLength }), Type.Null()]),
      }),
      handle: async ({ params, body, viewer }) =>
        presentWebhook(deps, await setWebhook(deps, { account: params.account_id, ...body }, viewer)),
    }),

    panelCall('POST /panel/accounts/:account_id/webhook/reveal', {
      async handle({ params, viewer }) {
        return { secrets: presentSecrets(await revealWebhook(deps, { account: params.account_id }, viewer)) };
      },
    }),

    panelCall('POST /panel/accounts/:account_id/webhook/rotate', {
      body: closed({ leaked: Type.Boolean() }),
      async handle({ params, body, viewer }) {
        const webhook = await rotateSecret(deps, { account: params.account_id, ...body }, viewer);
        return { secrets: presentSecrets(webhook) };
      },
    }),

    panelCall('POST /panel/accounts/:account_id/webhook/test', {
      handle: ({ params }) => sendTest(deps, params.account_id),
    }),
  ];
}
