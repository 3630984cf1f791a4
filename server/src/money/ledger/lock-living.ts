import type { Tx } from '../../base/db/schema.ts';
import { accountErased } from './account-erased.ts';
import { lockBalances } from './ledger-store.ts';

/**
 * Locks an account against erasure. An erasure that waits for this lock also deletes what the transaction writes.
 * @throws AppError `invalid_request` if the account is erased
 */
export async function lockLiving(tx: Tx, accountId: string): Promise<void> {
  const [account] = await lockBalances(tx, [accountId]);
  if (account?.isErased !== false) throw accountErased(accountId);
}
