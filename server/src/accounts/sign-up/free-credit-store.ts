import { sql } from 'kysely';
import { isPostgres, nowMs } from '../../base/db/rows.ts';
import type { Tx } from '../../base/db/schema.ts';

/** Counts the free credits given within the last milliseconds. No other transaction gives one until this one ends. */
export async function lockAndCountFreeCredits(tx: Tx, withinMs: number): Promise<number> {
  if (isPostgres(tx))
    await sql`select pg_advisory_xact_lock(hashtextextended('free credits', 0))`.execute(tx);
  const { given } = await tx
    .selectFrom('free_credits')
    .select((eb) => eb.fn.countAll<number>().as('given'))
    .where('given_at', '>', sql<number>`${nowMs} - ${sql.lit(withinMs)}`)
    .executeTakeFirstOrThrow();
  return Number(given);
}

/** Returns false if the email address had free credit before. */
export async function claimFreeCredit(tx: Tx, addressHash: string): Promise<boolean> {
  const result = await tx
    .insertInto('free_credits')
    .values({ address_hash: addressHash, given_at: nowMs })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}
