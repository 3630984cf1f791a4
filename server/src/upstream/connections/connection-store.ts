import { nowMs } from '../../base/db/rows.ts';
import type { ConnectionsTable, Queries, Tx } from '../../base/db/schema.ts';
import type { Sealer } from '../../base/std/sealer.ts';
import type { ProviderKind } from '../providers/providers.ts';

export interface StoredConnection {
  name: string;
  provider: ProviderKind;
  baseUrl: string | null;
  /** The sealed credential; null if the server needs none. */
  credential: string | null;
  createdAt: number;
  changedAt: number;
  changedBy: string;
}

export async function listConnections(queries: Queries): Promise<StoredConnection[]> {
  return (await queries.selectFrom('connections').selectAll().orderBy('name').execute()).map(toConnection);
}

export async function writeConnection(
  tx: Tx,
  { name, provider, baseUrl, credential, changedBy }: Omit<StoredConnection, 'createdAt' | 'changedAt'>,
): Promise<void> {
  const changed = { provider, base_url: baseUrl, credential, changed_at: nowMs, changed_by: changedBy };
  await tx
    .insertInto('connections')
    .values({ name, created_at: nowMs, ...changed })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(changed))
    .execute();
}

export async function deleteConnection(tx: Tx, name: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('connections').where('name', '=', name).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Seals credentials again with the current key. Returns the connections whose credential no secret opens. */
export async function renewCredentials(tx: Tx, sealer: Sealer): Promise<string[]> {
  const unreadable: string[] = [];
  for (const { name, credential } of await listConnections(tx)) {
    if (credential === null || credential.startsWith(sealer.currentPrefix)) continue;
    const text = sealer.open(credential, name);
    if (text === undefined) unreadable.push(name);
    else
      await tx
        .updateTable('connections')
        .set({ credential: sealer.seal(text, name) })
        .where('name', '=', name)
        .where('credential', '=', credential) // another may have been saved since the read
        .execute();
  }
  return unreadable;
}

function toConnection(row: ConnectionsTable): StoredConnection {
  return {
    name: row.name,
    provider: row.provider as ProviderKind, // checked before the write
    baseUrl: row.base_url,
    credential: row.credential,
    createdAt: row.created_at,
    changedAt: row.changed_at,
    changedBy: row.changed_by,
  };
}
