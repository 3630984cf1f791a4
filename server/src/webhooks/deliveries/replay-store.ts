import { sql } from 'kysely';
import { nowMs } from '../../db/rows.ts';
import type { Queries, Tx } from '../../db/schema.ts';

export interface ReplayFilter {
  accountId: string;
  after: number;
  limit: number;
  eventId: string | null;
  sinceMs: number | null;
  /** Includes events that were delivered. */
  delivered: boolean;
  /** Leaves out events that nobody tried to deliver. */
  tried: boolean;
}

/** Events, oldest first, that have no pending delivery and, unless included, no delivered one. */
export async function findReplayable(
  tx: Tx,
  filter: ReplayFilter,
): Promise<{ seq: number; id: string; callbackUrl: string | null }[]> {
  const rows = await replayable(tx, filter).execute();
  return rows.map((row) => ({ seq: row.seq, id: row.id, callbackUrl: row.callback_url }));
}

/** How many those are, up to the limit. */
export async function countReplayable(queries: Queries, filter: ReplayFilter): Promise<number> {
  const { count } = await queries
    .selectFrom(replayable(queries, filter).as('replayable'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

function replayable(
  queries: Queries,
  { accountId, after, limit, eventId, sinceMs, delivered, tried }: ReplayFilter,
) {
  let query = queries
    .selectFrom('events')
    .innerJoin('jobs', 'jobs.id', 'events.job_id')
    .select(['events.seq', 'events.id', 'jobs.callback_url'])
    .where('events.account_id', '=', accountId)
    .where('events.seq', '>', after)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('deliveries')
            .select('deliveries.id')
            .whereRef('deliveries.event_id', '=', 'events.id')
            .where('deliveries.status', 'in', delivered ? ['pending'] : ['pending', 'delivered']),
        ),
      ),
    );
  if (eventId !== null) query = query.where('events.id', '=', eventId);
  if (sinceMs !== null)
    query = query.where('events.created_at', '>=', sql<number>`${nowMs} - ${sql.lit(sinceMs)}`);
  if (tried)
    query = query.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('deliveries').select('deliveries.id').whereRef('deliveries.event_id', '=', 'events.id'),
      ),
    );
  return query.orderBy('events.seq').limit(limit);
}
