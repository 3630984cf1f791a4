import { findAccountOfExpiring, markExpiryTold } from '../../accounts/key-store.ts';
import { readNames } from '../../accounts/names-store.ts';
import type { Database } from '../../base/db/database.ts';
import { readNow } from '../../base/db/rows.ts';
import { newId } from '../../base/std/ids.ts';
import { toIso, toIsoOrNull } from '../../base/std/iso-time.ts';
import { lockBalances } from '../../money/ledger/ledger-store.ts';
import { recordNotices } from '../webhooks/event-store.ts';
import type { ExpiringKey } from './alerts.ts';

/** A week is enough for an owner on holiday to replace a key before it expires. */
const withinMs = 7 * 24 * 60 * 60_000;
/** The maximum number of keys per email. The rest follow immediately in another email. */
const atOnce = 1_000;
const mostNames = 5;

/** Notifies one account, once, of its keys that expire soon. Returns whether there was such an account. */
export async function tellExpiringKeys(database: Database): Promise<boolean> {
  const accountId = await findAccountOfExpiring(database.read, withinMs);
  if (accountId === undefined) return false;
  return database.transaction(async (tx) => {
    await lockBalances(tx, [accountId]);
    // The keys are read under the lock, because keys and accounts may have been disabled or erased meanwhile.
    const keys = await markExpiryTold(tx, { accountId, withinMs, limit: atOnce });
    const name = (await readNames(tx, 'accounts', [accountId])).get(accountId) ?? '';
    const at = await readNow(tx);
    const firstNames = keys.slice(0, mostNames + 1).map((key) => key.name);
    await recordNotices(
      tx,
      keys.map((key, index) => ({
        ...{ accountId, type: 'key.expiring', aboutId: newId(at), at, isMailed: index === 0 },
        data: {
          ...{ account_id: accountId, account_name: name, key_id: key.id, name: key.name, hint: key.hint },
          ...{ expires_at: toIso(key.expiresAt ?? at), last_used_at: toIsoOrNull(key.lastUsedAt) },
          other_keys: keys.length - 1,
          other_names: firstNames.filter((_, nth) => nth !== index).slice(0, mostNames),
        } satisfies ExpiringKey,
      })),
    );
    return keys.length > 0;
  });
}
