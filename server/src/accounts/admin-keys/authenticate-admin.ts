import type { Database } from '../../base/db/database.ts';
import type { Clock } from '../../base/std/clock.ts';
import { AppError } from '../../errors.ts';
import { hashApiKey, isWellFormedAdminKey } from '../api-key.ts';
import { assertMayComeFrom } from '../keys/key-networks.ts';
import { type AdminKey, findAdminKeyByHash, touchAdminKey } from './admin-key-store.ts';
import type { AdminScope } from './scopes.ts';

const touchEveryMs = 60_000;

/**
 * Finds an enabled key. Caches no keys, so that disabling one takes effect immediately.
 * @throws AppError `key_invalid`, `address_refused`
 */
export async function authenticateAdmin(
  { database, clock }: { database: Database; clock: Clock },
  text: string,
  address: string,
): Promise<AdminKey> {
  const key = isWellFormedAdminKey(text)
    ? await findAdminKeyByHash(database.read, hashApiKey(text))
    : undefined;
  const now = clock.nowMs();
  if (!key || key.disabledAt !== null || (key.expiresAt !== null && key.expiresAt <= now))
    throw new AppError(
      'key_invalid',
      'This admin key is unknown, disabled or expired. API keys are not accepted here.',
    );
  if (key.networks !== null) assertMayComeFrom(key.networks, address);
  if (now - (key.lastUsedAt ?? 0) >= touchEveryMs)
    database.transaction((tx) => touchAdminKey(tx, key.id, address)).catch(() => {}); // the request does not depend on it
  return key;
}

export function assertScope({ name, scopes }: AdminKey, needed: readonly AdminScope[]): void {
  if (needed.some((scope) => scopes.includes(scope))) return;
  throw new AppError(
    'scope_required',
    `The call needs the scope ${needed.join(' or ')}. The admin key "${name}" has ${scopes.join(', ')}.`,
    { scopes: needed },
  );
}
