import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { Database } from '../../base/db/database.ts';
import type { Tx } from '../../base/db/schema.ts';
import { readOrClaim } from '../../base/db/settings-store.ts';
import { newToken } from '../../base/std/ids.ts';
import { claimFreeCredit, lockAndCountFreeCredits } from './free-credit-store.ts';
import { normalAddress } from './normal-address.ts';

const dayMs = 24 * 60 * 60 * 1000;
const saltSetting = 'free_credit_salt';
const hashBytes = 32;

/**
 * Takes an address's one free credit. All together get at most `perDay` within 24 hours: mailboxes are cheap, credits
 * cost money.
 */
export async function takeFreeCredit(
  tx: Tx,
  { addressHash, perDay }: { addressHash: string; perDay: number },
): Promise<'given' | 'had' | 'too_many'> {
  if ((await lockAndCountFreeCredits(tx, dayMs)) >= perDay) return 'too_many';
  return (await claimFreeCredit(tx, addressHash)) ? 'given' : 'had';
}

/** The hash outlives the account. It is slow and salted, so that a copy of the database reveals no email addresses. */
export async function hashAddress(database: Database, email: string): Promise<string> {
  const salt = await readOrClaim(database, saltSetting, async () => newToken());
  const hash = (await promisify(scrypt)(normalAddress(email), salt, hashBytes)) as Buffer; // scrypt resolves with a Buffer
  return hash.toString('base64url');
}
