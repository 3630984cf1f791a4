import { type Actor, insertAuditEntry } from '../../accounts/audit-store.ts';
import type { Database } from '../../db/database.ts';
import type { Sealer } from '../../std/sealer.ts';
import { accountOf } from './account-of.ts';
import { ensureSecrets, replaceSecret } from './secret-store.ts';
import { showWebhook, type Webhook } from './show-webhook.ts';

/** Time to install the new secret at every receiver; until then deliveries carry both signatures. */
export const secretOverlapMs = 24 * 60 * 60 * 1000;

/**
 * Makes a new signing secret. The old one keeps signing for a day, or ends now if it leaked.
 *
 * @throws AppError `not_found`
 */
export async function rotateSecret(
  { database, sealer }: { database: Database; sealer: Sealer },
  { account, leaked = false }: { account: string; leaked?: boolean },
  by: Actor,
): Promise<Webhook> {
  const { id } = await accountOf(database.read, account);
  const entry = { action: 'webhook.secret_rotated', accountId: id, subject: null, detail: { leaked } };
  await database.transaction(async (tx) => {
    await ensureSecrets(tx, sealer, [id]);
    await replaceSecret(tx, sealer, id, leaked ? 0 : secretOverlapMs);
    await insertAuditEntry(tx, by, entry);
  });
  return showWebhook({ database, sealer }, { account: id });
}
