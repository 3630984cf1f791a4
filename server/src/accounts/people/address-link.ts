import type { Tx } from '../../base/db/schema.ts';
import { newToken } from '../../base/std/ids.ts';
import { type AddressPurpose, insertAddressLink } from './address-link-store.ts';
import { hashToken, type MadeLink } from './panel-link.ts';

const hour = 60 * 60 * 1000;

export async function makeAddressLink(
  tx: Tx,
  { lifetimeHours, ...purpose }: AddressPurpose & { lifetimeHours: number },
): Promise<MadeLink> {
  const token = newToken();
  const lifetimeMs = lifetimeHours * hour;
  return {
    token,
    expiresAt: await insertAddressLink(tx, { tokenHash: hashToken(token), ...purpose, lifetimeMs }),
  };
}
