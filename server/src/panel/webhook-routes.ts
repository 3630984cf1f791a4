import Type from 'typebox';
import { type PanelRoute, panelCall } from '../http/panel-call.ts';
import { closed } from '../http/schemas.ts';
import { toIsoOrNull } from '../std/iso-time.ts';
import { revealWebhook } from '../webhooks/reveal-webhook.ts';
import { rotateSecret } from '../webhooks/rotate-secret.ts';
import { setWebhook } from '../webhooks/set-webhook.ts';
import { type Webhook as StoredWebhook, showWebhook } from '../webhooks/show-webhook.ts';
import { testWebhook } from '../webhooks/test-webhook.ts';
import { maxTargetLength } from '../webhooks/webhook-target.ts';
import type { Webhook, WebhookSecret } from './contract.ts';
import { countDeliveries } from './delivery-count-store.ts';
import type { PanelDeps } from './panel-deps.ts';
import { presentAttempt } from './present-delivery.ts';

const healthMs = 7 * 24 * 60 * 60 * 1000;

/** The endpoint of an account and its secret. */
export function webhookRoutes(deps: PanelDeps): PanelRoute[] {
  const { clock } = deps;
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
      async handle({ params }) {
        const at = clock.nowMs();
        const result = await testWebhook(deps, { account: params.account_id });
        return presentAttempt({ attempt: 1, at, ...result });
      },
    }),
  ];
}

async function presentWebhook({ database, clock }: PanelDeps, webhook: StoredWebhook): Promise<Webhook> {
  const { endpoint, secrets, accountId } = webhook;
  const health = await countDeliveries(database.read, { accountId, sinceMs: clock.nowMs() - healthMs });
  return {
    url: endpoint?.url ?? null,
    created_at: toIsoOrNull(endpoint?.createdAt ?? null),
    failing_since: toIsoOrNull(endpoint?.failingSince ?? null),
    disabled_at: toIsoOrNull(endpoint?.disabledAt ?? null),
    disabled_reason: endpoint?.disabledReason ?? null,
    secret_hint: `whsec_…${secrets[0]?.secret?.slice(-4) ?? ''}`,
    health,
  };
}

function presentSecrets({ secrets }: StoredWebhook): WebhookSecret[] {
  return secrets.flatMap(({ secret, expiresAt }) =>
    secret === null ? [] : [{ secret, expires_at: toIsoOrNull(expiresAt) }],
  );
}
