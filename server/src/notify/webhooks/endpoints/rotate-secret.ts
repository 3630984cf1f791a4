import { type Actor, insertAuditEntry } from '../../../base/audit/audit-store.ts';
import type { Database } from '../../../base/db/database.ts';
import type { Sealer } from '../../../base/std/sealer.ts';
import { ensureSecrets, replaceSecret } from '../secrets/secret-store.ts';
import { secretOwnerOf } from './endpoint-store.ts';
import { assertSigns, type EndpointName, showWebhook, showWithin, type Webhook } from './show-webhook.ts';

/** The time in which a receiver can install the new secret. Meanwhile, deliveries carry both signatures. */
export const secretOverlapMs = 24 * 60 * 60 * 1000;

/**
 * Creates a new secret. The old one keeps signing for a day, or stops now if it leaked.
 * @throws AppError `not_found`, `invalid_request`
 */
export async function rotateSecret(
  { database, sealer }: { database: Database; sealer: Sealer },
  { leaked = false, ...name }: EndpointName & { leaked?: boolean },
  by: Actor,
): Promise<Webhook> {
  const webhook = await showWebhook({ database, sealer }, name);
  assertSigns(webhook);
  const { accountId, endpoint } = webhook;
  const owner = endpoint ? secretOwnerOf(endpoint) : accountId;
  const subject = endpoint?.id ?? null;
  return database.transaction(async (tx) => {
    await ensureSecrets(tx, sealer, [owner]);
    await replaceSecret(tx, sealer, owner, leaked ? 0 : secretOverlapMs);
    await insertAuditEntry(tx, by, {
      action: 'webhook.secret_rotated',
      accountId,
      subject,
      detail: { leaked },
    });
    return showWithin(tx, sealer, { accountId, endpointId: name.endpointId });
  });
}
