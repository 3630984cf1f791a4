import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { Database } from '../../base/db/database.ts';
import type { Tx } from '../../base/db/schema.ts';
import { readOrClaim } from '../../base/db/settings-store.ts';
import { newToken } from '../../base/std/ids.ts';
import { giveTryBack, takeTry } from '../sign-in/sign-in-limit-store.ts';
import { limitIdOf } from '../sign-in/sign-in-limits.ts';
import { claimFreeCredit } from './free-credit-store.ts';
import { normalAddress } from './normal-address.ts';

const dayMs = 24 * 60 * 60 * 1000;
const saltSetting = 'free_credit_salt';
const hashBytes = 32;

/** Takes an address's one free credit. All together get at most `perDay`: mailboxes are cheap, credits cost money. */
export async function takeFreeCredit(
  tx: Tx,
  { addressHash, perDay }: { addressHash: string; perDay: number },
): Promise<'given' | 'had' | 'too_many'> {
  const inAll = { id: limitIdOf('free_credit', 'all'), burst: perDay, everyMs: Math.ceil(dayMs / perDay) };
  if ((await takeTry(tx, inAll)) > 0) return 'too_many';
  if (await claimFreeCredit(tx, addressHash)) return 'given';
  await giveTryBack(tx, inAll);
  return 'had';
}

/** The hash outlives the account. It is slow and salted, so that a copy of the database reveals no email addresses. */
export async function hashAddress(database: Database, email: string): Promise<string> {
  const salt = await readOrClaim(database, saltSetting, async () => newToken());
  const hash = (await promisify(scrypt)(normalAddress(email), salt, hashBytes)) as Buffer; // scrypt resolves with a Buffer
  return hash.toString('base64url');
}
