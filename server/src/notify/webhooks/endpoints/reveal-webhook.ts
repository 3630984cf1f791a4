import { type Actor, insertAuditEntry } from '../../../base/audit/audit-store.ts';
import type { Database } from '../../../base/db/database.ts';
import type { Sealer } from '../../../base/std/sealer.ts';
import { secretUnreadable } from '../secrets/secret-unreadable.ts';
import { assertSigns, type EndpointName, showWebhook, type Webhook } from './show-webhook.ts';

/**
 * Shows the secrets, and writes an audit entry.
 * @throws AppError `not_found`, `webhook_secret_unreadable`, `invalid_request`
 */
export async function revealWebhook(
  { database, sealer }: { database: Database; sealer: Sealer },
  name: EndpointName,
  by: Actor,
): Promise<Webhook> {
  const webhook = await showWebhook({ database, sealer }, name);
  assertSigns(webhook);
  if (webhook.secrets[0]?.secret === null) throw secretUnreadable();
  const entry = {
    action: 'webhook.secret_revealed' as const,
    accountId: webhook.accountId,
    subject: webhook.endpoint?.id ?? null,
    detail: {},
  };
  await database.transaction((tx) => insertAuditEntry(tx, by, entry));
  return webhook;
}
