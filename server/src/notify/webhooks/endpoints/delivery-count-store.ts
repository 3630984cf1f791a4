import type { Queries } from '../../../base/db/schema.ts';

export interface DeliveryCounts {
  delivered: number;
  failed: number;
  pending: number;
}

/** Counts each endpoint's deliveries. Those to a `callback_url` are omitted. */
export async function countDeliveries(
  queries: Queries,
  { accountId, sinceMs }: { accountId: string; sinceMs: number },
): Promise<Map<string, DeliveryCounts>> {
  const rows = await queries
    .selectFrom('deliveries')
    .select(({ fn }) => ['endpoint_id', 'status', fn.countAll<number>().as('count')])
    .where('account_id', '=', accountId)
    .where('endpoint_id', 'is not', null)
    .where('created_at', '>=', sinceMs)
    .groupBy(['endpoint_id', 'status'])
    .execute();
  const counts = new Map<string, DeliveryCounts>();
  for (const { endpoint_id, status, count } of rows) {
    if (endpoint_id === null) continue;
    const own = counts.get(endpoint_id) ?? { delivered: 0, failed: 0, pending: 0 };
    counts.set(endpoint_id, status === 'cancelled' ? own : { ...own, [status]: count });
  }
  return counts;
}
