import { nowMs } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import type { AdminScope } from './scopes.ts';

/** The key of a program that administers the installation. */
export interface AdminKey {
  id: string;
  name: string;
  hint: string;
  scopes: readonly AdminScope[];
  /** CIDR blocks and IP addresses that may use the key; null for all. */
  networks: readonly string[] | null;
  createdAt: number;
  expiresAt: number | null;
  disabledAt: number | null;
  lastUsedAt: number | null;
  lastUsedAddress: string | null;
}

export interface NewAdminKey
  extends Pick<AdminKey, 'id' | 'name' | 'hint' | 'scopes' | 'networks' | 'expiresAt'> {
  hash: string;
}

const columns = [
  'id',
  'name',
  'hint',
  'scopes',
  'networks',
  'created_at',
  'expires_at',
  'disabled_at',
  'last_used_at',
  'last_used_address',
] as const;

/** Returns false if an enabled key already has the name. */
export async function insertAdminKeyIfNew(tx: Tx, key: NewAdminKey): Promise<boolean> {
  const { id, name, hint, hash, scopes, networks, expiresAt } = key;
  const result = await tx
    .insertInto('admin_keys')
    .values({
      id,
      name,
      hint,
      hash,
      scopes: JSON.stringify(scopes),
      networks: networks && JSON.stringify(networks),
      created_at: nowMs,
      expires_at: expiresAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function findAdminKeyByHash(queries: Queries, hash: string): Promise<AdminKey | undefined> {
  const row = await queries
    .selectFrom('admin_keys')
    .select(columns)
    .where('hash', '=', hash)
    .executeTakeFirst();
  return row && toAdminKey(row);
}

export async function findAdminKey(queries: Queries, idOrName: string): Promise<AdminKey | undefined> {
  const keys = await listAdminKeys(queries);
  return (
    keys.find(({ id }) => id === idOrName) ??
    keys.find(({ name, disabledAt }) => name === idOrName && disabledAt === null)
  );
}

/** Lists all admin keys, newest first, without pages because they are few. */
export async function listAdminKeys(queries: Queries): Promise<AdminKey[]> {
  const rows = await queries.selectFrom('admin_keys').select(columns).orderBy('id', 'desc').execute();
  return rows.map(toAdminKey);
}

export async function endAdminKey(tx: Tx, keyId: string): Promise<boolean> {
  const result = await tx
    .updateTable('admin_keys')
    .set({ disabled_at: nowMs })
    .where('id', '=', keyId)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function touchAdminKey(tx: Tx, keyId: string, address: string): Promise<void> {
  await tx
    .updateTable('admin_keys')
    .set({ last_used_at: nowMs, last_used_address: address })
    .where('id', '=', keyId)
    .execute();
}

function toAdminKey(row: {
  id: string;
  name: string;
  hint: string;
  scopes: string;
  networks: string | null;
  created_at: number;
  expires_at: number | null;
  disabled_at: number | null;
  last_used_at: number | null;
  last_used_address: string | null;
}): AdminKey {
  return {
    id: row.id,
    name: row.name,
    hint: row.hint,
    scopes: JSON.parse(row.scopes) as AdminScope[], // only insertAdminKeyIfNew writes the column
    networks: row.networks === null ? null : (JSON.parse(row.networks) as string[]), // as above
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    disabledAt: row.disabled_at,
    lastUsedAt: row.last_used_at,
    lastUsedAddress: row.last_used_address,
  };
}
