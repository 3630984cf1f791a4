import type { Queries, Tx } from '../base/db/schema.ts';

export interface KeyedCredit {
  accountId: string;
  key: string;
  amountMicros: bigint;
  reason: string;
}

export async function findKeyedCredit(
  queries: Queries,
  { accountId, key }: Pick<KeyedCredit, 'accountId' | 'key'>,
): Promise<KeyedCredit | undefined> {
  const row = await queries
    .selectFrom('credit_keys')
    .select(['amount_micros', 'reason'])
    .where('account_id', '=', accountId)
    .where('key', '=', key)
    .executeTakeFirst();
  return row && { accountId, key, amountMicros: row.amount_micros, reason: row.reason };
}

export async function insertKeyedCredit(
  tx: Tx,
  { accountId, key, amountMicros, reason }: KeyedCredit,
): Promise<void> {
  await tx
    .insertInto('credit_keys')
    .values({ account_id: accountId, key, amount_micros: amountMicros, reason })
    .execute();
}
