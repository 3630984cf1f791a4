import { sql } from 'kysely';
import { hasBegun, isCancelling, isOfBatchUnderWay } from '../../base/db/job-predicates.ts';
import { isAnyOf, nowMs, orOutdated, rowsOf } from '../../base/db/rows.ts';
import type { BatchesTable, JobsTable, Queries, Tx } from '../../base/db/schema.ts';
import type { Job } from '../job.ts';
import { toJob } from '../job-store.ts';
import type { EndedJob, EndingJob } from '../settlement-store.ts';
import { type BatchSource, insertSources } from './batch-source-store.ts';

export interface Batch {
  id: string;
  accountId: string;
  name: string | null;
  jobs: number;
  done: number;
  failed: number;
  priceMicros: bigint;
  chargedMicros: bigint;
  /** The URL that receives the event when the batch ends; if null, the account's endpoints receive it. */
  callbackUrl: string | null;
  createdAt: number;
  cancelledAt: number | null;
  finishedAt: number | null;
}

export type NewBatch = Pick<Batch, 'id' | 'accountId' | 'name' | 'jobs' | 'priceMicros' | 'callbackUrl'> & {
  source?: BatchSource;
};

export async function insertBatches(
  tx: Tx,
  batches: readonly NewBatch[],
  createdAt: number | null,
): Promise<void> {
  if (batches.length === 0) return;
  const inserted = tx
    .insertInto('batches')
    .values(
      batches.map(({ id, accountId, name, jobs, priceMicros, callbackUrl }) => ({
        id,
        account_id: accountId,
        name,
        jobs,
        done: 0,
        failed: 0,
        price_micros: priceMicros,
        charged_micros: 0n,
        callback_url: callbackUrl,
        created_at: createdAt ?? nowMs,
      })),
    )
    .execute();
  // Both statements are sent together, as `decideAndWrite` requires. The database runs them in this order.
  await Promise.all([inserted, insertSources(tx, batches)]);
}

/** Counts ended jobs in their batches, and returns finished batches. Needs the accounts' locks to see all counts. */
export async function countEnded(tx: Tx, jobs: readonly EndedJob[]): Promise<Batch[]> {
  const ends = endsByBatch(jobs);
  if (ends.length === 0) return [];
  const { rows } = await sql<BatchesTable>`${count(tx, ends)}
    returning ${sql.join(columns.map((column) => sql.ref(`batches.${column}`)))}`.execute(tx);
  return rows.filter(({ finished_at: at }) => at !== null).map(toBatch);
}

export async function countUnlessLast(tx: Tx, ending: readonly EndingJob[]): Promise<void> {
  const ends = endsByBatch(ending);
  if (ends.length === 0) return;
  const goOn = sql`${ended} < batches.jobs`;
  await sql`with counted as (${count(tx, ends)} and ${goOn} returning 1)
    select ${orOutdated(sql`count(*) = ${ends.length}`)} from counted`.execute(tx);
}

const ended = sql`batches.done + batches.failed + ends.done + ends.failed`;

interface BatchEnds {
  id: string;
  done: number;
  failed: number;
  charged: bigint;
  at: number | null;
}

function endsByBatch(ending: readonly (EndingJob | EndedJob)[]): BatchEnds[] {
  return [...Map.groupBy(ending, ({ batch_id }) => batch_id)].flatMap(([id, jobs]) => {
    if (id === null) return [];
    const done = jobs.filter(({ status }) => status === 'done');
    const charged = done.reduce((sum, { price_micros: price }) => sum + price, 0n);
    const times = jobs.flatMap((job) => ('finished_at' in job ? [job.finished_at] : []));
    const at = times.length > 0 ? Math.max(...times) : null;
    return [{ id, done: done.length, failed: jobs.length - done.length, charged, at }];
  });
}

function count(tx: Tx, ends: BatchEnds[]) {
  const types = {
    id: 'uuid',
    done: 'integer',
    failed: 'integer',
    charged: 'integer',
    at: 'integer',
  } as const;
  return sql`update batches set done = batches.done + ends.done,
      failed = batches.failed + ends.failed, charged_micros = batches.charged_micros + ends.charged,
      finished_at = case when ${ended} = batches.jobs then ends.at end
    from ${rowsOf(tx, types, [...ends])} as ends where batches.id = ends.id`;
}

const columns = [
  ...(['id', 'account_id', 'name', 'jobs', 'done', 'failed', 'price_micros', 'charged_micros'] as const),
  ...(['callback_url', 'created_at', 'cancelled_at', 'finished_at'] as const),
];

export async function findBatch(
  queries: Queries,
  { accountId, id }: { accountId: string; id: string },
): Promise<Batch | undefined> {
  const row = await queries
    .selectFrom('batches')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row && toBatch(row);
}

export async function findBatchOf(queries: Queries, jobId: string): Promise<Batch | undefined> {
  const row = await queries
    .selectFrom('batches')
    .innerJoin('jobs', 'jobs.batch_id', 'batches.id')
    .selectAll('batches')
    .where('jobs.id', '=', jobId)
    .executeTakeFirst();
  return row && toBatch(row);
}

/** Lists an account's batches, newest first: all of them, or only those created from files. */
export async function listBatches(
  queries: Queries,
  {
    accountId,
    before,
    limit,
    asFiles = false,
  }: { accountId: string; before: string | undefined; limit: number; asFiles?: boolean },
): Promise<Batch[]> {
  const rows = await queries
    .selectFrom('batches')
    .selectAll()
    .where('account_id', '=', accountId)
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .$if(asFiles, (query) =>
      query.where('id', 'in', (own) => own.selectFrom('batch_sources').select('batch_id')),
    )
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(toBatch);
}

export async function countProcessing(
  queries: Queries,
  ids: readonly string[],
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await queries
    .selectFrom('jobs')
    .select(({ fn }) => ['batch_id', fn.countAll<number>().as('count')])
    .where('batch_id', 'in', ids)
    .where(isOfBatchUnderWay)
    .where(hasBegun)
    .groupBy('batch_id')
    .execute();
  return new Map(rows.map(({ batch_id, count }) => [batch_id ?? '', count]));
}

/** Returns false if the batch was cancelled before, or if all of its jobs have ended. */
export async function markCancelled(tx: Tx, id: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('batches')
    .set({ cancelled_at: nowMs })
    .where('id', '=', id)
    .where('finished_at', 'is', null)
    .where('cancelled_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export const isAnyCancelling = sql<boolean>`exists (select 1 from batches where ${isCancelling})`;

export async function listCancelling(
  queries: Queries,
  limit: number,
): Promise<Pick<Batch, 'id' | 'accountId'>[]> {
  const rows = await queries
    .selectFrom('batches')
    .select(['id', 'account_id'])
    .where(isCancelling)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ id: row.id, accountId: row.account_id }));
}

/** Lists unfinished jobs, first those in `processing`. */
export async function listUnfinishedIds(tx: Tx, batchId: string, limit: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('jobs')
    .select('id')
    .where('batch_id', '=', batchId)
    .where(isOfBatchUnderWay)
    .orderBy('status')
    .orderBy('batch_index')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export async function listFirstIds(
  queries: Queries,
  { batchIds, count }: { batchIds: readonly string[]; count: number },
): Promise<{ batchId: string; id: string }[]> {
  const { rows } = await sql<{ batchId: string; id: string }>`select batch_id as "batchId", id from jobs
    where ${isAnyOf(queries, 'batch_id', batchIds, 'uuid')} and batch_index < ${count}
    order by batch_id, batch_index`.execute(queries);
  return rows;
}

export async function listBatchJobs(
  queries: Queries,
  { batchId, after, limit }: { batchId: string; after: number; limit: number },
): Promise<{ index: number; job: Job }[]> {
  const { rows } = await sql<JobsTable & { batch_index: number }>`select * from jobs
    where batch_id = ${batchId} and batch_index > ${after} order by batch_index limit ${limit}`.execute(
    queries,
  );
  return rows.map((row) => ({ index: row.batch_index, job: toJob(row) }));
}

function toBatch(row: BatchesTable): Batch {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    jobs: row.jobs,
    done: row.done,
    failed: row.failed,
    priceMicros: row.price_micros,
    chargedMicros: row.charged_micros,
    callbackUrl: row.callback_url,
    createdAt: row.created_at,
    cancelledAt: row.cancelled_at,
    finishedAt: row.finished_at,
  };
}
