import { sql } from 'kysely';
import { isAnyOf, nowMs } from '../../db/rows.ts';
import type { Queries, Tx } from '../../db/schema.ts';

/** Where an account's webhooks go. */
export interface Endpoint {
  id: string;
  accountId: string;
  url: string;
  createdAt: number;
  /** Since when every attempt has failed; null after a success. */
  failingSince: number | null;
  disabledAt: number | null;
  disabledReason: DisabledReason | null;
}

/** `gone`: it answered 410. `failing`: it failed for days without a success. */
export type DisabledReason = 'gone' | 'failing';

export async function findEndpoint(queries: Queries, accountId: string): Promise<Endpoint | undefined> {
  const [endpoint] = await findEndpoints(queries, [accountId]);
  return endpoint;
}

export async function findEndpoints(queries: Queries, accountIds: readonly string[]): Promise<Endpoint[]> {
  const rows = await queries
    .selectFrom('endpoints')
    .selectAll()
    .where(isAnyOf(queries, 'account_id', accountIds, 'uuid'))
    .execute();
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    url: row.url,
    createdAt: row.created_at,
    failingSince: row.failing_since,
    disabledAt: row.disabled_at,
    disabledReason: row.disabled_reason,
  }));
}

/** Replaces the account's endpoint, if it has one. */
export async function putEndpoint(
  tx: Tx,
  endpoint: { id: string; accountId: string; url: string },
): Promise<void> {
  await deleteEndpoint(tx, endpoint.accountId);
  await tx
    .insertInto('endpoints')
    .values({ id: endpoint.id, account_id: endpoint.accountId, url: endpoint.url, created_at: nowMs })
    .execute();
}

export async function deleteEndpoint(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('endpoints').where('account_id', '=', accountId).execute();
}

/** Enables a disabled endpoint. */
export async function enableEndpoint(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('endpoints')
    .set({ disabled_at: null, disabled_reason: null, failing_since: null })
    .where('id', '=', id)
    .execute();
}

/** Records which endpoints succeeded and which failed; a success outweighs failures in the same batch. */
export async function noteHealth(
  tx: Tx,
  { well, failing }: { well: readonly string[]; failing: readonly string[] },
): Promise<void> {
  if (well.length > 0) {
    await tx
      .updateTable('endpoints')
      .set({ failing_since: null })
      .where(isAnyOf(tx, 'id', well, 'uuid'))
      .where('failing_since', 'is not', null)
      .execute();
  }
  if (failing.length > 0) {
    await tx
      .updateTable('endpoints')
      .set({ failing_since: nowMs })
      .where(isAnyOf(tx, 'id', failing, 'uuid'))
      .where('failing_since', 'is', null)
      .execute();
  }
}

/** Those of these endpoints that have been failing for this long. */
export async function findFailingFor(
  queries: Queries,
  ids: readonly string[],
  ms: number,
): Promise<string[]> {
  const rows = await queries
    .selectFrom('endpoints')
    .select('id')
    .where(isAnyOf(queries, 'id', ids, 'uuid'))
    .where('failing_since', '<=', sql<number>`${nowMs} - ${sql.lit(ms)}`)
    .execute();
  return rows.map(({ id }) => id);
}

export async function findAccountsOf(queries: Queries, ids: readonly string[]): Promise<string[]> {
  const rows = await queries
    .selectFrom('endpoints')
    .select('account_id')
    .where(isAnyOf(queries, 'id', ids, 'uuid'))
    .execute();
  return rows.map((row) => row.account_id);
}

/** Returns the endpoints that were not disabled before. */
export async function disableEndpoints(
  tx: Tx,
  ids: readonly string[],
  reason: DisabledReason,
): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await tx
    .updateTable('endpoints')
    .set({ disabled_at: nowMs, disabled_reason: reason })
    .where(isAnyOf(tx, 'id', ids, 'uuid'))
    .where('disabled_at', 'is', null)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}
