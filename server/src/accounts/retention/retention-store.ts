import { isAnyOf } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import type { Part, RetentionDays } from './retention.ts';

export async function readOwnRetention(queries: Queries, accountId: string): Promise<RetentionDays> {
  const rows = await queries
    .selectFrom('retentions')
    .select(['part', 'days'])
    .where('account_id', '=', accountId)
    .execute();
  return Object.fromEntries(rows.map(({ part, days }) => [part, days]));
}

export async function listOwnRetentions(
  queries: Queries,
  accountIds?: readonly string[],
): Promise<Map<string, RetentionDays>> {
  const rows = await queries
    .selectFrom('retentions')
    .selectAll()
    .$if(accountIds !== undefined, (query) =>
      query.where(isAnyOf(queries, 'account_id', accountIds ?? [], 'uuid')),
    )
    .execute();
  const byAccount = Map.groupBy(rows, (row) => row.account_id);
  return new Map(
    [...byAccount].map(([id, own]) => [id, Object.fromEntries(own.map(({ part, days }) => [part, days]))]),
  );
}

/** Null restores the installation's retention. */
export async function putRetention(
  tx: Tx,
  accountId: string,
  part: Part,
  days: number | null,
): Promise<void> {
  await tx.deleteFrom('retentions').where('account_id', '=', accountId).where('part', '=', part).execute();
  if (days !== null)
    await tx.insertInto('retentions').values({ account_id: accountId, part, days }).execute();
}
