import type { Tx } from '../../base/db/schema.ts';
import { accountErased } from './account-erased.ts';
import { lockBalances } from './ledger-store.ts';

/** Locks an account. A later erasure deletes what is written meanwhile. @throws AppError `invalid_request` if erased */
export async function lockLiving(tx: Tx, accountId: string): Promise<void> {
  const [account] = await lockBalances(tx, [accountId]);
  if (account?.isErased !== false) throw accountErased(accountId);
}
