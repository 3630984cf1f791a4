import { nowMs } from '../../base/db/rows.ts';
import type { Tx } from '../../base/db/schema.ts';

/** Returns false if the email address had free credit before. */
export async function claimFreeCredit(tx: Tx, addressHash: string): Promise<boolean> {
  const result = await tx
    .insertInto('free_credits')
    .values({ address_hash: addressHash, given_at: nowMs })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}
