import { isLeased } from '../../../../base/db/job-predicates.ts';
import type { Queries } from '../../../../base/db/schema.ts';

export async function findMaker(
  queries: Queries,
  jobId: string,
): Promise<{ route: string | null; costMicros: bigint | null }> {
  const row = await queries
    .selectFrom('jobs')
    .select(['route', 'cost_micros'])
    .where('id', '=', jobId)
    .executeTakeFirst();
  return { route: row?.route ?? null, costMicros: row?.cost_micros ?? null };
}

export async function findIdempotencyKeyOf(queries: Queries, jobId: string): Promise<string | null> {
  const row = await queries
    .selectFrom('jobs')
    .select('idempotency_key')
    .where('id', '=', jobId)
    .executeTakeFirst();
  return row?.idempotency_key ?? null;
}

export interface Activity {
  jobIds: string[];
  entryId: number;
}

/**
 * Reads ledger entries. Each job writes one when it is created and one when it ends. The account's lock puts them in
 * order, so readers miss none.
 */
export async function listActivity(
  queries: Queries,
  { accountId, afterEntry, limit }: { accountId: string; afterEntry: number; limit: number },
): Promise<Activity> {
  const rows = await queries
    .selectFrom('entries')
    .select(['id', 'job_id'])
    .where('account_id', '=', accountId)
    .where('id', '>', afterEntry)
    .orderBy('id')
    .limit(limit)
    .execute();
  return {
    jobIds: rows.flatMap((row) => (row.job_id === null ? [] : [row.job_id])),
    entryId: rows.at(-1)?.id ?? afterEntry,
  };
}

export async function findLastEntryId(queries: Queries, accountId: string): Promise<number> {
  const row = await queries
    .selectFrom('entries')
    .select('id')
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? 0;
}

/** Reads all running jobs, which are few, through their own index. */
export async function listStarted(
  queries: Queries,
  accountId: string,
  afterMs: number,
): Promise<{ id: string; startedAt: number }[]> {
  const rows = await queries
    .selectFrom('jobs')
    .select(['id', 'account_id', 'started_at'])
    .where(isLeased)
    .where('started_at', '>', afterMs)
    .execute();
  return rows
    .filter((row) => row.account_id === accountId)
    .map((row) => ({ id: row.id, startedAt: row.started_at ?? afterMs }));
}
