import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { Database } from '../../base/db/database.ts';
import { claimSetting, readSetting } from '../../base/db/settings-store.ts';
import { normalAddress } from './normal-address.ts';

const saltSetting = 'free_credit_salt';
const hashBytes = 32;

/**
 * What is kept of an address that had free credit. It stays when the person and the account are erased, so it is slow to
 * compute, with a salt of the installation: whoever gets a copy of the database cannot try many addresses.
 */
export async function hashAddress(database: Database, email: string): Promise<string> {
  const salt = await ensureSalt(database);
  const hash = (await promisify(scrypt)(normalAddress(email), salt, hashBytes)) as Buffer; // what it resolves with
  return hash.toString('base64url');
}

async function ensureSalt(database: Database): Promise<string> {
  const known = await readSetting(database.read, saltSetting);
  if (known !== undefined) return known;
  const made = randomBytes(hashBytes).toString('base64url');
  return database.transaction(async (tx) => {
    await claimSetting(tx, saltSetting, made);
    return (await readSetting(tx, saltSetting)) ?? made; // another process may have been first
  });
}
