import { type Actor, insertAuditEntry } from '../accounts/audit-store.ts';
import type { Database } from '../db/database.ts';
import { showWebhook, type Webhook } from './show-webhook.ts';

/** The webhook with its secrets for somebody to read, which the audit log says. @throws AppError `not_found` */
export async function revealWebhook(
  { database }: { database: Database },
  { account }: { account: string },
  by: Actor,
): Promise<Webhook> {
  const webhook = await showWebhook({ database }, { account });
  const entry = {
    action: 'webhook.secret_revealed',
    accountId: webhook.accountId,
    subject: null,
    detail: {},
  };
  await database.transaction((tx) => insertAuditEntry(tx, by, entry));
  return webhook;
}
