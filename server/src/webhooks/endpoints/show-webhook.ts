import type { Database } from '../../db/database.ts';
import type { Sealer } from '../../std/sealer.ts';
import { accountOf } from './account-of.ts';
import { type Endpoint, findEndpoint } from './endpoint-store.ts';
import { ensureSecrets, listSecrets, type SigningSecret } from './secret-store.ts';

/** An account's endpoint, if any, and its signing secrets. */
export interface Webhook {
  accountId: string;
  endpoint: Endpoint | null;
  /** The current one first, then those being rotated out. Never empty. */
  secrets: SigningSecret[];
}

/** @throws AppError `not_found` */
export async function showWebhook(
  { database, sealer }: { database: Database; sealer: Sealer },
  { account }: { account: string },
): Promise<Webhook> {
  const { id: accountId } = await accountOf(database.read, account);
  return database.transaction(async (tx) => {
    await ensureSecrets(tx, sealer, [accountId]);
    return {
      accountId,
      endpoint: (await findEndpoint(tx, accountId)) ?? null,
      secrets: await listSecrets(tx, sealer, [accountId]),
    };
  });
}
