import { findExpiringKeys, markExpiryTold } from '../../accounts/key-store.ts';
import { readNames } from '../../accounts/names-store.ts';
import type { Database } from '../../base/db/database.ts';
import { readNow } from '../../base/db/rows.ts';
import { newId } from '../../base/std/ids.ts';
import { toIso, toIsoOrNull } from '../../base/std/iso-time.ts';
import { lockBalances } from '../../money/ledger/ledger-store.ts';
import { recordNotices } from '../webhooks/event-store.ts';
import type { ExpiringKey } from './alerts.ts';

/** Long enough to replace it in, whoever is away. */
const withinMs = 7 * 24 * 60 * 60_000;
const atOnce = 100;

/** Tells accounts of keys that end within a week, each once; returns how many. */
export async function tellExpiringKeys(database: Database): Promise<number> {
  const found = await findExpiringKeys(database.read, { withinMs, limit: atOnce });
  if (found.length === 0) return 0;
  await database.transaction(async (tx) => {
    const accountIds = [...new Set(found.map(({ accountId }) => accountId))];
    await lockBalances(tx, accountIds);
    const untold = await markExpiryTold(
      tx,
      found.map(({ id }) => id),
    );
    const names = await readNames(tx, 'accounts', accountIds);
    const at = await readNow(tx);
    await recordNotices(
      tx,
      found
        .filter(({ id }) => untold.has(id))
        .map(({ id, accountId, name, hint, expiresAt, lastUsedAt }) => ({
          ...{ accountId, type: 'key.expiring', aboutId: newId(at), at },
          data: {
            ...{ account_id: accountId, account_name: names.get(accountId) ?? '', key_id: id, name, hint },
            ...{ expires_at: toIso(expiresAt ?? at), last_used_at: toIsoOrNull(lastUsedAt) },
          } satisfies ExpiringKey,
        })),
    );
  });
  return found.length;
}
