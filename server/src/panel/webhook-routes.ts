import Type from 'typebox';
import { insertAuditEntry } from '../accounts/audit-store.ts';
import { type PanelRoute, panelCall } from '../http/panel-call.ts';
import { toIso, toIsoOrNull } from '../std/iso-time.ts';
import { rotateSecret } from '../webhooks/rotate-secret.ts';
import { setWebhook } from '../webhooks/set-webhook.ts';
import { type Webhook as StoredWebhook, showWebhook } from '../webhooks/show-webhook.ts';
import { testWebhook } from '../webhooks/test-webhook.ts';
import type { Webhook, WebhookSecret } from './contract.ts';
import { countDeliveries } from './delivery-count-store.ts';
import type { PanelDeps } from './panel-deps.ts';

const healthMs = 7 * 24 * 60 * 60 * 1000;
const closed = { additionalProperties: false };
const object = (fields: Parameters<typeof Type.Object>[0]) => Type.Object(fields, closed);

/** The endpoint of an account and its secret. */
export function webhookRoutes(deps: PanelDeps): PanelRoute[] {
  const { database, clock } = deps;
  return [
    panelCall('GET /panel/accounts/:account_id/webhook', {
      handle: async ({ params }) =>
        presentWebhook(deps, await showWebhook(deps, { account: params.account_id })),
    }),

    panelCall('POST /panel/accounts/:account_id/webhook', {
      body: object({ url: Type.Union([Type.String({ minLength: 1, maxLength: 2_048 }), Type.Null()]) }),
      async handle({ params, body, audited }) {
        const entry = {
          action: 'webhook.set',
          accountId: params.account_id,
          subject: null,
          detail: { url: body.url },
        };
        // The transaction that changes the endpoint returns how many deliveries it cancelled.
        const changing = audited((result) => (typeof result === 'number' ? entry : undefined));
        return presentWebhook(
          deps,
          await setWebhook({ ...deps, database: changing }, { account: params.account_id, ...body }),
        );
      },
    }),

    panelCall('POST /panel/accounts/:account_id/webhook/reveal', {
      async handle({ params, viewer }) {
        const webhook = await showWebhook(deps, { account: params.account_id });
        const entry = {
          action: 'webhook.secret_revealed',
          accountId: params.account_id,
          subject: null,
          detail: {},
        };
        await database.transaction((tx) => insertAuditEntry(tx, viewer, entry));
        return { secrets: presentSecrets(webhook) };
      },
    }),

    panelCall('POST /panel/accounts/:account_id/webhook/rotate', {
      body: object({ leaked: Type.Boolean() }),
      async handle({ params, body, audited }) {
        const entry = {
          action: 'webhook.secret_rotated',
          accountId: params.account_id,
          subject: null,
          detail: { leaked: body.leaked },
        };
        // The transaction that rotates returns nothing; the one after it reads.
        const changing = audited((result) => (result === undefined ? entry : undefined));
        return {
          secrets: presentSecrets(
            await rotateSecret({ database: changing }, { account: params.account_id, ...body }),
          ),
        };
      },
    }),

    panelCall('POST /panel/accounts/:account_id/webhook/test', {
      async handle({ params }) {
        const at = clock.nowMs();
        const { status, failure, durationMs, answer } = await testWebhook(deps, {
          account: params.account_id,
        });
        return {
          attempt: 1,
          at: toIso(at),
          duration_ms: durationMs,
          status_code: status,
          failure,
          response_body: answer,
        };
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
    secret_hint: `whsec_…${secrets[0]?.secret.slice(-4) ?? ''}`,
    health,
  };
}

function presentSecrets({ secrets }: StoredWebhook): WebhookSecret[] {
  return secrets.map(({ secret, expiresAt }) => ({ secret, expires_at: toIsoOrNull(expiresAt) }));
}
