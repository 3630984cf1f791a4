import type { Actor } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import type { Clock } from '../../base/std/clock.ts';
import { toIso, toIsoOrNull } from '../../base/std/iso-time.ts';
import { type AdminKey, listAdminKeys } from './admin-key-store.ts';
import { createAdminKey } from './create-admin-key.ts';
import { disableAdminKey } from './disable-admin-key.ts';

/** The operations on admin keys. Only the command line creates them, because no key may create another. */
export function adminKeyVerbs(deps: { database: Database; clock: Clock }, by: Actor) {
  return {
    async createAdminKey(
      name: string,
      { expires_in, ...given }: { scopes: string[]; expires_in?: number; networks?: string[] },
    ) {
      const request = { name, ...given, ...(expires_in !== undefined && { expiresInMs: expires_in * 1000 }) };
      const { key, id, ...made } = await createAdminKey(deps, request, by);
      const { scopes, networks, expiresAt } = made;
      return { key, key_id: id, name, scopes, networks, expires_at: toIsoOrNull(expiresAt) };
    },
    async listAdminKeys() {
      return (await listAdminKeys(deps.database.read)).map(presentAdminKey);
    },
    async disableAdminKey(key: string) {
      const { id, name } = await disableAdminKey(deps, { key }, by);
      return { key_id: id, name };
    },
  };
}

function presentAdminKey(key: AdminKey) {
  return {
    key_id: key.id,
    name: key.name,
    scopes: key.scopes,
    networks: key.networks,
    hint: key.hint,
    created_at: toIso(key.createdAt),
    expires_at: toIsoOrNull(key.expiresAt),
    last_used_at: toIsoOrNull(key.lastUsedAt),
    last_used_address: key.lastUsedAddress,
    disabled_at: toIsoOrNull(key.disabledAt),
  };
}
