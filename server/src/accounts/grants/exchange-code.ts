import type { Database } from '../../db/database.ts';
import type { Clock } from '../../std/clock.ts';
import type { Sealer } from '../../std/sealer.ts';
import { createKey, type NewKey } from '../create-key.ts';
import { disableKey } from '../disable-key.ts';
import { findKey } from '../key-store.ts';
import { readCode } from './grant-code.ts';

export interface GrantDeps {
  database: Database;
  clock: Clock;
  grantSealer: Sealer;
}

/**
 * Makes the key that a code stands for. Undefined for a code that is not valid, or was used before: then
 * somebody has read it, and the key that was made from it ends (RFC 6749, 4.1.2).
 */
export async function exchangeCode(
  deps: GrantDeps,
  asked: { code: string; programId: string; redirectUri: string; verifier: string },
  address: string,
): Promise<NewKey | undefined> {
  const { database, clock, grantSealer } = deps;
  const grant = readCode(grantSealer, asked, clock.nowMs());
  if (!grant) return undefined;
  const { keyId, accountId: account, name, models } = grant;
  const by = { ...grant.person, address };
  const isUsed = async () => (await findKey(database.read, keyId)) !== undefined;
  if (!(await isUsed())) {
    try {
      return await createKey(deps, { keyId, account, name, ...(models && { models }) }, by);
    } catch (error) {
      // Of two requests at once the database lets one make the key.
      if (!(await isUsed())) throw error;
    }
  }
  await disableKey(deps, { keyId }, by);
  return undefined;
}
