import { sql } from 'kysely';
import { nowMs } from '../../base/db/rows.ts';
import type { Tx } from '../../base/db/schema.ts';

/** A debt, which arises when more is taken back than the account has. The account must be locked. */
export interface NewDebt {
  accountId: string;
  /** The reason that the ledger's entry shows when the debt is paid. */
  reason: string;
  amountMicros: bigint;
  /** The entry of the credit that was taken back. */
  corrects: number | null;
}

export async function insertDebt(
  tx: Tx,
  { accountId, reason, amountMicros, corrects }: NewDebt,
): Promise<void> {
  await tx
    .insertInto('debts')
    .values({
      ...{ account_id: accountId, reason, corrects, created_at: nowMs },
      ...{ amount_micros: amountMicros, left_micros: amountMicros },
    })
    .execute();
  await changeDebt(tx, accountId, amountMicros);
}

/** Pays the debts of a locked account, oldest first. Returns the amount paid for each. */
export async function payDebts(
  tx: Tx,
  accountId: string,
  mostMicros: bigint,
): Promise<Pick<NewDebt, 'reason' | 'amountMicros' | 'corrects'>[]> {
  const debts = await tx
    .selectFrom('debts')
    .select(['id', 'reason', 'corrects', 'left_micros'])
    .where('account_id', '=', accountId)
    .where('left_micros', '>', 0n)
    .orderBy('id')
    .execute();
  const paid: Pick<NewDebt, 'reason' | 'amountMicros' | 'corrects'>[] = [];
  let left = mostMicros;
  for (const { id, reason, corrects, left_micros: owed } of debts) {
    if (left === 0n) break;
    const amountMicros = owed < left ? owed : left;
    left -= amountMicros;
    paid.push({ reason, amountMicros, corrects });
    await tx
      .updateTable('debts')
      .set({ left_micros: owed - amountMicros })
      .where('id', '=', id)
      .execute();
  }
  await changeDebt(tx, accountId, left - mostMicros);
  return paid;
}

async function changeDebt(tx: Tx, accountId: string, byMicros: bigint): Promise<void> {
  await sql`update accounts set debt_micros = debt_micros + ${byMicros} where id = ${accountId}`.execute(tx);
}
