import type { Tx } from '../../base/db/schema.ts';
import { accountErased } from './account-erased.ts';
import { lockBalances } from './ledger-store.ts';

/**
 * Locks an account until the transaction ends. A later erasure deletes data that is written under the lock;
 * an earlier erasure is seen.
 * @throws AppError `invalid_request` for an erased account
 */
export async function lockLiving(tx: Tx, accountId: string): Promise<void> {
  const [account] = await lockBalances(tx, [accountId]);
  if (account?.isErased !== false) throw accountErased(accountId);
}
