import { type RawBuilder, sql } from 'kysely';
import { isLeased, isWaiting } from '../../../base/db/job-predicates.ts';
import { rowsOf } from '../../../base/db/rows.ts';
import type { Queries } from '../../../base/db/schema.ts';
import { firstIdAt, lastIdAt, msOfId } from '../../../base/std/ids.ts';
import type { BatchIds, Line, RecentJob, RunningOne } from './queue-state.ts';

// Reads all jobs up to the first of these ranks, every 16th up to the second, and every 256th after it, because
// estimates far back are rough.
const eachUpTo = 256;
const sixteenthUpTo = 4_096;
// The longest time between a batch's id and its jobs' ids, while the batch's inputs are fetched.
const longestIntakeMs = 600_000;
const mostBatches = 100;

/** Reads all queues from the index of waiting jobs alone: 100,000 jobs took SQLite 100 to 200 ms. */
export async function readLines(queries: Queries): Promise<{ lines: Line[]; batches: BatchIds[] }> {
  const lines = await readMarks(
    queries,
    sql`select model, account_id, id, 0 as of_batch from jobs where ${isWaiting}`,
  );
  const batches = await readBatches(queries, lines);
  if (batches.length === 0) return { lines, batches };
  const ids = rowsOf(
    queries,
    { account_id: 'uuid', first: 'uuid', last: 'uuid' },
    batches.map(({ accountId, first, last }) => ({ account_id: accountId, first, last })),
  );
  const isOfBatch = sql`exists (select 1 from ${ids} as batch where batch.account_id = jobs.account_id
    and jobs.id between batch.first and batch.last)`;
  const told = sql`select model, account_id, id, case when ${isOfBatch} then 1 else 0 end as of_batch
    from jobs where ${isWaiting}`;
  return { lines: await readMarks(queries, told), batches };
}

interface MarkRow {
  model: string;
  account_id: string;
  of_batch: number;
  id: string;
  rank: number;
}

async function readMarks(queries: Queries, waiting: RawBuilder<unknown>): Promise<Line[]> {
  const { rows } = await sql<MarkRow>`
    select model, account_id, of_batch, id, rank from (
      select model, account_id, of_batch, id, row_number() over own as rank, lead(id) over own as next
      from (${waiting}) as waiting window own as (partition by model, account_id, of_batch order by id)) as waiting
    where rank <= ${sql.lit(eachUpTo)} or (rank <= ${sql.lit(sixteenthUpTo)} and rank % 16 = 0) or rank % 256 = 0
      or next is null
    order by model, account_id, of_batch, rank`.execute(queries);
  const lines: (Line & { marks: { rank: number; id: string }[] })[] = [];
  for (const { model, account_id: accountId, of_batch, id, rank } of rows) {
    const [last, ofBatches] = [lines.at(-1), of_batch === 1];
    if (last?.model === model && last.accountId === accountId && last.ofBatches === ofBatches)
      last.marks.push({ rank, id });
    else lines.push({ model, accountId, ofBatches, marks: [{ rank, id }] });
  }
  return lines;
}

/** Reads the oldest unfinished batches, up to a limit. Jobs of newer batches count as ordinary jobs. */
async function readBatches(queries: Queries, lines: readonly Line[]): Promise<BatchIds[]> {
  const oldest = lines.reduce(
    (first, { marks }) => (marks[0] && marks[0].id < first ? marks[0].id : first),
    'g',
  );
  if (oldest === 'g') return [];
  const end = (order: RawBuilder<unknown>) =>
    sql`(select id from jobs where batch_id = batches.id order by batch_index ${order} limit 1)`;
  const { rows } = await sql<{ account_id: string; first: string | null; last: string | null }>`
    select account_id, ${end(sql`asc`)} as first, ${end(sql`desc`)} as last from batches
    where id >= ${firstIdAt(msOfId(oldest) - longestIntakeMs)} and finished_at is null
    order by id limit ${sql.lit(mostBatches)}`.execute(queries);
  return rows.flatMap(({ account_id: accountId, first, last }) =>
    first && last ? [{ accountId, first: firstIdAt(msOfId(first)), last: lastIdAt(msOfId(last)) }] : [],
  );
}

export async function readRunningJobs(queries: Queries): Promise<RunningOne[]> {
  const rows = await queries
    .selectFrom('jobs')
    .select(['account_id', 'key_id', 'model', 'route', 'created_at', 'started_at'])
    .where(isLeased)
    .execute();
  return rows.map((row) => ({
    accountId: row.account_id,
    keyId: row.key_id,
    model: row.model,
    route: row.route,
    createdAt: row.created_at,
    startedAt: row.started_at ?? 0, // never null for a running job
  }));
}

interface RecentRow {
  account_id: string;
  model: string;
  route: string | null;
  created_at: number;
  started_at: number;
  finished_at: number;
}

/** Reads ended jobs, newest first, without cancelled jobs and jobs that never started. */
export async function readRecent(queries: Queries, limit: number): Promise<RecentJob[]> {
  // Reads events, which are in the order of the jobs' ends, so that no waiting job is read.
  const { rows } = await sql<RecentRow>`
    select account_id, model, route, created_at, started_at, finished_at from jobs
    where id in (select job_id from events order by seq desc limit ${limit})
      and started_at is not null and finished_at is not null and (error_code is null or error_code <> 'cancelled')
    order by finished_at desc`.execute(queries);
  return rows.map((row) => ({
    accountId: row.account_id,
    model: row.model,
    route: row.route,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  }));
}
