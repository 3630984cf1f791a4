import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Tx } from '../../base/db/schema.ts';
import { lockLivingAccountOf } from '../account-of.ts';
import { findKey, setNetworks } from '../key-store.ts';
import { assertNetworks } from './key-networks.ts';

/** Sets the networks that may use a key; null for all. @throws AppError `invalid_request` */
export async function changeNetworks(
  tx: Tx,
  { accountId, keyId, networks }: { accountId: string; keyId: string; networks: readonly string[] | null },
  by: Actor,
): Promise<void> {
  assertNetworks(networks ?? []);
  await lockLivingAccountOf(tx, accountId);
  const before = (await findKey(tx, keyId))?.networks;
  await setNetworks(tx, keyId, networks);
  const detail = { networks: inWords(networks), networks_before: inWords(before ?? null) };
  await insertAuditEntry(tx, by, { action: 'key.networks_changed', accountId, subject: keyId, detail });
}

function inWords(networks: readonly string[] | null): string | null {
  return networks?.join(', ') ?? null;
}
