import type { Tx } from '../db/schema.ts';
import { type Actor, insertAuditEntry } from './audit-store.ts';
import { assertNetwork } from './key-networks.ts';
import { setNetworks } from './key-store.ts';

/** Sets the networks from which a key may be used; null: every network. @throws AppError `invalid_request` */
export async function changeNetworks(
  tx: Tx,
  { accountId, keyId, networks }: { accountId: string; keyId: string; networks: readonly string[] | null },
  by: Actor,
): Promise<void> {
  for (const network of networks ?? []) assertNetwork(network);
  await setNetworks(tx, keyId, networks);
  const detail = { networks: networks?.join(', ') ?? null };
  await insertAuditEntry(tx, by, { action: 'key.networks_changed', accountId, subject: keyId, detail });
}
