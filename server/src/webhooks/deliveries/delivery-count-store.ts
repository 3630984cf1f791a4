import type { Queries } from '../../db/schema.ts';

/** Counts an account's deliveries since then, by status. */
export async function countDeliveries(
  queries: Queries,
  { accountId, sinceMs }: { accountId: string; sinceMs: number },
): Promise<{ delivered: number; failed: number; pending: number }> {
  const rows = await queries
    .selectFrom('deliveries')
    .select(({ fn }) => ['status', fn.countAll<number>().as('count')])
    .where('account_id', '=', accountId)
    .where('created_at', '>=', sinceMs)
    .groupBy('status')
    .execute();
  const count = (status: string) => rows.find((row) => row.status === status)?.count ?? 0;
  return { delivered: count('delivered'), failed: count('failed'), pending: count('pending') };
}
