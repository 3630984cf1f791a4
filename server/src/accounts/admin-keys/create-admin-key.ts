import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import type { Clock } from '../../base/std/clock.ts';
import { newId } from '../../base/std/ids.ts';
import { toIsoOrNull } from '../../base/std/iso-time.ts';
import { AppError } from '../../errors.ts';
import { hashApiKey, hintOf, makeAdminKey } from '../api-key.ts';
import { assertNetworks } from '../keys/key-networks.ts';
import { maxNameLength } from '../name.ts';
import { type AdminKey, insertAdminKeyIfNew } from './admin-key-store.ts';
import { type AdminScope, adminScopes } from './scopes.ts';

export interface AdminKeyRequest {
  name: string;
  scopes: readonly string[];
  expiresInMs?: number;
  /** Absent or null for all networks. */
  networks?: readonly string[] | null;
}

/** Creates a key. `key` is shown once, and only its hash is stored. @throws AppError `invalid_request` */
export async function createAdminKey(
  { database, clock }: { database: Database; clock: Clock },
  { name, scopes: given, expiresInMs, networks = null }: AdminKeyRequest,
  by: Actor,
): Promise<Pick<AdminKey, 'id' | 'name' | 'scopes' | 'networks' | 'expiresAt'> & { key: string }> {
  if (name.trim() === '' || name.length > maxNameLength)
    throw new AppError('invalid_request', `An admin key's name has 1 to ${maxNameLength} characters.`);
  const scopes = readScopes(given);
  assertNetworks(networks ?? []);
  const key = makeAdminKey();
  const id = newId(clock.nowMs());
  const expiresAt = expiresInMs === undefined ? null : clock.nowMs() + expiresInMs;
  await database.transaction(async (tx) => {
    const stored = { id, name, scopes, networks, expiresAt, hash: hashApiKey(key), hint: hintOf(key) };
    if (!(await insertAdminKeyIfNew(tx, stored)))
      throw new AppError(
        'invalid_request',
        `There is already an admin key named "${name}". Disable it, or choose another name: the audit log identifies keys by name.`,
      );
    const detail = {
      name,
      scopes: scopes.join(', '),
      expires_at: toIsoOrNull(expiresAt),
      networks: networks?.join(', ') ?? null,
    };
    await insertAuditEntry(tx, by, { action: 'admin_key.created', accountId: null, subject: id, detail });
  });
  return { key, id, name, scopes, networks, expiresAt };
}

function readScopes(given: readonly string[]): AdminScope[] {
  const unknown = given.find((one) => !adminScopes.some((scope) => scope === one));
  if (unknown !== undefined || given.length === 0)
    throw new AppError(
      'invalid_request',
      `${unknown === undefined ? 'An admin key needs a scope' : `"${unknown}" is no scope`}. There are: ${adminScopes.join(', ')}.`,
    );
  return adminScopes.filter((scope) => given.includes(scope));
}
