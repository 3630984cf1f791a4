import type { Tx } from '../../base/db/schema.ts';
import { accountErased } from './account-erased.ts';
import { lockBalances } from './ledger-store.ts';

/**
 * Locks an account. An erasure that begins later also deletes the data written under this lock.
 * @throws AppError `invalid_request` for an erased account
 */
export async function lockLiving(tx: Tx, accountId: string): Promise<void> {
  const [account] = await lockBalances(tx, [accountId]);
  if (account?.isErased !== false) throw accountErased(accountId);
}
