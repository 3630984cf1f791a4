import { sql } from 'kysely';
import { isAnyOf, nowMs } from '../../../base/db/rows.ts';
import type { Tx } from '../../../base/db/schema.ts';
import type { CancelReason } from '../delivery.ts';

// The most deliveries that one statement changes: a receiver that was down may have a million. Claims cancel the rest.
const maxChanged = 10_000;

/**
 * Cancels deliveries. Attempts that are running are still recorded, but no longer change their deliveries.
 * `endpoint_replaced` cancels only deliveries to old addresses.
 */
export async function cancelPendingOf(
  tx: Tx,
  endpointIds: readonly string[],
  reason: CancelReason,
): Promise<number> {
  if (endpointIds.length === 0) return 0;
  const result = await tx
    .updateTable('deliveries')
    .set({ status: 'cancelled', failure: reason, worker: null, ended_at: nowMs })
    // PostgreSQL checks the status again after waiting for the recording of an attempt.
    .where('status', '=', 'pending')
    .where('id', 'in', (query) =>
      query
        .selectFrom('deliveries')
        .select('id')
        .where('status', '=', sql.lit('pending'))
        .where(isAnyOf(tx, 'endpoint_id', endpointIds, 'uuid'))
        .$if(reason === 'endpoint_replaced', (some) => some.where(goesElsewhere))
        .limit(maxChanged),
    )
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** Makes waiting deliveries due now, at most `maxChanged` of them, and returns their number. */
export async function makeDueNow(
  tx: Tx,
  { accountId, id, endpointId }: { accountId: string; id: number | null; endpointId: string | null },
): Promise<number> {
  const result = await tx
    .updateTable('deliveries')
    .set({ claimable_at: nowMs })
    // PostgreSQL checks the status again after waiting for a claim.
    .where('status', '=', 'pending')
    .where('worker', 'is', null)
    .where('id', 'in', (query) =>
      query
        .selectFrom('deliveries')
        .select('id')
        .where('account_id', '=', accountId)
        // A literal, because with a parameter, PostgreSQL would not recognize that the partial index fits.
        .where('status', '=', sql.lit('pending'))
        .where('worker', 'is', null)
        .where('claimable_at', '>', nowMs)
        .$if(id !== null, (one) => one.where('id', '=', id ?? 0))
        .$if(endpointId !== null, (some) => some.where('endpoint_id', '=', endpointId ?? ''))
        .limit(maxChanged),
    )
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

const goesElsewhere = sql<boolean>`url <> (
  select endpoints.url from endpoints where endpoints.id = deliveries.endpoint_id)`;
