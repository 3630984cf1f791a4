import type { Tx } from '../../base/db/schema.ts';
import { accountErased } from './account-erased.ts';
import { lockBalances } from './ledger-store.ts';

/**
 * Locks an account until the transaction ends. What is made in it under the lock is deleted when it is erased: an erasure that came
 * first, and has deleted what there was, is seen. @throws AppError `invalid_request` for an account that was erased
 */
export async function lockLiving(tx: Tx, accountId: string): Promise<void> {
  const [account] = await lockBalances(tx, [accountId]);
  if (account?.isErased !== false) throw accountErased(accountId);
}
